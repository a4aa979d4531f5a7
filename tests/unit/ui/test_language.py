"""Which language people are spoken to in, and how what rooms below say in English comes into it."""

import pytest

from tah_jupyter.runtime.config import Config, Ui
from tah_jupyter.ui.language import language_of
from tah_jupyter.ui.translation import Translation


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh"}, "zh"),
        ({"LANG": "ZH-Hant"}, "zh"),
        ({"LANG": "zhx_CN"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
        ({"LANG": "en_US.UTF-8", "VSCODE_NLS_CONFIG": '{"locale":"zh-cn","availableLanguages":{}}'}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "VSCODE_NLS_CONFIG": '{"locale":"en"}'}, "en"),
        ({"LANG": "zh_CN.UTF-8", "VSCODE_NLS_CONFIG": "{"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "VSCODE_NLS_CONFIG": '{"locale": 7}'}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "VSCODE_NLS_CONFIG": "[]"}, "zh"),
    ],
)
def test_auto_is_the_language_of_the_front_end_then_of_the_locale(environ: dict[str, str], language: str) -> None:
    assert language_of(Config(), environ) == language


def test_what_the_settings_say_holds_whatever_the_locale_is() -> None:
    assert language_of(Config(ui=Ui("en")), {"LANG": "zh_CN.UTF-8"}) == "en"
    assert language_of(Config(ui=Ui("zh")), {"LANG": "en_US.UTF-8"}) == "zh"


CHINESE = Translation(
    {
        "in mode {mode} it asks": "在 {mode} 模式下询问",
        "denied ({reason})": "已拒绝（{reason}）",
        "Ask": "询问",
        "it has {n} names": "有 {n} 个名称",
        "it would delete {target}": "会删除 {target}",
    }
)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("Ask", "询问"),
        ("denied (in mode Ask it asks)", "已拒绝（在 询问 模式下询问）"),
        ("it has 1,200 names", "有 1,200 个名称"),
        ("it has many names", "it has many names"),
        ("it would delete Ask", "会删除 Ask"),
        ("it would delete {target} %s", "会删除 {target} %s"),
        ("Ask me", "Ask me"),
        ("", ""),
    ],
)
def test_our_sentences_are_translated_and_names_in_them_are_not(english: str, chinese: str) -> None:
    assert CHINESE.of(english) == chinese


def test_what_is_too_long_to_be_ours_is_left_as_it_is() -> None:
    text = "it would delete " + "denied (" * 200_000
    assert CHINESE.of(text) == text
