"""English: what ``%tah doctor`` says."""

from tah_jupyter.ui.catalogue.entry import Entry

__all__ = ["ENTRIES"]

ENTRIES: dict[str, Entry] = {
    "doctor_checks": ("{n} check", "{n} checks"),
    "doctor_count_problem": ("{n} problem", "{n} problems"),
    "doctor_count_note": ("{n} thing to know", "{n} things to know"),
    # states
    "doctor_state_good": "Good",
    "doctor_state_note": "To know",
    "doctor_state_problem": "Problem",
    "doctor_state_unknown": "Not known",
    # what is looked at
    "doctor_about_python": "Python",
    "doctor_about_kernel": "Kernel",
    "doctor_about_autoawait": "Cells",
    "doctor_about_front_end": "Front end",
    "doctor_about_answers": "Who can answer",
    "doctor_about_model": "Model",
    "doctor_about_key": "Key",
    "doctor_about_local": "Local models",
    "doctor_about_folder": "Folder",
    "doctor_about_git": "History",
    "doctor_about_added": "Added folder",
    "doctor_about_sessions": "Sessions",
    "doctor_about_state": "Own state",
    "doctor_about_config": "Settings",
    "doctor_about_programs": "Program",
    "doctor_about_encoding": "Encoding",
    "doctor_about_net": "Net",
    "doctor_about_versions": "Versions",
    "doctor_group_kernel": "Kernel",
    "doctor_group_front_end": "Front end",
    "doctor_group_model": "Model",
    "doctor_group_folder": "Folder",
    "doctor_group_keeping": "Sessions",
    "doctor_group_settings": "Settings",
    "doctor_group_machine": "Machine",
    "doctor_group_versions": "Versions",
    "doctor_broken": "This could not be looked at: {why}",
    # kernel
    "doctor_python_is": "{version} in {folder}",
    "doctor_terminal": "IPython {ipython} in a terminal, without a kernel",
    "doctor_kernel_is": "IPython {ipython}, ipykernel {ipykernel}, {subshells}, loop {loop}",
    "doctor_subshells": "with subshells",
    "doctor_no_subshells": "without subshells",
    "doctor_autoawait_on": "A cell with %%tah is awaited, so clicks arrive while it runs",
    "doctor_autoawait_off": "Cells are not awaited by asyncio, so %%tah cannot run",
    # front end
    "doctor_front_end_is": "{name}, notebook {notebook}",
    "doctor_no_notebook": "{name}. It does not tell which notebook this is, so a restart begins a new session",
    "doctor_is_terminal": "Terminal",
    "doctor_is_other": "A front end that does not say its name",
    "doctor_answers_terminal": "You, at the keyboard of this terminal",
    "doctor_answers_nobody": (
        "Nobody: this front end takes no input, so what would ask is denied. A rule lets it pass"
    ),
    "doctor_answers_no_widgets": "You, at the input line. Buttons need anywidget, which this kernel does not have",
    "doctor_answers_untried": (
        "You: with buttons when the page draws them, else at the input line; no run has tried yet (anywidget {version})"
    ),
    "doctor_answers_page": "You, with buttons: the page has drawn them (anywidget {version})",
    "doctor_answers_stdin": (
        "You, at the input line: the page drew no buttons within 3 s. Reload it once; if it stays so, "
        "install anywidget where Jupyter itself runs"
    ),
    # model and key
    "doctor_model_is": "{name}, settled by {source}",
    "doctor_key_is": "{variable}, {where}. Whether it works can be tried for free",
    "doctor_key_in_environment": "from the environment of this kernel",
    "doctor_key_in_kernel": "typed here, until the kernel restarts",
    "doctor_key_in_keyring": "from the system keyring",
    "doctor_key_works": "{variable}, {where}. It works",
    "doctor_key_refused": "{variable}, {where}. It was refused: {cause}",
    "doctor_key_unchecked": "{variable}, {where}. It could not be tried: {cause}",
    "doctor_key_unread": "{variable}, {where}. It has not been read yet; the first request reads it",
    "doctor_local_are": "{n} on this machine: {names}",
    "doctor_local_none": "Nothing answers on {machine}, where your kernel runs (Ollama, LM Studio, llama.cpp)",
    # folders
    "doctor_folder_is": "{folder}, can be written",
    "doctor_folder_wide": "{folder}. That is a lot; the first request asks whether you mean it",
    "doctor_folder_fixed": "{folder}, cannot be written by this account: nothing can be changed there",
    "doctor_folder_gone": "{folder} does not exist any more",
    "doctor_git_is": "In git: changes can be compared and taken back there",
    "doctor_git_none": "Not in git: what is changed cannot be taken back there",
    "doctor_added_change": "{folder}, can be changed where you allow it",
    "doctor_added_read": "{folder}, read only",
    "doctor_added_gone": "{folder} does not exist any more",
    "doctor_sessions_in": "Kept in {folder}",
    "doctor_sessions_instead": "{folder} cannot be written; kept in {instead}",
    "doctor_sessions_nowhere": "{folder} cannot be written, nor can your own folder: no run can begin",
    "doctor_state_in": "Kept in {folder}",
    "doctor_state_fixed": "{folder} cannot be written: nothing is remembered from one kernel to the next",
    # settings and machine
    "doctor_config_good": "Nothing wrong; from: {sources}",
    "doctor_program_is": "{name} at {path}",
    "doctor_missing_rg": "No rg (ripgrep): searching large folders is slower",
    "doctor_missing_git": "No git: the agent cannot look at the history of a project",
    "doctor_encoding_is": "File names {names}, text {text}; locale {locale}; words in {language}",
    "doctor_encoding_other": (
        "File names {names}, text {text}; locale {locale}. Set UTF-8 before Jupyter starts, else names with "
        "other letters are shown as escapes"
    ),
    "doctor_net_direct": "Direct: no proxy is set for services outside this machine",
    "doctor_net_proxy": "Through the proxy {proxy}, from {variable}",
    "doctor_net_own_file": "Certificates from {path}, by {variable}",
    "doctor_net_no_file": "{variable} names {path}, which does not exist: no service can be reached safely",
    "doctor_versions_are": "tah {version}; {packages}",
}
