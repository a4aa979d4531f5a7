"""Keys: where they come from, where they are kept, and where they never stand."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null

from tah_jupyter.host.secrets.keys import Keys, clean_key
from tah_jupyter.host.secrets.system_keyring import SERVICE, forget, keep, recall
from tests.support.keyrings import MemoryKeyring, OpenFile, StuckKeyring

NAME, KEY = "ANTHROPIC_API_KEY", "sk-ant-api03-Qx81mZr7vLp40TtW"

pytestmark = pytest.mark.anyio


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    before, backend = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(backend)
    yield backend
    keyring.set_keyring(before)


async def made(home: Path, **more: str) -> Keys:
    """The keys of a new kernel; it looks for names in the state folder, so not on a loop."""
    return await anyio.to_thread.run_sync(Keys, {"HOME": str(home), **more})


@pytest.mark.parametrize(
    ("typed", "key"),
    [
        (f"  {KEY}\r\n", KEY),
        (f"export {NAME}={KEY}", ""),
        ("sk-\u200bant", ""),
        ("ключ", ""),
        ("a\tb", ""),
        ("a\x1b[D", ""),
        ("", ""),
        ("  ", ""),
        ("k" * 100_000, ""),
    ],
)
def test_what_is_typed_is_a_key_only_when_it_is_one_visible_ascii_word(typed: str, key: str) -> None:
    assert clean_key(typed) == key


async def test_a_kept_key_is_in_the_keyring_and_only_its_name_is_on_the_disk(home: Path, memory: MemoryKeyring) -> None:
    keys = await made(home)
    assert await keep(keys, NAME, KEY) == ""
    assert memory.entries == {(SERVICE, NAME): KEY}
    assert (keys[NAME], keys.place_of(NAME)) == (KEY, "keyring")
    files = [path for path in home.rglob("*") if path.is_file()]
    assert [(path.name, path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files] == [(NAME, b"", 0o600)]
    assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700


async def test_the_next_kernel_knows_of_a_kept_key_before_it_asks_the_keyring(
    home: Path, memory: MemoryKeyring
) -> None:
    await keep(await made(home), NAME, KEY)
    keys = await made(home)
    assert keys.place_of(NAME) == "keyring"
    assert NAME not in keys
    assert keys.with_unread()[NAME] not in ("", KEY)
    assert await recall(keys) == ""
    assert keys[NAME] == KEY


def test_knowing_of_a_kept_key_imports_no_keyring_and_opens_no_socket(home: Path) -> None:
    marks = home / ".local" / "state" / "tah" / "keyring"
    marks.mkdir(parents=True)
    (marks / NAME).touch()
    code = (
        "import sys; deeds = []; sys.addaudithook(lambda event, _: deeds.append(event))\n"
        "from tah_jupyter.host.secrets.keys import Keys\n"
        f"print(Keys().place_of({NAME!r}), 'keyring' in sys.modules, 'anyio' in sys.modules, 'socket.__new__' in deeds)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["keyring", "False", "False", "False"]


async def test_an_entry_that_is_gone_from_the_keyring_is_forgotten(home: Path, memory: MemoryKeyring) -> None:
    await keep(await made(home), NAME, KEY)
    memory.entries.clear()
    keys = await made(home)
    assert await recall(keys) == ""
    assert keys.place_of(NAME) == ""
    assert (await made(home)).place_of(NAME) == ""


async def test_a_keyring_that_cannot_be_read_is_said_once_and_not_asked_again(
    home: Path, memory: MemoryKeyring
) -> None:
    await keep(await made(home), NAME, KEY)
    keyring.set_keyring(fail.Keyring())  # type: ignore[no-untyped-call]
    keys = await made(home)
    assert [await recall(keys), await recall(keys)] == ["no_keyring", ""]
    assert NAME not in keys
    assert keys.place_of(NAME) == "keyring", "it may be there after a restart"


async def test_forgetting_takes_a_key_out_of_kernel_and_keyring(home: Path, memory: MemoryKeyring) -> None:
    keys = await made(home)
    await keep(keys, NAME, KEY)
    assert await forget(keys, NAME) == ""
    assert memory.entries == {}
    assert keys.get(NAME) is None
    assert (await made(home)).remembered == frozenset()


@pytest.mark.parametrize("backend", [fail.Keyring, null.Keyring, OpenFile])
async def test_without_a_keyring_that_a_system_guards_a_key_lasts_until_the_kernel_restarts(
    backend: type[KeyringBackend], home: Path, memory: MemoryKeyring
) -> None:
    keyring.set_keyring(backend())
    keys = await made(home)
    assert await keep(keys, NAME, KEY) == "no_keyring"
    assert (keys[NAME], keys.place_of(NAME)) == (KEY, "kernel")
    assert (await made(home)).place_of(NAME) == ""


async def test_without_the_package_a_key_lasts_until_the_kernel_restarts(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)  # how Python marks a module that cannot be imported
    keys = await made(home)
    assert await keep(keys, NAME, KEY) == "no_package"
    assert keys[NAME] == KEY


async def test_a_keyring_that_hangs_is_left_behind(home: Path, memory: MemoryKeyring) -> None:
    released = threading.Event()
    keyring.set_keyring(StuckKeyring(released))
    keys = await made(home)
    try:
        with anyio.fail_after(15):
            assert await keep(keys, NAME, KEY, limit_s=0.05) == "failed"
    finally:
        released.set()
    assert keys.place_of(NAME) == "kernel"


async def test_a_typed_key_goes_before_the_environment_which_goes_before_the_keyring(
    home: Path, memory: MemoryKeyring
) -> None:
    await keep(await made(home), NAME, KEY)
    keys = await made(home, **{NAME: "from-the-shell-1"})
    await recall(keys)
    assert (keys[NAME], keys.place_of(NAME)) == ("from-the-shell-1", "environment")
    assert await keep(keys, NAME, "typed-just-now-2") == "environment", "after a restart the shell's would hold again"
    assert (keys[NAME], keys.place_of(NAME)) == ("typed-just-now-2", "kernel")
    assert memory.entries[SERVICE, NAME] == KEY


def test_the_environment_counts_as_it_is_now(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = Keys()
    assert NAME not in keys
    monkeypatch.setenv(NAME, KEY)
    assert keys[NAME] == KEY
    assert set(keys) == set(os.environ)
    assert len(keys) == len(os.environ)


async def test_a_new_key_is_told_to_whoever_masks_secrets(home: Path, memory: MemoryKeyring) -> None:
    await keep(await made(home), NAME, KEY)
    keys, told = await made(home), dict[str, str]()
    stop = keys.on_new(told.__setitem__)
    await recall(keys)
    keys.type_in("OTHER_API_KEY", "another-key-77")
    stop()
    keys.type_in("THIRD_API_KEY", "a-third-key-88")
    assert told == {NAME: KEY, "OTHER_API_KEY": "another-key-77"}


async def test_no_value_is_in_what_keys_say_of_themselves(home: Path, memory: MemoryKeyring) -> None:
    keys = await made(home)
    await keep(keys, NAME, KEY)
    keys.type_in("OTHER_API_KEY", "another-key-77")
    assert KEY not in repr(keys)
    assert "another-key-77" not in f"{keys}"
    assert NAME in repr(keys)


@pytest.mark.parametrize(("name", "key"), [("../x", KEY), ("", KEY), (NAME, "two words"), (NAME, "")])
async def test_what_is_no_variable_or_no_key_is_refused(name: str, key: str, home: Path) -> None:
    with pytest.raises(ValueError, match="no variable") as caught:
        await keep(await made(home), name, key)
    assert "two words" not in str(caught.value)
