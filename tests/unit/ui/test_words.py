"""The catalogues agree with each other and with what is used."""

import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from string import Formatter

import pytest

from tah_jupyter.core.approvals import CommandSubject, Grant, PathSubject
from tah_jupyter.jupyter.grammar import COMMANDS
from tah_jupyter.ui.catalogue.entry import Entry
from tah_jupyter.ui.words import LANGUAGES, Words, catalogue

PACKAGE = Path(__file__).parents[3] / "tah_jupyter"
MODULES = [f"tah_jupyter.ui.catalogue.{path.stem}" for path in (PACKAGE / "ui" / "catalogue").glob("*.py")]


def fields(entry: Entry) -> set[str]:
    forms = (entry,) if isinstance(entry, str) else entry
    return {name for form in forms for _, name, _, _ in Formatter().parse(form) if name}


CATALOGUES = {language: catalogue(language) for language in LANGUAGES}


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_every_language_has_the_same_keys_filled_with_the_same_values(language: str) -> None:
    english, other = CATALOGUES["en"], CATALOGUES[language]
    assert other.keys() == english.keys()
    assert {key: fields(entry) for key, entry in other.items()} == {key: fields(e) for key, e in english.items()}


def test_no_catalogue_has_a_key_of_another() -> None:
    catalogues = [module.ENTRIES for module in map(import_module, MODULES) if hasattr(module, "ENTRIES")]
    counted = Counter(key for entries in catalogues for key in entries)
    assert {key for key, n in counted.items() if n != len(CATALOGUES)} == set()


def test_no_word_is_left_over() -> None:
    """A key is used where it stands as a text, or as the beginning of one that is put together: ``f"mode_{mode}"``."""
    sources = [path for path in PACKAGE.rglob("*") if path.suffix in (".py", ".js") and path.parent.name != "catalogue"]
    text = "".join(path.read_text() for path in sources)
    used = set(re.findall(r"[\"'](\w+)[\"']", text))
    begun = tuple(set(re.findall(r"f[\"']([a-z_]+_)\{[^{}\"]*\}[\"']", text)) | {"spoken_"})
    left = {key for key in CATALOGUES["en"] if key not in used and not key.startswith(begun)}
    assert left - {"created", "deleted"} == set()


def test_words_are_in_sentence_case_without_shouting() -> None:
    for key, entry in CATALOGUES["en"].items():
        for form in (entry,) if isinstance(entry, str) else entry:
            assert "!" not in form, key
            assert not re.search(r"\b(I|AI)\b", form), key


def test_commands_of_later_versions_are_never_named() -> None:
    known = set(COMMANDS)
    for words in CATALOGUES.values():
        for entry in words.values():
            for form in (entry,) if isinstance(entry, str) else entry:
                assert set(re.findall(r"(?<!%)%tah (\w+)", form)) <= known


def test_one_and_many_differ_where_a_language_says_so() -> None:
    words = Words("en_GB")
    assert (words.count("files_changed", 1), words.count("files_changed", 1200)) == (
        "1 file changed",
        "1,200 files changed",
    )
    assert Words("zh-CN").count("files_changed", 1) == "更改了 1 个文件"
    assert words.templates("newer", "deny") == {"newer": ["↓ {n} newer", "↓ {n} newer"], "deny": ["Deny", "Deny"]}


def test_what_fills_a_template_is_never_a_template() -> None:
    assert Words().say("asks_because", why="{why} {0} %s") == "Asks because: {why} {0} %s"


def test_an_unknown_language_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="there are: en, zh"):
        Words("xx")


@pytest.mark.parametrize(
    ("covers", "chinese"),
    [
        (PathSubject("edit", "src"), "本次运行内允许编辑 src/"),
        (PathSubject("edit", "."), "本次运行内允许编辑 此文件夹"),
        (PathSubject("read", "../data"), "本次运行内允许读取 ../data/"),
        (CommandSubject(("pytest", "-q")), "本次运行内允许 this\\u202e"),
    ],
)
def test_the_button_for_a_run_is_said_in_each_language(covers: PathSubject | CommandSubject, chinese: str) -> None:
    grant = Grant("this\u202e", covers)
    assert Words("en").grant(grant) == "Allow this\\u202e for this run"
    assert Words("zh").grant(grant) == chinese
