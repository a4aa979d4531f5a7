"""A whole home or disk is worked in only when the person means it, and they are asked once."""

from pathlib import Path

import anyio.to_thread
import pytest

from tah_jupyter.core.errors import TahError
from tah_jupyter.core.questions import Question, Reply
from tah_jupyter.jupyter.place import Place, find_place
from tah_jupyter.jupyter.place_question import folder_question, settle_folder
from tah_jupyter.ui.words import Words

pytestmark = pytest.mark.anyio


async def found(folder: Path) -> Place:
    """The place of a notebook in ``folder``, looked up as at load: off the loop."""
    return await anyio.to_thread.run_sync(find_place, "", folder)


async def must_ask(place: Place) -> bool:
    return await anyio.to_thread.run_sync(lambda: place.must_ask)


class Person:
    """Answers each question with ``key``; none there when it is empty."""

    def __init__(self, key: str, *, remember: bool = False) -> None:
        self._reply = Reply(key, remember) if key else None
        self.asked: list[Question] = []

    async def __call__(self, question: Question) -> Reply | None:
        self.asked.append(question)
        assert self._reply is None or question.offers(self._reply.key)
        return self._reply


async def test_a_project_is_never_asked_about(home: Path) -> None:
    (home / "churn").mkdir()
    place, person = await found(home / "churn"), Person("")
    assert await settle_folder(place, person, Words()) == place
    assert person.asked == []


async def test_who_means_it_is_asked_once_in_this_kernel(home: Path) -> None:
    person = Person("use")
    settled = await settle_folder(await found(home), person, Words())
    assert settled is not None
    assert await settle_folder(settled, person, Words()) == settled
    assert len(person.asked) == 1
    assert await settle_folder(await found(home), Person("cancel"), Words()) is None


async def test_a_remembered_answer_holds_in_every_kernel_for_that_folder_alone(home: Path) -> None:
    await settle_folder(await found(home), Person("use", remember=True), Words())
    assert not await must_ask(await found(home))
    assert await must_ask(Place(Path("/")))


async def test_where_nobody_can_answer_it_is_said_what_to_do(home: Path) -> None:
    with pytest.raises(TahError) as caught:
        await settle_folder(await found(home), Person(""), Words())
    assert caught.value.message == (
        "Work in your whole home folder? This must be answered, and nobody can answer here."
    )
    assert "%tah folder PATH" in caught.value.next_step


@pytest.mark.parametrize(
    ("language", "title"), [("en", "Work in your whole home folder?"), ("zh", "在你的整个主目录中工作？")]
)
async def test_the_question_says_what_it_would_open_and_how_to_choose_another(
    home: Path, language: str, title: str
) -> None:
    place = await found(home)
    question = await anyio.to_thread.run_sync(folder_question, place, Words(language))
    assert question.title == title
    assert any("~" in line for line in question.about)
    assert any("%tah folder PATH" in line for line in question.about)
    assert [choice.key for choice in question.choices] == ["use", "cancel"]
