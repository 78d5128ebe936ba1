"""The commands of each guide, typed in their order: they succeed, and print what the page shows."""

from pathlib import Path

import pytest

import guides
from guides import Reader, blocks
from program import REPOSITORY

pytestmark = pytest.mark.tools

SMALL = ("--for-tests", "--fleet", "100", "--token-requests-per-second", "0")
RUN = {
    "Examples/courier/README.md": None,
    "Examples/cricket/README.md": None,
    "README.md": None,
    "Scenarios/failures/README.md": None,
    "docs/admin-api.md": SMALL,
    "docs/analysis.md": None,
    "docs/broadcasts.md": None,
    "docs/cells.md": None,
    "docs/certificates.md": SMALL,
    "docs/ci.md": None,
    "docs/configuration.md": None,
    "docs/faults.md": SMALL,
    "docs/first-push.md": None,
    "docs/hunting.md": None,
    "docs/live-activities.md": None,
    "docs/load.md": None,
    "docs/report.md": None,
    "docs/sessions.md": SMALL,
    "docs/tapes.md": None,
    "docs/tick.md": None,
    "docs/watching.md": SMALL,
}
"""Pages whose commands are run here, with the flags of the server that a page takes for granted."""
ELSEWHERE = {
    "Clients/node/README.md": "Clients/node/test/readme.test.js",
    "Scenarios/README.md": "Tests/WireTests/test_scenarios.py",
    "docs/200-and-nothing.md": "Tests/WireTests/test_200_and_nothing.py",
    "docs/apples-host.md": "Tests/PackageTests/test_apples_host.py",
    "docs/backend.md": "Tests/WireTests/test_backend_document.py",
    "docs/clients.md": "Tests/WireTests/test_clients_document.py",
    "docs/install.md": "Tests/PackageTests/test_wheel.py",
    "docs/profiles.md": "Tests/WireTests/test_profiles_document.py",
    "docs/testing-with-python.md": "Clients/python/tests/test_documents.py",
    "docs/testing-with-swift.md": "Tests/PackageTests/test_swift_package.py",
}
"""Pages that have a test of their own."""
NOT_RUN = {
    "CONTRIBUTING.md": "its commands build, test and release these sources",
    "Tests/Mutants/README.md": "make mutants builds the sources fifty times",
}


@pytest.fixture
def reader(tmp_path: Path):
    reader = Reader(tmp_path)
    yield reader
    reader.stop()


@pytest.mark.parametrize("page", RUN)
def test_the_commands_of_a_guide_do_what_it_shows(reader, page):
    for block in blocks(page):
        if "." in block.name:
            (reader.home / block.name).write_text(block.text)
    if RUN[page] is not None:
        reader.serve(*RUN[page])
    count = 0
    for block in blocks(page, "sh"):
        if block.reason is not None:
            continue
        count += 1
        code, said = reader.run(block)
        assert (code != 0) == (block.name == "fails"), f"{page}:{block.line} exits with {code}:\n{said}"
        if block.shown is not None:
            wanting = guides.missing(reader.here(block.shown), said)
            assert wanting == [], f"{page}:{block.line} does not print {wanting}, but:\n{said}"
    assert count > 0


def test_every_page_with_commands_is_run_or_says_why_not():
    with_commands = {page for page in guides.pages() if blocks(page, "sh")}
    known = {*RUN, *NOT_RUN, *ELSEWHERE}
    assert with_commands - known == set(), "add them to RUN"
    assert known - with_commands == set()
    for page in with_commands:
        for block in blocks(page, "sh"):
            assert block.reason is None or len(block.reason.split()) >= 4, f"{page}:{block.line} gives no reason"


def test_a_page_says_before_its_commands_that_they_need_a_clone_or_packages():
    for page in sorted(page for page in guides.pages() if page.startswith(("docs/", "Scenarios/"))):
        text = (REPOSITORY / page).read_text()
        for needed, says in [("Scenarios/", "clone"), ("run Scenarios/failures/", "Examples/cricket/requirements.txt")]:
            first = next((block for block in blocks(page, "sh") if f" {needed}" in f" {block.text}"), None)
            before = "\n".join(text.splitlines()[: first.line]) if first else says
            assert says in before, f"{page}: nothing above {needed} says {says}"


@pytest.mark.parametrize("page", ELSEWHERE)
def test_a_page_with_a_test_of_its_own_is_named_there(page):
    text = (REPOSITORY / ELSEWHERE[page]).read_text()
    assert Path(page).name in text


def test_a_command_that_fails_and_output_that_differs_are_noticed(reader):
    def block(text: str) -> guides.Block:
        return guides.Block("sh", "", text, 1, None, None)

    assert reader.run(block("false\ntrue\n"))[0] == 1
    assert reader.run(block("kept=yes\n"))[0] == 0
    assert reader.run(block('echo "$kept"\n')) == (0, "yes\n")
    assert guides.missing("a…c\nd\n", "abc\nd\n") == []
    assert guides.missing("at 09:41:00.…", "at 23:59:59.1\n") == []
    assert guides.missing("at 09:41:00", "at noon\n") == ["at 09:41:00"]
    assert guides.missing("d\na…c\n", "abc\nd\n") == ["a…c"]
    assert guides.steps("a\npushpit serve --x &\nb \\\nc\n") == ["a\n", "pushpit serve --x &", "b \\\nc\n"]
