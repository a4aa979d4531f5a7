"""A key in a cell is noticed, and nothing else is."""

from types import SimpleNamespace

import pytest

from tah_jupyter.jupyter import key_hygiene
from tah_jupyter.jupyter.key_hygiene import holds_key
from tah_jupyter.ui.words import Words
from tests.support.lookalikes import BENIGN, SECRET_SHAPES
from tests.support.shells import quiet_shell

KEY = "sk-ant-api03-Qx81mZr7vLp40TtWx7Q2"
PLAIN = "Zq7Rm2Xv9Lk4Tb8W"  # a key without a shape, as Mistral's are


@pytest.mark.parametrize(
    "cell",
    [
        f"%env ANTHROPIC_API_KEY={KEY}", f"%env MISTRAL_API_KEY={PLAIN}", f"%env MISTRAL_API_KEY {PLAIN}",
        f"%set_env MISTRAL_API_KEY={PLAIN}", f'import os\nos.environ["MISTRAL_API_KEY"] = "{PLAIN}"',
        f"os.environ['MISTRAL_API_KEY']='{PLAIN}'", f'os.environ.setdefault("MISTRAL_API_KEY", "{PLAIN}")',
        f'client = Mistral(api_key="{PLAIN}")', f'api_key = "{PLAIN}"', f"export MISTRAL_API_KEY={PLAIN}",
        f"!export MISTRAL_API_KEY={PLAIN}", f'print("{KEY}")', f"%%tah use this key: {KEY}",
        "requests.get('https://me:S3cr3tPassw0rd@example.org')",
    ],
)  # fmt: skip
def test_a_key_in_a_cell_is_noticed(cell: str) -> None:
    assert holds_key(cell)


@pytest.mark.parametrize("name", SECRET_SHAPES)
def test_every_shape_that_is_kept_out_of_the_log_is_noticed(name: str) -> None:
    assert holds_key(f"value = '''{SECRET_SHAPES[name]}'''")


@pytest.mark.parametrize(
    "cell",
    [
        "%env", "%env MISTRAL_API_KEY", "%env HOME=/srv/data/project", "%env MISTRAL_API_KEY=$OTHER",
        "%env MISTRAL_API_KEY={key}", 'os.environ["MISTRAL_API_KEY"]', 'key = os.environ["MISTRAL_API_KEY"]',
        'os.environ["MISTRAL_API_KEY"] = getpass()', 'os.environ["MISTRAL_API_KEY"] = "your-key-here"',
        'os.environ["MISTRAL_API_KEY"] = "..."', "for key in table: print(key)", 'df.sort_values(key="total_amount")',
        'primary_key = "customer_id"', "tokenizer = load('bert-base-uncased')", "max_tokens=100000",
        "%tah key anthropic", 'key = "2026-01-01_to_2026-12-31"',
        "api_key = input()", 'token = "the next word in the sentence"', "", "2 + 2",
    ],
)  # fmt: skip
def test_ordinary_cells_are_not(cell: str) -> None:
    assert not holds_key(cell)


def test_nothing_that_only_looks_like_a_secret_is_noticed() -> None:
    assert len(BENIGN) >= 200
    assert [text for text in BENIGN if holds_key(text)] == []


def test_after_such_a_cell_one_line_says_what_to_use_and_shows_no_key(capsys: pytest.CaptureFixture[str]) -> None:
    shell = quiet_shell()
    key_hygiene.install(shell, lambda: Words("en"))
    shell.run_cell(f"value = '{KEY}'")
    assert capsys.readouterr().out == ("This cell holds a key and would be saved with the notebook. Use %tah key.\n")
    shell.run_cell("2 + 2;")
    assert "key" not in capsys.readouterr().out
    key_hygiene.remove(shell)
    shell.run_cell(f"value = '{KEY}'")
    assert capsys.readouterr().out == ""


def test_what_ran_without_a_cell_is_no_matter(capsys: pytest.CaptureFixture[str]) -> None:
    shell = quiet_shell()
    key_hygiene.install(shell, lambda: Words("en"))
    shell.events.trigger("post_run_cell", SimpleNamespace(info=None))
    assert capsys.readouterr().out == ""
