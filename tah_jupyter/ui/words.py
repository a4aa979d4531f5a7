"""The words people see, one catalogue a language. A new language is one more dict with the same keys.

A value is a template for ``str.format``; a pair is the form for one and the form for any other number ``n``. What fills
a template is data and never itself a template.
"""

from collections.abc import Mapping
from typing import TypeAlias

from tah_jupyter.core.approvals import CommandSubject, Grant, PathSubject
from tah_jupyter.ui.visible import visible_line

__all__ = ["CATALOGUES", "Words"]

Entry: TypeAlias = str | tuple[str, str]

EN: dict[str, Entry] = {
    # states: shape + word, never colour alone
    "working": "Working",
    "waiting": "Waiting for you",
    "done": "Done",
    "stopped": "Stopped by you",
    "stopped_during": "Stopped by you during: {what}",
    "failed": "Failed",
    "failed_because": "Failed: {cause}",
    "crashed": "The kernel ended",
    "crashed_during": "The kernel ended during: {what}",
    "clock_stopped": "{clock}, clock stopped",
    "untouched": "Your files are as they were.",
    "go_on": "go on: %%tah",
    "checkpoint": "saved at {time}; if the kernel has ended, go on: %%tah",
    # a run in figures
    "run": "run {n}",
    "files_changed": ("{n} file changed", "{n} files changed"),
    "steps_count": ("{n} step", "{n} steps"),
    "steps": "Steps",
    "steps_of": "Steps {n}: {kinds}",
    "steps_more": (
        "… {n} more step: %tah sessions show {run}",
        "… {n} more steps: %tah sessions show {run}",
    ),
    "lines_more": (
        "… {n} more line: %tah sessions show {run}",
        "… {n} more lines: %tah sessions show {run}",
    ),
    "looked_at": ("{n} looked at", "{n} looked at"),
    "edits": ("{n} edit", "{n} edits"),
    "commands": ("{n} command", "{n} commands"),
    "other_calls": ("{n} other call", "{n} other calls"),
    "notes": ("{n} note", "{n} notes"),
    "denied_count": ("{n} denied", "{n} denied"),
    "failed_count": ("{n} call failed", "{n} calls failed"),
    "turns": ("{n} turn", "{n} turns"),
    "tokens": "{tokens} in · {out} out",
    "tokens_cached": "{tokens} in ({cached} cached) · {out} out",
    "sent": ("Sent to {host}: {tokens} tokens in {n} request", "Sent to {host}: {tokens} tokens in {n} requests"),
    "this_machine": "this machine",
    "no_charge": "no charge",
    "local_no_charge": "local, no charge",
    "cost_unknown": "cost n/a",
    "seconds": "{n} s",
    "minutes": "{m} min {s} s",
    "spoken_seconds": ("{n} second", "{n} seconds"),
    # parts of a record
    "changed": "Changed",
    "in_short": "In short",
    "short_changed": "Changed: {what}",
    "short_commands": "Ran: {what}",
    "short_trouble": "Denied or failed: {what}",
    "nothing": "nothing",
    "plan_count": "Plan {done}/{n}",
    "plan_spoken": "Plan, {done} of {n} done",
    "item_done": "Done: {item}",
    "item_now": "Now: {item}",
    "item_open": "Open: {item}",
    "looked_at_things": ("Looked at {n} thing", "Looked at {n} things"),
    "thought": "Thought",
    "notice": "Notice",
    "prompt_added": "Told the model",
    "cut_answer": "The answer was cut off here.",
    # calls and decisions
    "allowed_once": "allowed once by you",
    "allowed_run": "allowed by you for this run",
    "allowed_rule": "allowed by {rule}",
    "denied_by_you": "denied by you",
    "denied_reason": "denied: {reason}",
    "denied": "denied",
    "not_run": "not run",
    "interrupted": "interrupted",
    "queued": "queued",
    "waits": "waits for you",
    "allowed": "Allowed",
    "denied_settled": "Denied",
    "not_answered": "Not answered",
    "last_lines": ("last {shown} of {n} line", "last {shown} of {n} lines"),
    "all": "All",
    "of_time": "{clock} of {limit}",
    # the card
    "approval": "Approval",
    "approval_of": "Approval {n} of {total}",
    "approval_spoken": "Approval {n} of {total}: {what}",
    "needs_approval": "Approval needed, {n} of {total}: {what}.",
    "needs_approval_hint": "Shift Tab from the next cell.",
    "asks_because": "Asks because: {why}",
    "hidden_characters": "Hidden characters are shown as {escapes}",
    "too_long": "This is too long to be shown whole, so it cannot be allowed. Deny it and ask for a smaller step.",
    "allow_once": "Allow once",
    "allow_once_what": "Allow once: {what}",
    "allow_run": "Allow for this run",
    "allow_edits_run": "Allow edits in {folder} for this run",
    "allow_reads_run": "Allow reading in {folder} for this run",
    "allow_command_run": "Allow {command} for this run",
    "deny": "Deny",
    "deny_what": "Deny: {what}",
    "deny_why": "Deny and say why…",
    "deny_why_what": "Deny and say why: {what}",
    "instead": "What should it do instead?",
    "previous_approval": "Previous approval",
    "next_approval": "Next approval",
    "elsewhere": "Answered in another window",
    "sending": "Sent",
    "kernel_silent": "The kernel does not answer. Reload the page; if it stays so, restart the kernel.",
    "approve_title": "Approve?",
    "lines_added": ("{n} line added", "{n} lines added"),
    "lines_removed": ("{n} removed", "{n} removed"),
    "added_line": "added line {n}",
    "removed_line": "removed line {n}",
    "changes_to": "Changes to {path}",
    "command_to_run": "Command to run",
    "code_to_run": "Code to run",
    "details": "Details",
    "in_folder": "in {folder}",
    "time_limit": "at most {time}",
    "arguments": ("{n} argument, one a line", "{n} arguments, one a line"),
    "created": "created",
    "deleted": "deleted",
    "more_items": ("… {n} more", "… {n} more"),
    "no_changes": "No line changes.",
    # the frame
    "frame": "tah run {n}",
    "taller": "Taller",
    "shorter": "Shorter",
    "stop": "Stop",
    "stop_run": "Stop run {n}",
    "newer": ("↓ {n} newer", "↓ {n} newer"),
    "newer_spoken": ("Show {n} newer step", "Show {n} newer steps"),
    "chip": ("{n} approval waiting", "{n} approvals waiting"),
    "show": "Show",
    "spoken_working": "Working.",
    "spoken_step": "Step {n} of {total}: {item}.",
    "spoken_allowed": "Allowed.",
    "spoken_denied": "Denied.",
    "spoken_done": "Done in {time}.",
    "spoken_stopped": "Stopped.",
    "spoken_failed": "Failed: {cause}",
}

ZH: dict[str, Entry] = {
    "working": "运行中",
    "waiting": "等待你处理",
    "done": "已完成",
    "stopped": "已由你停止",
    "stopped_during": "已由你停止，当时正在：{what}",
    "failed": "失败",
    "failed_because": "失败：{cause}",
    "crashed": "内核已结束",
    "crashed_during": "内核已结束，当时正在：{what}",
    "clock_stopped": "{clock}，计时已暂停",
    "untouched": "你的文件没有改动。",
    "go_on": "继续：%%tah",
    "checkpoint": "保存于 {time}；如果内核已结束，用 %%tah 继续",
    "run": "运行 {n}",
    "files_changed": "更改了 {n} 个文件",
    "steps_count": "{n} 步",
    "steps": "步骤",
    "steps_of": "步骤 {n}：{kinds}",
    "steps_more": "… 还有 {n} 步：%tah sessions show {run}",
    "lines_more": "… 还有 {n} 行：%tah sessions show {run}",
    "looked_at": "查看 {n} 项",
    "edits": "{n} 次编辑",
    "commands": "{n} 条命令",
    "other_calls": "{n} 次其他调用",
    "notes": "{n} 条说明",
    "denied_count": "拒绝 {n} 项",
    "failed_count": "{n} 次调用失败",
    "turns": "{n} 轮",
    "tokens": "输入 {tokens} · 输出 {out}",
    "tokens_cached": "输入 {tokens}（缓存 {cached}） · 输出 {out}",
    "sent": "已发送到 {host}：{n} 次请求，{tokens} token",
    "this_machine": "本机",
    "no_charge": "免费",
    "local_no_charge": "本地运行，免费",
    "cost_unknown": "费用未知",
    "seconds": "{n} 秒",
    "minutes": "{m} 分 {s} 秒",
    "spoken_seconds": "{n} 秒",
    "changed": "已更改",
    "in_short": "概要",
    "short_changed": "已更改：{what}",
    "short_commands": "已运行：{what}",
    "short_trouble": "被拒绝或失败：{what}",
    "nothing": "无",
    "plan_count": "计划 {done}/{n}",
    "plan_spoken": "计划：已完成 {done}/{n}",
    "item_done": "已完成：{item}",
    "item_now": "进行中：{item}",
    "item_open": "未开始：{item}",
    "looked_at_things": "查看了 {n} 项",
    "thought": "思考",
    "notice": "提示",
    "prompt_added": "已告知模型",
    "cut_answer": "回答在此中断。",
    "allowed_once": "由你允许一次",
    "allowed_run": "由你在本次运行内允许",
    "allowed_rule": "由 {rule} 允许",
    "denied_by_you": "由你拒绝",
    "denied_reason": "已拒绝：{reason}",
    "denied": "已拒绝",
    "not_run": "未运行",
    "interrupted": "已中断",
    "queued": "已排队",
    "waits": "等待你处理",
    "allowed": "已允许",
    "denied_settled": "已拒绝",
    "not_answered": "未答复",
    "last_lines": "共 {n} 行，显示最后 {shown} 行",
    "all": "全部",
    "of_time": "{clock} / {limit}",
    "approval": "审批",
    "approval_of": "审批 {n}/{total}",
    "approval_spoken": "审批 {n}/{total}：{what}",
    "needs_approval": "需要审批，{n}/{total}：{what}。",
    "needs_approval_hint": "在下一个单元格按 Shift Tab。",
    "asks_because": "需要审批的原因：{why}",
    "hidden_characters": "隐藏字符显示为 {escapes}",
    "too_long": "内容过长，无法完整显示，因此不能允许。请拒绝，并要求更小的一步。",
    "allow_once": "允许一次",
    "allow_once_what": "允许一次：{what}",
    "allow_run": "本次运行内允许",
    "allow_edits_run": "本次运行内允许编辑 {folder}",
    "allow_reads_run": "本次运行内允许读取 {folder}",
    "allow_command_run": "本次运行内允许 {command}",
    "deny": "拒绝",
    "deny_what": "拒绝：{what}",
    "deny_why": "拒绝并说明原因…",
    "deny_why_what": "拒绝并说明原因：{what}",
    "instead": "应该改为怎么做？",
    "previous_approval": "上一个审批",
    "next_approval": "下一个审批",
    "elsewhere": "已在另一个窗口答复",
    "sending": "已发送",
    "kernel_silent": "内核没有响应。请刷新页面；如果仍然如此，请重启内核。",
    "approve_title": "需要审批",
    "lines_added": "增加 {n} 行",
    "lines_removed": "删除 {n} 行",
    "added_line": "增加第 {n} 行",
    "removed_line": "删除第 {n} 行",
    "changes_to": "{path} 的差异",
    "command_to_run": "要运行的命令",
    "code_to_run": "要运行的代码",
    "details": "详情",
    "in_folder": "目录 {folder}",
    "time_limit": "最多 {time}",
    "arguments": "{n} 个参数，每行一个",
    "created": "新建",
    "deleted": "删除",
    "more_items": "… 还有 {n} 项",
    "no_changes": "没有行变化。",
    "frame": "tah 运行 {n}",
    "taller": "增高",
    "shorter": "降低",
    "stop": "停止",
    "stop_run": "停止运行 {n}",
    "newer": "↓ {n} 条新内容",
    "newer_spoken": "显示 {n} 个新步骤",
    "chip": "{n} 个审批等待处理",
    "show": "显示",
    "spoken_working": "运行中。",
    "spoken_step": "第 {n}/{total} 步：{item}。",
    "spoken_allowed": "已允许。",
    "spoken_denied": "已拒绝。",
    "spoken_done": "已完成，用时 {time}。",
    "spoken_stopped": "已停止。",
    "spoken_failed": "失败：{cause}",
}

CATALOGUES: Mapping[str, Mapping[str, Entry]] = {"en": EN, "zh": ZH}


class Words:
    """The words of one language. ``language`` is ``en``, ``zh`` or longer, as in ``zh-CN``; raises ValueError for one
    there is no catalogue of.

    >>> Words("en").count("files_changed", 1), Words("zh").say("run", n=4)
    ('1 file changed', '运行 4')
    """

    def __init__(self, language: str = "en") -> None:
        self.language = language.replace("_", "-").split("-")[0].lower()
        if self.language not in CATALOGUES:
            raise ValueError(f"There are no words in {language!r}; there are: {', '.join(sorted(CATALOGUES))}.")
        self._entries = CATALOGUES[self.language]

    def say(self, key: str, **values: object) -> str:
        """The words of ``key``, its template filled with ``values``."""
        entry = self._entries[key]
        return (entry if isinstance(entry, str) else entry[1]).format(**values)

    def count(self, key: str, n: int, **values: object) -> str:
        """The words of ``key`` for the number ``n``."""
        entry = self._entries[key]
        form = entry if isinstance(entry, str) else entry[0 if n == 1 else 1]
        return form.format(n=f"{n:,}", **values)

    def templates(self, *keys: str) -> dict[str, list[str]]:
        """Both forms of some entries, for the frame, which counts and tells time by itself."""
        entries = {key: self._entries[key] for key in keys}
        return {key: [entry, entry] if isinstance(entry, str) else list(entry) for key, entry in entries.items()}

    def grant(self, grant: Grant) -> str:
        """The words of the button that allows more than one call."""
        if self.language == "en":
            return visible_line(grant.label).text
        match grant.covers:
            case PathSubject(access="edit", path=path):
                return self.say("allow_edits_run", folder=visible_line(_folder(path)).text)
            case PathSubject(path=path):
                return self.say("allow_reads_run", folder=visible_line(_folder(path)).text)
            case CommandSubject(argv=argv):
                return self.say("allow_command_run", command=visible_line(" ".join(argv)).text)


def _folder(path: str) -> str:
    head, slash, _ = path.rpartition("/")
    return f"{head}{slash}" or "./"
