"""Every promise of docs/behavior is played: each section has a row, and what the row names must appear.

behavior.py has the form of the rows, in the folder `behavior`. Sections that only introduce others need none.
"""

import json
import re

import pytest

from behavior import PAGES, PLACES, REPORTED, ROWS, Row, Seen, headings, missing, nested, play, rows
from failures import ALL as FAILURES
from failures import FOLDER
from program import REPOSITORY, Pushpit

ALL = [row for path in sorted(ROWS.glob("*.yaml")) for row in rows(path)]
PLAYED = sorted((row for row in ALL if row.is_played), key=lambda row: json.dumps(row.settings, sort_keys=True))
"""In the order of their settings, so that rows of the same settings share a server."""

WRONG = "no such word"


@pytest.fixture(scope="module")
def serving(tmp_path_factory):
    """The server with those settings: the last one, if it has them."""
    running: dict[str, Pushpit] = {}
    base = tmp_path_factory.mktemp("pages")

    def with_settings(settings: dict) -> Pushpit:
        key = json.dumps(nested(settings), sort_keys=True)
        if key not in running:
            while running:
                running.popitem()[1].stop()
            running[key] = Pushpit(state=base / "state", home=base / "home", config=key)
        return running[key]

    yield with_settings
    for server in running.values():
        server.stop()


@pytest.mark.parametrize("row", PLAYED, ids=str)
def test_what_a_section_promises_appears(serving, row: Row):
    server = serving(row.settings)
    play(server, row)
    seen = Seen(server)
    assert missing(seen, row.appears) == [], json.dumps(
        [
            {key: push[key] for key in ("reason", "fate", "reaction", "why")}
            | {"story": [(line.get("cause"), line["sentence"]) for line in push["story"]]}
            for push in seen.pushes[:5]
        ],
        indent=1,
    )
    # Each place, looked at in the same way, lacks a word that is wrong.
    wrong = [{place: WRONG} for pair in row.appears for place in pair]
    assert missing(seen, wrong) == wrong


def test_a_wrong_word_of_an_expectation_or_an_answer_fails(serving):
    alert = {"push": {"payload": {"aps": {"alert": "A"}}}}
    scenario = {"steps": [alert], "expect": [{"pushes": {}, "all": {"cause": "shown"}}]}
    right = Row("control", {"section": "control", "scenario": scenario, "requests": [{"push": "d0", "payload": {}}]})
    server = serving(right.settings)
    play(server, right)
    wrong = scenario | {"expect": [{"pushes": {}, "all": {"cause": "focus"}}]}
    for change in ({"scenario": wrong}, {"requests": [{"push": "d0", "payload": {}, "status": 400}]}):
        with pytest.raises(AssertionError):
            play(server, Row("control", right.fields | change))


@pytest.mark.parametrize("page", sorted(path.stem for path in PAGES.glob("*.md")))
def test_each_section_of_a_page_has_a_row(page):
    named = {row.section for row in ALL if row.page == page}
    assert [section for section, heading in headings(page).items() if heading.has_text and section not in named] == []


@pytest.mark.parametrize("row", ALL, ids=str)
def test_a_row_names_a_section_and_what_must_appear(row: Row):
    assert row.section in headings(row.page)
    assert set(row.fields) <= set(Row.KEYS), f"no such keys: {set(row.fields) - set(Row.KEYS)}"
    places = REPORTED if "failure" in row.fields else PLACES
    assert [place for pair in row.appears for place in pair if place not in places] == []
    if row.is_played:
        assert row.proofs and all(pair for pair in row.appears), "nothing must appear"
    elif "failure" in row.fields:
        case = FOLDER / f"{row.fields['failure']}.yaml", row.fields["bug"]
        assert row.appears and case in [(case.file, case.bug) for case in FAILURES]
    elif "test" in row.fields:
        file, _, function = row.fields["test"].partition("::")
        assert re.search(rf"\b(def|func) {function}\(", (REPOSITORY / "Tests" / file).read_text())
    else:
        assert len(row.fields["unplayed"].split()) >= 3 and "appears" not in row.fields, "say why"


def test_there_are_rows():
    assert len(PLAYED) >= 200 and len({str(row) for row in ALL}) == len(ALL)
