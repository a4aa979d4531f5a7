"""Chinese: choosing a model, keys, and what to do when a model fails."""

from tah_jupyter.ui.catalogue.entry import Entry

__all__ = ["ENTRIES"]

ENTRIES: dict[str, Entry] = {
    # the model card
    "model_title": "请选择模型 · 你的请求已保留，选择后自动运行",
    "model_others_title": "请选择服务 · 需要它的密钥",
    "model_use": "使用",
    "model_remember": "记住，用于我的所有笔记本",
    "model_local": "在本机",
    "model_config": "来自你的配置",
    "model_key": "使用密钥",
    "model_none": "不用模型",
    "model_demo": "示例文件夹上的脚本演示，不会回答你的请求",
    "model_other": "其他…",
    "model_back": "返回",
    "model_own_server": "自己的服务器：在 {file} 的 models 下写出它。",
    "tools_yes": "可以使用工具",
    "tools_no": "不能使用工具：能回答，不能操作",
    "tools_none_fit": "这里没有能使用工具的模型。可以使用的一个：ollama pull {name}",
    "tools_answers_only": "{model} 不能使用工具：能回答，不能操作。",
    "tools_fitting": "可以使用的一个：{name}",
    "window_loaded": "已加载，窗口 {tokens}",
    "window_small": "已加载，窗口 {tokens}：偏小",
    "nothing_answers": (
        "{host} 的 {place} 上没有服务应答，而你的内核在那里运行。从那里无法访问你笔记本电脑上的 Ollama。"
    ),
    "nothing_answers_at": "{variable} 指定的 {place} 上没有服务应答。",
    "model_remembered": "已记入 {file}",
    "demo_not_remembered": "演示不会被记住；下一个内核会再次询问。",
    # the window of a local model
    "window_title": "Ollama 只给此模型 {tokens} token；tah 需要 {needed}，否则模型会忘记你的请求。",
    "window_how": "停止 Ollama，并以更大的窗口启动：",
    "window_again": "再看一次",
    "window_anyway": "仍然使用",
    "window_loading": "正在加载 {model}；本地模型的第一个回答可能需要一分钟",
    # keys
    "key_none": "未找到密钥",
    "key_found": "密钥：{key}",
    "key_title": "此内核中没有 {variable}",
    "key_elsewhere": "在 Jupyter 启动之后或在另一个 shell 中设置的密钥，这里看不到。",
    "key_enter": "输入密钥",
    "key_another": "输入另一个密钥",
    "key_prompt": "{title} 的密钥（{variable}），输入时不显示：",
    "key_prompt_which": "哪个服务的密钥？{names}（留空：不输入）：",
    "key_which_unknown": "没有这个名称的服务。可选：{names}。密钥在提示处输入，不写在单元格里。",
    "key_empty": "没有输入密钥。",
    "key_unlike": "这不是密钥：密钥是由普通字母、数字和符号组成的一个词。请单独复制它。",
    "key_no_prompt": (
        "此前端无法询问密码。请在 Jupyter 启动之前设置 {variable}，或在可以询问的终端或笔记本中运行 %tah key。"
    ),
    "key_works": "密钥有效 · {where}",
    "key_unchecked": "密钥未检查：{why} · {where}",
    "key_kept": "已存入系统密钥环",
    "key_no_keyring": "保留到内核重启；这里没有系统密钥环",
    "key_no_package": "保留到内核重启；pip install keyring 之后可由系统保存",
    "key_keyring_failed": "保留到内核重启；系统密钥环没有接受它",
    "key_environment_first": "保留到内核重启；之后环境中的 {variable} 重新生效",
    "key_unread": "无法读取系统密钥环，因此存在其中的密钥在这里缺失。",
    "key_forgotten": "{variable} 已从这里和系统密钥环中删除。",
    "key_forgotten_here": "{variable} 已从这里删除；无法访问系统密钥环。",
    "key_not_known": "这里没有可删除的 {variable}。",
    "key_environment_stays": "{variable} 设置在此内核的环境中。请在设置它的地方删除。",
    "key_usage": "请写 %tah key、%tah key PROVIDER 或 %tah key forget PROVIDER。",
    "key_rows": "此内核中的密钥",
    "key_in_cell": "此单元格含有密钥，会随笔记本一起保存。请使用 %tah key。",
    "about_key": "输入模型服务的密钥；forget PROVIDER 删除它",
    # when a model fails
    "fail_choose": "选择模型",
    "fail_retry": "重试",
    "fail_end": "结束",
    "fail_lists": "你的账户列出的模型",
    "fail_ways": "或者",
    "fail_confirm": "继续",
    # %tah model
    "ready_too": "这里还可以使用",
    "ready_change": "更换：%tah model NAME",
    "ready_nothing_local": "此内核所在的 {host} 上，{places} 没有服务应答。",
}
