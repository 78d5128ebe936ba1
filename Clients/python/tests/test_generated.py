"""The committed files are those that generate.py writes."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

import generate
import pushpit
from pushpit import aio


def test_a_second_generation_changes_nothing(program: Path) -> None:
    made = generate.generated(str(program))
    assert len(made) > 5
    for path, text in made.items():
        assert path.read_text() == text, f"Run PUSHPIT_BINARY=FILE Clients/python/generate.py: {path} is another."


def test_nothing_that_is_generated_is_left_from_another_time(program: Path) -> None:
    by_hand = {"__init__.py", "io.py"}
    found = {path for path in (generate.PACKAGE / "blocking").glob("*.py") if path.name not in by_hand}
    assert found == {path for path in generate.generated(str(program)) if path.parent.name == "blocking"}


@pytest.mark.parametrize("name", ["Pushpit", "Session", "Phone", "Fault", "Clock"])
def test_the_classes_of_both_halves_have_the_same_members(name: str) -> None:
    swapped = {"__aenter__": "__enter__", "__aexit__": "__exit__"}
    awaited = {swapped.get(each, each) for each in vars(getattr(aio, name))}
    assert awaited == set(vars(getattr(pushpit, name)))


def test_both_halves_have_the_same_names() -> None:
    def names(module: ModuleType) -> list[str]:
        return [name for name, value in vars(module).items() if name[0] != "_" and not isinstance(value, ModuleType)]

    assert sorted(names(aio)) == sorted(names(pushpit))
