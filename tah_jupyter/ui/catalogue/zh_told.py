"""Chinese of what rooms below say in English: verbs, why a call asks, why it was denied, how it ended, notices.

A field called ``n``, ``m`` or ``code`` stands for a number; ``reason``, ``mode`` and ``time`` for a text of this table;
any other for a name or code, which stays as it is.
"""

__all__ = ["TOLD"]

TOLD: dict[str, str] = {
    # verbs and details of a call
    "Read": "读取",
    "List": "列出",
    "Search": "搜索",
    "Plan": "计划",
    "Edit": "编辑",
    "Write": "写入",
    "Run": "运行",
    "from {n}": "从第 {n} 行起",
    "in {folder}": "位于 {folder}",
    "{n} of {m} done": "已完成 {n}/{m}",
    # how a command ended
    "exit {code} · {time}": "退出码 {code} · {time}",
    "exit code not known · {time}": "退出码未知 · {time}",
    "timed out · {time}": "超时 · {time}",
    "killed by {signal} · {time}": "被 {signal} 终止 · {time}",
    "cut short": "被中断",
    "{n} s": "{n} 秒",
    "{n} min {m} s": "{n} 分 {m} 秒",
    # what answers, and where a setting comes from
    "scripted demo, no language model": "脚本演示，不使用语言模型",
    "default": "默认",
    "this session": "本会话",
    "Jupyter config": "Jupyter 配置",
    "emptied because of the problems below": "因下列问题已清空",
    # modes
    "Ask": "每次询问",
    "Edits pass": "编辑放行",
    "Plan only": "仅计划",
    "Deny what would ask": "需要询问的一律拒绝",
    "Allow everything": "全部允许",
    # why a call asks
    "in mode {mode} every edit asks": "在“{mode}”模式下，每次编辑都需要审批",
    "in mode {mode} every command asks": "在“{mode}”模式下，每条命令都需要审批",
    "in mode {mode} every call of this tool asks": "在“{mode}”模式下，此工具的每次调用都需要审批",
    "the rule ask {rule} says so": "规则 ask {rule} 如此要求",
    "a hook asks for it": "某个钩子要求审批",
    "it needs you each time": "每次都需要你处理",
    "it cannot be taken back": "此操作无法撤销",
    "it may hold secrets ({name})": "其中可能有机密（{name}）",
    "it is inside {name}, a protected folder": "它位于受保护的文件夹 {name}",
    "{name} is a protected file: what it says runs or is obeyed later": "{name} 受保护：其内容以后会被执行或遵从",
    "it is a settings file of tah": "它是 tah 的设置文件",
    "it is a start-up file": "它是启动文件",
    "it runs what it fetches from the net": "它会运行从网络获取的内容",
    "it would delete {target} (rm)": "它会删除 {target}（rm）",
    "everything asks: {what}": "一切都需要审批：{what}",
    "changed since you allowed it": "在你允许之后发生了变化",
    "replaces a file that was not read in its present state": "会替换一个未按当前内容读取过的文件",
    "the file has {n} names (hard links) and is written in place": "该文件有 {n} 个名称（硬链接），将原地写入",
    "hidden characters in the new text: {names}": "新内容中有隐藏字符：{names}",
    "There is no shell: {names} is passed as it is written": "不经过 shell：{names} 会原样传入",
    "There is no shell: {names} are passed as they are written": "不经过 shell：{names} 会原样传入",
    # why a call was denied
    "the tool refuses it": "该工具拒绝此调用",
    "the rule deny {rule} forbids it": "规则 deny {rule} 禁止此调用",
    "the mode is Plan only: nothing may be changed yet": "当前为“仅计划”模式：暂时不能更改任何内容",
    "the mode is Deny what would ask ({reason})": "当前为“需要询问的一律拒绝”模式（{reason}）",
    "nobody can answer here, so it was denied": "此处无人可审批，已拒绝",
    "it could not be shown for approval: {what}": "无法显示以供审批：{what}",
    "denied by the person": "由你拒绝",
    "denied by the person, who says: {what}": "由你拒绝，并说明：{what}",
    # how a call ended that did not run
    "Not run: {reason}": "未运行：{reason}",
    "Cancelled while it ran: {reason}": "运行时被取消：{reason}",
    "an earlier call of the same message failed.": "同一条消息中较早的调用失败了。",
    "the person denied another call and ended the run.": "你拒绝了另一次调用并结束了运行。",
    "the person ended this call, and only this one before.": "你在此之前结束了这次调用，仅此一次。",
    "the person wrote a note that is to be read first before.": "你写了补充说明，需要先读取。",
    "the run was ended before.": "运行在此之前已结束。",
    "the arguments changed after they were approved.": "参数在批准之后发生了变化。",
    "the kernel ended before this call began, so it changed nothing.": "内核在此调用开始前已结束，没有更改任何内容。",
    (
        "The kernel ended while this call was running. It may or may not have happened, wholly or in part, and it was "
        "not run again. Check the present state before you go on; do not simply repeat the call."
    ): "此调用运行时内核结束了。它可能已经完全或部分执行，没有再次运行。继续之前请检查当前状态。",
    # notes of a diff
    "encoding: {name}": "编码：{name}",
    "encoding changes from {old} to {new}": "编码从 {old} 变为 {new}",
    "replaces what is not text: {what}": "会替换非文本内容：{what}",
    "line ends change from {old} to {new}": "行尾从 {old} 变为 {new}",
    "{name} line ends": "行尾：{name}",
    "takes away the newline at the end of the file": "去掉文件末尾的换行符",
    "no newline at the end of the file": "文件末尾没有换行符",
    "adds the missing newline at the end of the file": "补上文件末尾缺少的换行符",
    # notices
    "The answer {reason}; going on where it stopped": "回答{reason}，正在从中断处继续",
    "reached its length limit": "达到长度上限",
    "was cut off ({what})": "中断（{what}）",
    "{what}; trying again in {n} s (attempt {m})": "{what}；{n} 秒后重试（第 {m} 次）",
    "The model ended without a word.": "模型没有回答就结束了。",
    "The model wrote a call of {tool} as text, so it was not run. It may be too small for tools.": (
        "模型把对 {tool} 的调用写成了文本，因此没有运行。它可能太小，无法使用工具。"
    ),
    "To let files in {folder} be changed: {command}": "如需允许更改 {folder} 中的文件：{command}",
    "To let files in {folder} be read: {command}": "如需允许读取 {folder} 中的文件：{command}",
    "The folder {folder} does not exist, so it was left out.": "文件夹 {folder} 不存在，已略去。",
    # how a run ended
    "The limit of turns was reached ({n}).": "已达到轮次上限（{n}）。",
    "Ask it to go on, or raise the limit with --max-turns or budget.maxTurns.": (
        "请它继续，或用 --max-turns 或 budget.maxTurns 提高上限。"
    ),
}
