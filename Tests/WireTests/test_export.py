"""`pushpit export`: the tables of a run. services/test_databases.py asks databases about them."""

import csv
import json
import re
from pathlib import Path

import pytest

import guides
from program import REPOSITORY
from test_tape import OPENING, frame, frames

pytestmark = pytest.mark.tools

PAGE = "docs/analysis.md"
TABLES = ("pushes", "events", "calls", "findings")
STORM = REPOSITORY / "Scenarios/retry-storm.yaml"


@pytest.fixture
def export(fails, tmp_path):
    """Exports a tape as CSV; gives what was printed, and the rows of each table."""

    def export(tape: Path, code: int = 0) -> tuple[str, dict[str, list[dict]]]:
        folder = tmp_path / "tables"
        result = fails("export", str(tape), "--csv", str(folder))
        assert result.returncode == code and not result.stdout, result.stdout + result.stderr
        return result.stderr, {name: rows(folder / f"{name}.csv") for name in TABLES}

    return export


def rows(path: Path) -> list[dict]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def storm(tmp_path_factory):
    """The tape of a shipped scenario, with refusals, and phones that are offline for a time."""
    from program import run

    home = tmp_path_factory.mktemp("storm")
    tape = home / "run.tape"
    result = run("simulate", str(STORM), "--tape", str(tape), home=home)
    assert result.returncode == 0, result.stdout + result.stderr
    return tape


def test_the_tables_have_every_event_of_the_tape(storm, export, fails, tmp_path):
    said, tables = export(storm)
    lines = tmp_path / "events"
    assert fails("replay", str(storm), "--events", str(lines)).returncode == 0
    events = [json.loads(line) for line in lines.read_text().splitlines()]
    pushes = [e for e in events if e["event"] == "push"]
    others = [e for e in events if e["event"] not in ("push", "call", "callEnded")]
    assert len(pushes) > 300 and len(others) > 200
    for table, found in (("pushes", pushes), ("events", others)):
        assert len(tables[table]) == len(found) and f"{len(found)} {table}" in said
    for row, event in zip(tables["pushes"], pushes, strict=True):
        assert (row["push"], row["at_utc"], row["apns_id"]) == (str(event["sequence"]), event["at"], event["apnsId"])
        assert (row["status"], row["fate"], row["device"]) == (str(event["status"]), event["fate"], event["device"])
        assert row["reason"] == (event["reason"] or "") and row["causes"] == ",".join(event["causes"])
    for row, event in zip(tables["events"], others, strict=True):
        details = json.loads(row["details"] or "{}")
        for name, value in event.items():
            column = {"at": "at_utc", "kind": "kind" if "kind" in details else "token_kind"}.get(name, name)
            found = row[column] if column in row else details[name]
            assert found == (str(value) if column in row else value), f"{name} of {event}"
    assert "same: all results are identical" in said


def test_lines_of_json_have_the_same_rows(storm, export, fails):
    _, tables = export(storm)
    result = fails("export", str(storm), "--jsonl", "-")
    assert result.returncode == 0 and "exported: " in result.stderr
    found = {name: [] for name in TABLES}
    for line in result.stdout.splitlines():
        row = json.loads(line)
        found[row.pop("table")].append({k: "" if v is None else str(v) for k, v in row.items()})
    assert found == tables


def test_a_cut_tape_exports_what_there_is_and_says_so(storm, export, tmp_path):
    whole, cut = storm.read_bytes(), tmp_path / "cut.tape"
    _, tables = export(storm)
    payloads = frames(whole)
    sizes = [len(frame(payload)) for payload in payloads]
    # In the middle of the last record with pushes: records are of different sizes.
    last = max(range(len(sizes)), key=lambda place: (sizes[place] > 1000, place))
    cut.write_bytes(whole[: len(OPENING) + sum(sizes[:last]) + 50])
    said, half = export(cut, 3)
    assert "the tape is truncated" in said and f"{len(half['pushes'])} pushes" in said
    assert 0 < len(half["pushes"]) < len(tables["pushes"])
    assert half["pushes"] == tables["pushes"][: len(half["pushes"])]
    assert half["events"] == tables["events"][: len(half["events"])]
    cut.write_bytes(whole[: len(OPENING) + 8 + len(frames(whole)[0])])
    said, none = export(cut, 3)
    assert not any(none.values()) and "0 pushes" in said


def test_what_cannot_be_exported_is_told_and_makes_nothing(fails, storm, tmp_path):
    other, folder = tmp_path / "other", tmp_path / "tables"
    for text, said in (
        ("pushpit tape 1\n....", "a tape of format 1, but this program"),
        ("name: story\n", "is not a Pushpit tape"),
    ):
        other.write_text(text)
        result = fails("export", str(other), "--csv", str(folder))
        assert result.returncode == 2 and said in result.stderr and not folder.exists()
    for flags in ([], ["--csv", str(folder), "--jsonl", "-"]):
        result = fails("export", str(storm), *flags)
        assert result.returncode == 2 and "--jsonl FILE, - for standard output, or --csv FOLDER" in result.stderr
    result = fails("export", str(storm), "--csv", str(other))
    assert result.returncode == 2 and str(other) in result.stderr and "Not a directory" in result.stderr
    result = fails("export", str(storm), "--csv", str(tmp_path / "no/such"))
    assert result.returncode == 2 and "No such file" in result.stderr
    result = fails("export", str(storm), "--jsonl", "/dev/full")
    assert result.returncode == 2 and "/dev/full cannot be written: No space left" in result.stderr


def test_the_guide_lists_the_columns_of_the_tables(storm, export, tmp_path):
    export(storm)
    schema = (tmp_path / "tables/schema.sql").read_text()
    made = {
        table: re.findall(r"^  (\w+) (\w+),?  -- (.*)$", block, re.M)
        for table, block in re.findall(r"CREATE TABLE (\w+) \((.*?)\n\);", schema, re.S)
    }
    page = guides.read(PAGE)
    shown = {
        table: re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", block, re.M)
        for table, block in re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", page, re.S | re.M)
    }
    assert made.keys() == set(TABLES) and shown == made
