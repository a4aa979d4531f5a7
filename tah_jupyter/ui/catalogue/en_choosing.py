"""English: choosing a model, keys, and what to do when a model fails."""

from tah_jupyter.ui.catalogue.entry import Entry

__all__ = ["ENTRIES"]

ENTRIES: dict[str, Entry] = {
    # the model card
    "model_title": "Choose a model · your request is kept and runs when you choose",
    "model_others_title": "Choose a service · a key of it is needed",
    "model_use": "Use",
    "model_remember": "Remember for all my notebooks",
    "model_local": "On this machine",
    "model_config": "From your config",
    "model_key": "With a key",
    "model_none": "No model",
    "model_demo": "Scripted demo on a sample folder. It will not answer your request",
    "model_other": "Other…",
    "model_back": "Back",
    "model_own_server": "A server of your own: name it under models in {file}.",
    "tools_yes": "can use tools",
    "tools_no": "cannot use tools: can answer, not act",
    "tools_none_fit": "No model here can use tools. One that can: ollama pull {name}",
    "tools_answers_only": "{model} cannot use tools: it can answer, not act.",
    "tools_fitting": "One that can: {name}",
    "window_loaded": "loaded, window {tokens}",
    "window_small": "loaded, window {tokens}: small",
    "nothing_answers": (
        "Nothing answers on {place} of {host}, where your kernel runs. "
        "Ollama on your laptop is not reachable from there."
    ),
    "nothing_answers_at": "Nothing answers on {place}, which {variable} names.",
    "model_remembered": "Remembered in {file}",
    "demo_not_remembered": "The demo is not remembered; the next kernel asks again.",
    # the window of a local model
    "window_title": "Ollama gives this model {tokens} tokens; tah needs {needed} or the model forgets your request.",
    "window_how": "Stop Ollama and start it with a larger window:",
    "window_again": "Look again",
    "window_anyway": "Use anyway",
    "window_loading": "Loading {model}; the first answer from a local model can take a minute",
    # keys
    "key_none": "no key found",
    "key_found": "key: {key}",
    "key_title": "No {variable} in this kernel",
    "key_elsewhere": "A key set after Jupyter started, or in another shell, is not seen here.",
    "key_enter": "Enter key",
    "key_another": "Enter another key",
    "key_prompt": "Key for {title} ({variable}), not shown as you type: ",
    "key_prompt_which": "Whose key? {names} (empty: none): ",
    "key_which_unknown": "No service of that name. There are: {names}. A key is typed at the prompt, not in the cell.",
    "key_empty": "No key was entered.",
    "key_unlike": "That is no key: a key is one word of plain letters, digits and signs. Copy it again, alone.",
    "key_no_prompt": (
        "This front end cannot ask for a password. Set {variable} before Jupyter starts, "
        "or run %tah key in a terminal or notebook that can."
    ),
    "key_works": "Key works · {where}",
    "key_unchecked": "Key not checked: {why} · {where}",
    "key_kept": "kept in the system keyring",
    "key_no_keyring": "until the kernel restarts; there is no system keyring here",
    "key_no_package": "until the kernel restarts; pip install keyring lets the system keep it",
    "key_keyring_failed": "until the kernel restarts; the system keyring did not take it",
    "key_environment_first": "until the kernel restarts; then {variable} of the environment counts again",
    "key_unread": "The system keyring could not be read, so keys kept in it are missing here.",
    "key_forgotten": "{variable} is forgotten here and in the system keyring.",
    "key_forgotten_here": "{variable} is forgotten here; the system keyring could not be reached.",
    "key_not_known": "There is no {variable} here to forget.",
    "key_environment_stays": "{variable} is set in the environment of this kernel. Remove it where it is set.",
    "key_usage": "Write %tah key, %tah key PROVIDER or %tah key forget PROVIDER.",
    "key_rows": "Keys in this kernel",
    "key_in_cell": "This cell holds a key and would be saved with the notebook. Use %tah key.",
    "about_key": "enter the key of a model provider; forget PROVIDER drops it",
    # when a model fails
    "fail_choose": "Choose a model",
    "fail_retry": "Retry",
    "fail_end": "End",
    "fail_lists": "What your account lists",
    "fail_ways": "Or",
    "fail_confirm": "Go on",
    # %tah model
    "ready_too": "Also ready here",
    "ready_change": "To change: %tah model NAME",
    "ready_nothing_local": "Nothing answers on {places} of {host}, where this kernel runs.",
}
