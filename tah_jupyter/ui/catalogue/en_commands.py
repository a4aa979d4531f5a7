"""English: what ``%load_ext``, ``%tah`` and its words say."""

from tah_jupyter.ui.catalogue.entry import Entry

__all__ = ["ENTRIES"]

ENTRIES: dict[str, Entry] = {
    # the line of %load_ext
    "loaded": "tah {version} · {model} · folder {folder} · {mode}",
    "no_model_yet": "no model chosen; the first %%tah lets you choose",
    "no_model_because": "no model: {why}",
    "model_and_key": "{model} ({key})",
    "key_in_kernel": "{key}, typed here",
    "key_in_keyring": "{key}, keyring",
    "try_it": (
        "New cell: %%tah on the first line, your request below. "
        "Try: What is in this folder, and what would you check first?"
    ),
    # where things stand
    "row_model": "model",
    "row_folder": "folder",
    "row_added": "added",
    "row_mode": "mode",
    "row_session": "session",
    "row_config": "config",
    "no_session": "none yet",
    # modes
    "mode_default": "asks before it changes anything",
    "mode_accept_edits": "edits in this folder pass, the rest asks",
    "mode_plan": "plans only, changes nothing",
    "mode_dont_ask": "denies what would ask",
    "mode_bypass": "allows everything",
    "mode_mending": "{mode}, and asks before it reads too, until its settings are mended",
    # the folder
    "whole_home": "{folder}, your whole home folder",
    "whole_disk": "{folder}, the whole disk",
    "folder_marked": "{folder} ({mark})",
    "folder_chosen": "chosen by you",
    "folder_read_only": "{folder}, read only",
    "folder_now": "The folder is {folder}, from the next request on.",
    "folder_added": "{folder} is added: its files may be read and, where you allow it, changed.",
    "folder_added_read_only": "{folder} is added, read only.",
    "folder_removed": "{folder} is not used any more, from the next request on.",
    "folder_until": "This holds until the kernel restarts. To keep it, name the folder under {key} in {file}.",
    "folder_none": "There is no folder {path}.",
    "folder_file": "{path} is a file. Name the folder that it is in.",
    "folder_system": "{path} belongs to the system and cannot be worked in.",
    "folder_too_wide": "{folder} is too much to add. Name a folder in it.",
    "folder_inside": "{path} lies in {folder} already.",
    "folder_not_added": "{path} was not added here. Added: {added}.",
    "folder_in_config": "{path} is named in {file}. Take it out there.",
    "folder_usage": "Write %tah folder PATH, %tah folder add PATH [--read-only] or %tah folder remove PATH.",
    "folder_quotes": "The quotes do not match. Write a path with spaces as 'my data'.",
    "ask_wide_home": "Work in your whole home folder?",
    "ask_wide_disk": "Work on the whole disk?",
    "ask_wide_why": "This notebook lies in no project, so the agent could read every file in {folder}.",
    "ask_wide_other": "To choose another: %tah folder PATH",
    "ask_wide_use": "Use {folder}",
    "ask_wide_remember": "Remember for this folder",
    "cancel": "Cancel",
    "wide_unanswered": "This must be answered, and nobody can answer here.",
    "wide_next": "Choose one with %tah folder PATH; %tah folder . keeps this one.",
    # %tah help
    "about_cell": "ask; the request is below it",
    "about_status": "where things stand",
    "about_ask": "ask in one line",
    "about_model": "which model answers; with a name, use that one from now on",
    "about_mode": "what passes without a question",
    "about_sessions": "show the record of run N again",
    "about_doctor": "what works here, what does not, and how to mend it",
    "about_folder": "where the agent works; more folders, to read or to change",
    "about_show": "the plan, the tools, or tokens and cost",
    "about_config": "every setting, and where it comes from",
    "about_demo": "a script shows how it works, on a copy of a sample project; no model is needed",
    "about_help": "this list; all of it with: all",
    "help_more": "%tah help all lists {n} more, and the options of %%tah.",
    "help_options": "Options of %%tah",
    "option_new": "start a new session: the agent forgets the earlier runs",
    "option_model": "the model for this and later runs",
    "option_mode": "what passes without a question, for this run",
    "option_allow": "a tool that may run without a question in this run; may be repeated",
    "option_max_turns": "end the run after so many turns",
    "option_strict": "end the cell with an error when a call was denied because nobody could answer",
    "option_keep_going": "let later cells run also when this run failed",
    # words outside the grammar
    "no_command": 'No command "{word}". To ask: %tah ask {line}',
    "write_usage": "Write %tah {usage}.",
    "no_more_words": "%tah {word} takes no more words. To ask: %tah ask {line}",
    "no_such_use": "No %tah {line}. Write %tah {usage}.",
    "no_mode": 'No mode "{word}". Modes: {modes}.',
    "request_empty": "The request is empty: write it below the line %%tah.",
    "no_option": 'No option "{option}". Options: {options}.',
    "option_needs_value": "{option} needs a value: {option} {value}.",
    "option_takes_no_value": "{option} takes no value.",
    "turns_whole": '{option} needs a whole number from 1 on, not "{text}".',
    "not_run_because": "%%tah was not run: {why}.",
    "must_be_alone": (
        "a request must be alone in its cell, so that clicks and interrupts arrive while it runs: "
        "%%time, %%capture, loops, functions and other lines cannot hold it"
    ),
    "autoawait_off": "autoawait is off; turn it on with %autoawait asyncio",
    "autoawait_other": "autoawait does not use asyncio; turn it on with %autoawait asyncio",
    "model_unchanged": "The model was not changed.",
    "jupyter_files": "Jupyter's config files cannot be used: {error} Correct it, then load again.",
    # looks at a session
    "no_run": "No run {n} in this session. Runs: {known}.",
    "none": "none",
    "no_plan": "No plan yet.",
    "no_runs": "No run yet.",
    "all_runs": "all",
    "which_run": "Write %tah sessions show N, where N is the number of a run.",
    # a cell before, beside and after its run
    "starting": "tah is starting…",
    "is_working": "tah is working…",
    "still_ending": "something is still ending in the background",
    "result": "<tah run {n}: {reason}; with {parts}>",
    "name_tah": "tah: %tah help lists the commands, tah.last is the last result",
    "strict_denied": (
        "{n} call was denied: nobody can answer here.",
        "{n} calls were denied: nobody can answer here.",
    ),
    "strict_next": "Allow the tool with --allow NAME, or run the cell where someone can answer.",
    "option_bg": "give the cell back at once; the run goes on, and %tah jobs answers and stops it",
    "about_jobs": "the run in the background: what it waits for, and answers to it",
    "buttons_off": (
        "Buttons are off in this page, so it is asked here. Reload the page once when this run is over; "
        "still off: install anywidget where Jupyter itself runs (%tah doctor)."
    ),
}
