"""Chinese of what the rooms around models say: why a model failed, what is missing, and what to do next.

Fields are those of :mod:`zh_told`.
"""

__all__ = ["TOLD"]

_REFUSALS = {
    "wants a key, and none was sent": "需要密钥，但没有发送",
    "has no credit left for this key": "此密钥已没有余额",
    "limits the rate of requests": "限制了请求频率",
    "is overloaded": "负载过高",
    "takes no request as long as this conversation": "无法接受这么长的对话",
    "refused the request by its content rules": "按其内容规则拒绝了请求",
    "gave up waiting": "等待超时",
    "failed": "出错",
    "refused the request": "拒绝了请求",
}
"""Each of these comes with or without the status, and with or without the provider's own words."""

_SENTENCES = {
    "{host} refused the key ({n}): the one ending {end}, from {variable}.": (
        "{host} 拒绝了密钥（{n}）：来自 {variable}，结尾为 {end}。"
    ),
    "{host} refused the key ({n}): the one ending {end}.": "{host} 拒绝了密钥（{n}）：结尾为 {end}。",
    "{host} refused the key: the one ending {end}, from {variable}.": (
        "{host} 拒绝了密钥：来自 {variable}，结尾为 {end}。"
    ),
    "{host} has no model {model} for this key ({n}).": "{host} 没有此密钥可用的模型 {model}（{n}）。",
    "{host} has no model {model} for this key ({n}): {what}.": "{host} 没有此密钥可用的模型 {model}（{n}）：{what}。",
    "The key holds characters that no key has, such as a line break: {which}.": (
        "密钥中含有不该有的字符，例如换行：{which}。"
    ),
    "There is no {variable} in this kernel, and {whose} needs a key.": "此内核中没有 {variable}，而 {whose} 需要密钥。",
    "A key set after Jupyter started, or in another shell, is not seen here. Enter it with %tah key.": (
        "Jupyter 启动之后或在另一个终端中设置的密钥，这里看不到。请用 %tah key 输入。"
    ),
    "The proxy {proxy}, set by {variable}, does not lead to {host}: {what}.": (
        "由 {variable} 设置的代理 {proxy} 无法通向 {host}：{what}。"
    ),
    "Correct {variable}, or add {host} to NO_PROXY.": "请更正 {variable}，或把 {host} 加入 NO_PROXY。",
    "{host} did not answer in time.": "{host} 没有及时回答。",
    "{host} kept the connection open and sent nothing.": "{host} 一直保持连接，却没有发送任何内容。",
    "The name {host} cannot be found.": "找不到主机名 {host}。",
    "Nothing answers on {host}.": "{host} 上没有服务应答。",
    (
        "Nothing answers on {host} of {machine}, where your kernel runs. "
        "{server} on your laptop is not reachable from there."
    ): ("内核所在的 {machine} 上，{host} 没有服务应答。从那里无法访问你自己电脑上的 {server}。"),
    "Start the server there ({command}), or correct its address; then run the cell again.": (
        "请在那里启动服务（{command}），或更正它的地址，然后再次运行此单元格。"
    ),
    "Start the server there, or correct its address; then run the cell again.": (
        "请在那里启动服务，或更正它的地址，然后再次运行此单元格。"
    ),
    "The connection to {host} broke before it answered.": "与 {host} 的连接在回答之前中断了。",
    "The answer of {host} stopped coming before it was complete.": "{host} 的回答没有完成就停住了。",
    "The answer of {host} was cut off before it was complete.": "{host} 的回答没有完成就中断了。",
    "The answer of {host} does not end.": "{host} 的回答没有终止。",
    "{host} answered with a web page, not with a chat completion.": "{host} 返回的是网页，而不是对话回答。",
    "The certificate of {host} is not trusted here: {what}.": "这里不信任 {host} 的证书：{what}。",
    "Behind a company proxy, set SSL_CERT_FILE to a file with its certificates, and restart the kernel.": (
        "若在公司代理之后，请将 SSL_CERT_FILE 设为包含其证书的文件，然后重启内核。"
    ),
    "The certificates come from {variable}: it needs those of the company proxy too. Then restart the kernel.": (
        "证书来自 {variable}：其中还需要公司代理的证书。然后重启内核。"
    ),
    "The answer ended before it was complete.": "回答没有完成就结束了。",
    "The provider's content filter ended the answer.": "服务商的内容过滤终止了回答。",
    "Reword the request.": "请换一种说法。",
    "Loading litellm; this takes some seconds, once in a kernel": "正在加载 litellm；每个内核仅一次，需要几秒钟",
    # what to do next
    "Enter another key with %tah key.": "请用 %tah key 输入另一个密钥。",
    "Add credit with the provider, or choose another model.": "请在服务商处充值，或选择另一个模型。",
    "Wait a little and run the cell again, or choose another model.": "请稍候再运行此单元格，或选择另一个模型。",
    "Run the cell again in a minute, or choose another model.": "请一分钟后再运行此单元格，或选择另一个模型。",
    "Choose one that the provider lists for your account: %tah model NAME.": (
        "请选择服务商为你的账户列出的模型：%tah model NAME。"
    ),
    "Start a new session with %%tah --new, or choose a model with a larger window: %tah model.": (
        "请用 %%tah --new 开始新会话，或选择上下文更大的模型：%tah model。"
    ),
    "Word the request differently, or choose another model.": "请换一种说法，或选择另一个模型。",
    "Check the address and the network of this machine, then run the cell again.": (
        "请检查地址和本机网络，然后再次运行此单元格。"
    ),
    "Run the cell again; a local model may need longer for its first answer.": (
        "请再次运行此单元格；本地模型的首次回答可能需要更久。"
    ),
    "Run the cell again; if it stays so, look at the provider's status page.": (
        "请再次运行此单元格；若仍如此，请查看服务商的状态页。"
    ),
    "What came is kept; run the cell again to go on.": "已收到的内容已保留；再次运行此单元格即可继续。",
    "Check the address {address} and the model {model} in {file}.": "请检查 {file} 中的地址 {address} 和模型 {model}。",
    "Check the address {address}.": "请检查地址 {address}。",
    "Run the cell again.": "请再次运行此单元格。",
    # what is missing
    "No model is chosen, and this kernel has no key of a model provider.": (
        "尚未选择模型，此内核中也没有任何模型服务的密钥。"
    ),
    "No model is chosen, and several keys are set: {names}.": "尚未选择模型，且设置了多个密钥：{names}。",
}


def _refusals() -> dict[str, str]:
    table: dict[str, str] = {}
    for english, chinese in _REFUSALS.items():
        for code, status in ((" ({n})", "（{n}）"), ("", "")):
            table[f"{{host}} {english}{code}."] = f"{{host}} {chinese}{status}。"
            table[f"{{host}} {english}{code}: {{what}}."] = f"{{host}} {chinese}{status}：{{what}}。"
    return table


TOLD: dict[str, str] = _SENTENCES | _refusals()
