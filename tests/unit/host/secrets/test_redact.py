import base64
import html
import json
import re
import time
import traceback
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tah_jupyter.host.secrets.redact import PIECE_CHARS, Redactor
from tah_jupyter.host.secrets.stream import StreamRedactor
from tah_jupyter.host.secrets.values import secrets_in
from tests.support.lookalikes import BENIGN, SECRET_SHAPES

KNOWN = {"MY_API_KEY": "q9x-Zr71/mL+p==tail", "OTHER_TOKEN": "tok7f3a91c2de55"}
shapes = pytest.mark.parametrize("secret", SECRET_SHAPES.values(), ids=SECRET_SHAPES)


@pytest.fixture
def redactor() -> Redactor:
    return Redactor(KNOWN)


def test_nothing_benign_is_masked(redactor: Redactor) -> None:
    assert len(BENIGN) >= 200
    assert [text for text in BENIGN if redactor.redact(text) != text] == []
    whole = "\n".join(BENIGN)
    assert redactor.redact(whole) == whole
    assert redactor.redact_bytes(json.dumps(BENIGN).encode()) == json.dumps(BENIGN).encode()


@shapes
@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "KEY={}",
        '"{}"',
        "key: {},",
        "\x1b[32m{}\x1b[0m",
        "\x1b[1;31m{}",
        "a\\n{}",
        "x%3D{}",
        "é{}ü",
        "`{}`",
        "({})",
    ],
)
def test_each_shape_is_masked_in_any_surroundings(redactor: Redactor, secret: str, around: str) -> None:
    clean = redactor.redact(around.format(secret))
    assert secret not in clean
    before, after = around.split("{}")
    assert clean.startswith(f"{before}⟨")
    assert clean.endswith(f"⟩{after}")


@shapes
def test_each_shape_is_suspected_in_json_inside_json(redactor: Redactor, secret: str) -> None:
    for text in (json.dumps(f"\n{secret}"), json.dumps(json.dumps({"a": f"\t{secret}"}))):
        assert redactor.suspects(text.encode())
        assert "⟨" in redactor.redact(text)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("postgres://bob:hunter2@db:5432/app", "postgres://bob:⟨PASSWORD⟩@db:5432/app"),
        ("redis://:hunter2@cache", "redis://:⟨PASSWORD⟩@cache"),
        ("https://bob:p@ss:w0rd@host/x?a=b@c", "https://bob:⟨PASSWORD⟩@host/x?a=b@c"),
        (
            "pip install --index-url=https://u:p%40ss@host/simple",
            "pip install --index-url=https://u:⟨PASSWORD⟩@host/simple",
        ),
        ("Authorization: Bearer aB3dE5fG7hI9jK1lM3nO5", "Authorization: Bearer ⟨TOKEN⟩"),
        ("{'authorization': 'bearer 0123456789abcdef01'}", "{'authorization': 'bearer ⟨TOKEN⟩'}"),
        ("Authorization: Basic dXNlcjpodW50ZXIy", "Authorization: Basic ⟨BASIC_AUTH⟩"),
        ('{\\"Authorization\\": \\"Basic dXNlcjpodW50ZXIy\\"}', '{\\"Authorization\\": \\"Basic ⟨BASIC_AUTH⟩\\"}'),
        ("http://localhost:8888/lab?token=0123456789abcdef0123456789abcdef", "http://localhost:8888/lab?token=⟨TOKEN⟩"),
        ("GET /v1?page=2&api_key=aB3dE5fG7hI9jK1l&x=1", "GET /v1?page=2&api_key=⟨TOKEN⟩&x=1"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "aws_secret_access_key = ⟨AWS_SECRET_ACCESS_KEY⟩",
        ),
    ],
)
def test_only_the_secret_part_of_a_longer_shape_is_masked(redactor: Redactor, text: str, clean: str) -> None:
    assert redactor.redact(text) == clean
    assert redactor.redact(clean) == clean
    assert streamed(redactor, list(text)) == clean


def test_a_private_key_is_masked_with_line_numbers_escapes_or_its_end_cut_off(redactor: Redactor) -> None:
    key = SECRET_SHAPES["private key"]
    body = key.splitlines()[1]
    numbered = "\n".join(f"{number:>4}\t{line}" for number, line in enumerate(key.splitlines(), 1))
    for text in (numbered, key.replace("\n", "\\n"), key[:-40], f"{key}\n{key}", key.replace("RSA ", "OPENSSH ")):
        assert body not in redactor.redact(f"cat id_rsa\n{text}")
    assert redactor.redact(f"a\n{key}\nb\n{key}\nc") == "a\n⟨PRIVATE_KEY⟩\nb\n⟨PRIVATE_KEY⟩\nc"


@pytest.mark.parametrize("secret", [*KNOWN.values(), 'p"a\\ss\n word', "pässwörd+/=", 'it\'s<a>&"b"/c#9'])
def test_a_known_value_is_masked_in_each_of_its_forms(secret: str) -> None:
    redactor = Redactor({"NAME": f"{secret}\n"})
    once, once_ascii = json.dumps(secret, ensure_ascii=False)[1:-1], json.dumps(secret)[1:-1]
    forms = [
        secret,
        once,
        once_ascii,
        json.dumps(once)[1:-1],
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
    ]
    forms += [re.sub("%..", lambda match: match[0].lower(), quote(secret, safe=""))]
    forms += [quote(quote(secret, safe=""), safe=""), html.escape(secret), html.escape(secret, quote=False)]
    forms += [repr(secret)[1:-1], repr(secret.encode())[2:-1]]
    as_php = once_ascii.replace("/", r"\/")
    as_go = once.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
    forms += [as_php, json.dumps(as_php)[1:-1], as_go, json.dumps(as_go)[1:-1]]
    for form in forms:
        assert redactor.redact(f"a {form} b") == "a ⟨NAME⟩ b"


@pytest.mark.parametrize("secret", ["q9x-Zr71/mL+p==tail/and-more", "k" * 8 + "0123456789abcdef" * 12])
def test_what_a_cut_leaves_of_a_known_value_is_masked_too(secret: str) -> None:
    redactor = Redactor({"NAME": secret})
    for length in range(PIECE_CHARS, len(secret)):
        assert redactor.redact(f"Search {secret[:length]}…") == "Search ⟨NAME⟩…"
        assert redactor.redact(f"'{secret[-length:]}' b") == "'⟨NAME⟩' b"
        assert redactor.redact(json.dumps({"a": secret[:length]})) == '{"a": "⟨NAME⟩"}'
    for length in range(PIECE_CHARS):
        assert redactor.redact(f"a {secret[:length]}…") == f"a {secret[:length]}…"


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("after", ["", "\n", ":x"])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_a_known_value_is_masked_inside_base64_at_every_alignment(before: str, after: str, encode) -> None:
    secret = KNOWN["MY_API_KEY"]
    clean = Redactor(KNOWN).redact(encode(f"{before}{secret}{after}".encode()).decode())
    head, _, tail = clean.partition("⟨MY_API_KEY⟩")
    assert "⟨MY_API_KEY⟩" in clean
    assert len(head) <= 8
    assert len(tail) <= 6


def test_overlapping_secrets_leave_nothing_of_either() -> None:
    redactor = Redactor({"A": "abcdefgh1234", "B": "1234ijklmnop", "C": "abcdefgh1234ijkl"})
    assert redactor.redact("-abcdefgh1234ijklmnop-") in ("-⟨A⟩-", "-⟨C⟩-")


def test_values_that_are_ordinary_words_or_short_are_left_alone() -> None:
    redactor = Redactor({"A": "password", "B": "short", "C": "--------", "D": "Production", "E": ""})
    text = "the password of Production is short --------"
    assert redactor.redact(text) == text


def test_bytes_that_are_not_utf8_stay_as_they_are(redactor: Redactor) -> None:
    assert redactor.redact_bytes(b"\xff tok7f3a91c2de55 \xfe") == "\udcff ⟨OTHER_TOKEN⟩ \udcfe".encode(
        "utf-8", "surrogateescape"
    )
    data = b"\xff\xfe nothing"
    assert redactor.redact_bytes(data) is data


def test_a_known_value_that_is_not_utf8_is_masked_in_its_readable_part() -> None:
    redactor = Redactor({"K": b"\xffreadable-part-77\xfe".decode("utf-8", "surrogateescape")})
    assert redactor.redact("x readable-part-77 y") == "x ⟨K⟩ y"


def test_thousands_of_known_values_and_very_long_ones_work_and_print_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    many = {f"K{number}": f"value-{number:05}-{number * 7919:08x}" for number in range(2000)}
    redactor = Redactor({**many, "PEM": SECRET_SHAPES["private key"] * 20})
    assert redactor.redact(f"a {many['K1234']} b") == "a ⟨K1234⟩ b"
    line = SECRET_SHAPES["private key"].splitlines()[2]
    assert redactor.redact(f"a {line} b") == "a ⟨PEM⟩ b"
    assert streamed(redactor, ["a valu", "e-00012", "-00017364 b"]) == redactor.redact("a value-00012-00017364 b")
    assert capfd.readouterr() == ("", "")


def test_hostile_text_takes_linear_time(redactor: Redactor) -> None:
    for text in ("-----BEGIN PRIVATE KEY-----" * 4000, "://a:" * 20_000, "sk-" * 30_000, "eyJ" * 30_000 + "."):
        began = time.monotonic()
        redactor.redact(text)
        assert time.monotonic() - began < 10  # quadratic would take minutes


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("OPENAI_API_KEY", "aB3dE5fG7hI9", True),
        ("my_token", "0123456789", True),
        ("DBPASSWORD", "correct-horse", True),
        ("CLIENT_SECRET", "/aB3dE5fG7hI9jK1lM3nO/x", True),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", True),
        ("SLACK_WEBHOOK_TOKEN", "https://hooks.example.org/services/aB3dE5fG7hI9jK1lM3nO", True),
        ("PROXY_AUTH", "https://u:p4ssw0rd@proxy", True),
        ("API_KEY", "  padded-value-1\n", True),
        ("GH_PAT", "0123456789ab", True),
        ("PATH", "/usr/local/bin:/usr/bin", False),
        ("KEYBOARD_LAYOUT", "us-intl-extended", False),
        ("TOKENIZERS_PARALLELISM", "disabled1", False),
        ("MAX_TOKENS", "100000000", False),
        ("SSH_KEY_FILE", "id_ed25519_work", False),
        ("SECRET_KEY", "/run/secrets/key", False),
        ("SSH_KEY", "~/.ssh/id_rsa", False),
        ("TOKEN_ENDPOINT", "https://auth.example.org/oauth/token", False),
        ("KEY_STORE", "org.example.keys", False),
        ("API_KEY", "short", False),
        ("API_KEY", "changeme", False),
        ("EDITOR", "aB3dE5fG7hI9", False),
    ],
)
def test_secrets_of_the_environment_are_told_by_name_and_value(name: str, value: str, secret: bool) -> None:
    assert secrets_in({name: value}) == ({name: value.strip()} if secret else {})


class TestStream:
    @shapes
    def test_a_secret_is_masked_however_it_is_cut(self, redactor: Redactor, secret: str) -> None:
        text = f"the key: {secret}\nand more."
        whole = redactor.redact(text)
        for size in (1, 2, 3, 7, 16, 1000):
            assert streamed(redactor, [text[i : i + size] for i in range(0, len(text), size)]) == whole

    def test_no_benign_text_is_lost_changed_or_kept_back(self, redactor: Redactor) -> None:
        for text in [*BENIGN, "\n".join(BENIGN)]:
            assert streamed(redactor, [text[i : i + 5] for i in range(0, len(text), 5)]) == text

    def test_only_what_could_begin_a_secret_is_held_back(self, redactor: Redactor) -> None:
        stream = StreamRedactor(redactor)
        assert stream.feed("plain words, and to") == "plain words, and "
        assert stream.feed("morrow") == "tomorrow"
        assert stream.feed(" tok7f3a9") == " "
        assert stream.feed("2 is nice") == "tok7f3a92 is nice"

    def test_a_whole_secret_is_not_cut_where_its_end_begins_another(self) -> None:
        redactor = Redactor({"A": "ab-secret-77-ab", "B": "ab-other-88"})
        assert streamed(redactor, ["x ab-secret-77-ab", " y"]) == "x ⟨A⟩ y"

    def test_a_longer_secret_waits_for_its_end(self) -> None:
        redactor = Redactor({"A": "secret-77", "B": "secret-77-and-more"})
        assert streamed(redactor, ["x secret-77", "-and-m", "ore y"]) in ("x ⟨A⟩ y", "x ⟨B⟩ y")
        assert streamed(redactor, ["x secret-77", "-and-not y"]) == "x ⟨A⟩-and-not y"

    def test_it_never_holds_back_more_than_a_key_can_be_long(self, redactor: Redactor) -> None:
        stream = StreamRedactor(redactor)
        fed, shown = 0, ""
        for _ in range(60):
            fed += 1000
            shown += stream.feed("?x=" + "a" * 997 if not shown and fed == 1000 else "a" * 1000)
            assert fed - len(shown) <= 16_384
        assert len(shown + stream.close()) == fed

    @settings(max_examples=150, deadline=None)
    @given(st.data())
    def test_pieces_give_what_the_whole_gives(self, data: st.DataObject) -> None:
        redactor = Redactor(KNOWN)
        part = st.one_of(
            st.sampled_from([*KNOWN.values(), *SECRET_SHAPES.values()]),
            st.sampled_from([" ", "\n", "tok7", "sk-", "://u:", "@", "Bearer ", "?token=", "-----BEGIN ", "x"]),
            st.text(max_size=6),
        )
        text = "".join(data.draw(st.lists(part, max_size=6)))
        pieces, position = [], 0
        while position < len(text):
            size = data.draw(st.integers(1, 12))
            pieces.append(text[position : position + size])
            position += size
        shown = streamed(redactor, pieces)
        assert shown == redactor.redact(text)
        assert not any(secret in shown for secret in KNOWN.values())


def streamed(redactor: Redactor, pieces: list[str]) -> str:
    stream = StreamRedactor(redactor)
    return "".join([*(stream.feed(piece) for piece in pieces), stream.close()])


class Foreign(Exception):
    """An error whose words come from an object of its own, as those of HTTP clients do."""

    def __init__(self, url: object) -> None:
        super().__init__()
        self.url = url

    def __str__(self) -> str:
        return f"404 for {self.url!r}"


class Url:
    def __repr__(self) -> str:
        return f"https://host/?key={KNOWN['OTHER_TOKEN']}"


SECRET = KNOWN["OTHER_TOKEN"]


def written(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


class TestException:
    def test_words_notes_attributes_and_causes_are_masked_in_place(self, redactor: Redactor) -> None:
        inner = KeyError({"headers": [("authorization", SECRET), b"x" + SECRET.encode()], SECRET: 1})
        error = ValueError(f"bad key {SECRET}", 7)
        error.add_note(f"sent {SECRET}")
        error.body = f"echo {SECRET}"
        error.__cause__ = inner
        inner.__context__ = FileNotFoundError(2, "No such file", f"/tmp/{SECRET}")
        assert redactor.scrub_exception(error) is error
        assert SECRET not in written(error)
        assert SECRET not in repr(vars(error))
        assert "bad key ⟨OTHER_TOKEN⟩" in written(error)
        assert error.args[1] == 7

    def test_members_of_a_group_are_masked(self, redactor: Redactor) -> None:
        group = ExceptionGroup("two failed", [ValueError(SECRET), ExceptionGroup("more", [KeyError(SECRET)])])
        assert SECRET not in written(redactor.scrub_exception(group))

    def test_an_error_that_points_to_itself_ends(self, redactor: Redactor) -> None:
        first, second = ValueError(SECRET), KeyError(SECRET)
        first.__context__, second.__context__ = second, first
        assert SECRET not in written(redactor.scrub_exception(first))

    def test_an_error_with_foreign_words_is_replaced(self, redactor: Redactor) -> None:
        try:
            raise Foreign(Url())
        except Foreign as error:
            clean, trace = redactor.scrub_exception(error), error.__traceback__
        assert str(clean) == "Foreign: 404 for https://host/?key=⟨OTHER_TOKEN⟩"
        assert clean.__traceback__ is trace
        outer = ValueError("outer")
        outer.__cause__ = Foreign(Url())
        assert redactor.scrub_exception(outer) is outer
        assert SECRET not in written(outer)

    def test_an_error_without_secrets_stays_as_it_is(self, redactor: Redactor) -> None:
        error = OSError(2, "No such file or directory", "/tmp/x")
        args = error.args
        try:
            raise RuntimeError("shown alone") from None
        except RuntimeError as alone:
            suppressed = redactor.scrub_exception(alone).__suppress_context__
        assert suppressed is True
        assert redactor.scrub_exception(error) is error
        assert (error.args, error.filename, str(error)) == (
            args,
            "/tmp/x",
            "[Errno 2] No such file or directory: '/tmp/x'",
        )
