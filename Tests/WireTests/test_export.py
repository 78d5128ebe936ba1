"""`pushpit export`: the tables of a run, and the questions of docs/analysis.md about them."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

import guides
from backend import Backend
from program import ALERT, BINARY, REPOSITORY, SMOOTH, live_activity
from tapes import OPENING, frame, frames

pytestmark = pytest.mark.tools

PAGE = "docs/analysis.md"
TABLES = ("pushes", "events", "calls", "findings")
STORM = REPOSITORY / "Scenarios/retry-storm.yaml"
CRICKET = "com.sightscreen.app"


@pytest.fixture
def export(fails, tmp_path):
    """Exports a tape into the file run.sqlite; gives what was printed, and the rows of each table."""

    def export(tape: Path, code: int = 0) -> tuple[str, dict[str, list[dict]]]:
        file = tmp_path / "run.sqlite"
        result = fails("export", str(tape), "--sqlite", str(file))
        assert result.returncode == code and not result.stdout, result.stdout + result.stderr
        return result.stderr, {name: query(file, f"SELECT * FROM {name}") for name in TABLES}

    return export


def query(file: Path, sql: str) -> list[dict]:
    with closing(sqlite3.connect(file)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute(sql)]


def column(file: Path, sql: str) -> list:
    return [next(iter(row.values())) for row in query(file, sql)]


@pytest.fixture(scope="module")
def storm(tmp_path_factory):
    """The tape of a shipped scenario, with refusals, and phones that are offline for a time."""
    from program import run

    home = tmp_path_factory.mktemp("storm")
    tape = home / "run.tape"
    result = run("simulate", str(STORM), "--tape", str(tape), home=home)
    assert result.returncode == 0, result.stdout + result.stderr
    return tape


@pytest.fixture(scope="module")
def long_tape(tmp_path_factory):
    """The tape of nine hours, with more than 50,000 pushes."""
    from program import run

    home = tmp_path_factory.mktemp("long")
    story, tape = home / "story.yaml", home / "run.tape"
    text = (REPOSITORY / "Benchmarks/Scenarios/nine-hours.yaml").read_text()
    story.write_text(text.replace("fleet: {devices: 10000,", "fleet: {devices: 100,"))
    # Its expectations are of more devices.
    run("simulate", str(story), "--tape", str(tape), home=home)
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
        assert (row["push"], row["at_utc"], row["apns_id"]) == (event["sequence"], event["at"], event["apnsId"])
        assert (row["status"], row["fate"], row["device"]) == (event["status"], event["fate"], event["device"])
        assert row["reason"] == event["reason"] and (row["causes"] or "") == ",".join(event["causes"])
    for row, event in zip(tables["events"], others, strict=True):
        details = json.loads(row["details"] or "{}")
        for name, value in event.items():
            where = {"at": "at_utc", "kind": "kind" if "kind" in details else "token_kind"}.get(name, name)
            assert (row[where] if where in row else details[name]) == value, f"{name} of {event}"
    assert "same: all results are identical" in said


def test_lines_of_json_have_the_same_rows(storm, export, fails):
    _, tables = export(storm)
    result = fails("export", str(storm), "--jsonl", "-")
    assert result.returncode == 0 and "exported: " in result.stderr
    found = {name: [] for name in TABLES}
    for line in result.stdout.splitlines():
        row = json.loads(line)
        found[row.pop("table")].append(row)
    assert found == tables


def test_the_tables_have_the_numbers_of_the_report(storm, export, fails):
    _, tables = export(storm)
    result = fails("report", str(storm), "--json", "-")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert len(tables["pushes"]) == report["pushes"]["total"]
    assert Counter((row["status"], row["reason"]) for row in tables["pushes"]) == {
        (answer["status"], answer["reason"]): answer["count"] for answer in report["pushes"]["answers"]
    }
    assert sum(map(len, tables.values())) - len(tables["findings"]) == report["run"]["events"]


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
    other, file = tmp_path / "other", tmp_path / "run.sqlite"
    for text, said in (
        ("pushpit tape 1\n....", "a tape of format 1, but this program"),
        ("name: story\n", "is not a Pushpit tape"),
    ):
        other.write_text(text)
        result = fails("export", str(other), "--sqlite", str(file))
        assert result.returncode == 2 and said in result.stderr and not file.exists()
    for flags in ([], ["--sqlite", str(file), "--jsonl", "-"], ["--sqlite", "-"]):
        result = fails("export", str(storm), *flags)
        assert result.returncode == 2 and "--sqlite FILE, or --jsonl FILE, - for standard output" in result.stderr
    for flag in ("--sqlite", "--jsonl"):
        for path, said in (
            (tmp_path, "Is a directory"),
            (tmp_path / "no/such", "No such file or directory"),
            (other / "file", "Not a directory"),
            (Path("/proc/run.sqlite"), "No such file or directory"),
            (Path("/dev/full"), "No space left on device"),
        ):
            result = fails("export", str(storm), flag, str(path))
            assert result.returncode == 2 and f"{path} cannot be written: {said}." in result.stderr, result.stderr


def test_an_export_replaces_nothing_but_an_export(fails, storm, export, tmp_path):
    file = tmp_path / "run.sqlite"
    for make in (lambda: file.write_text("name: story\n"), lambda: column(file, "CREATE TABLE mine (x)")):
        make()
        before = file.read_bytes()
        result = fails("export", str(storm), "--sqlite", str(file))
        assert result.returncode == 2 and result.stderr == (
            f"Error: {file} is not an earlier export of Pushpit, so it was left unchanged.\n"
        )
        assert file.read_bytes() == before
        file.unlink()
    file.touch()
    _, tables = export(storm)
    with closing(sqlite3.connect(file)) as database:
        database.executescript("CREATE VIEW mine AS SELECT * FROM pushes; INSERT INTO pushes SELECT * FROM pushes")
        database.commit()
    size = file.stat().st_size
    assert export(storm)[1] == tables and file.stat().st_size < size
    assert len(query(file, "SELECT * FROM mine")) == len(tables["pushes"])


@pytest.mark.parametrize("name", [":memory:", "file:elsewhere.sqlite", "file:run.sqlite?mode=memory"])
def test_the_name_of_a_file_is_no_more_than_that(storm, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = subprocess.run([BINARY, "export", storm, "--sqlite", name], capture_output=True, timeout=60)
    assert result.returncode == 0 and [file.name for file in tmp_path.iterdir()] == [name]
    assert column(tmp_path / name, "SELECT COUNT(*) FROM pushes")[0] > 300


@pytest.mark.parametrize("beside", ["run.sqlite-journal", "run.sqlite-wal"])
def test_a_new_export_takes_no_file_for_its_journal(fails, storm, tmp_path, beside):
    (tmp_path / beside).write_text("mine")
    result = fails("export", str(storm), "--sqlite", str(tmp_path / "run.sqlite"))
    assert result.returncode == 2 and f"{beside} exists" in result.stderr, result.stderr
    assert not (tmp_path / "run.sqlite").exists() and (tmp_path / beside).read_text() == "mine"


def test_an_export_keeps_a_file_of_one_byte_and_tables_that_nothing_replaces(fails, storm, export, tmp_path):
    file, cut = tmp_path / "run.sqlite", tmp_path / "cut.tape"
    file.write_text("x")
    assert fails("export", str(storm), "--sqlite", str(file)).returncode == 2 and file.read_text() == "x"
    file.unlink()
    _, tables = export(storm)
    cut.write_bytes(storm.read_bytes()[: len(OPENING) + 50])
    assert export(cut, 3)[1] == tables


@pytest.mark.parametrize("earlier", [False, True])
def test_an_interrupted_export_leaves_the_file_as_it_was(long_tape, storm, export, tmp_path, earlier):
    file = tmp_path / "run.sqlite"
    tables = export(storm)[1] if earlier else None
    with subprocess.Popen(
        [BINARY, "export", long_tape, "--sqlite", file], stderr=subprocess.PIPE, text=True
    ) as process:
        journal = tmp_path / "run.sqlite-journal"
        for _ in range(3000):
            if journal.exists() or process.poll() is not None:
                break
            threading.Event().wait(0.01)  # nothing to await: SQLite tells nobody that it has begun
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "interrupted" in said, said
    assert not journal.exists() and file.exists() == earlier
    if earlier:
        assert {name: query(file, f"SELECT * FROM {name}") for name in TABLES} == tables


def test_a_file_that_another_program_reads_is_told(fails, storm, export, tmp_path):
    export(storm)
    file = tmp_path / "run.sqlite"
    with closing(sqlite3.connect(file)) as database:
        database.execute("BEGIN").execute("SELECT * FROM pushes").fetchone()
        result = fails("export", str(storm), "--sqlite", str(file))
    assert result.returncode == 2 and result.stderr == f"Error: {file} is in use by another program.\n"


def test_a_full_disk_loses_nothing(storm, export, tmp_path):
    _, tables = export(storm)
    small = tmp_path / "small"
    # A limit on the size of files stands in for a disk: 8 blocks of 1,024 bytes.
    limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" "$@"'
    for file in (tmp_path / "run.sqlite", small):
        command = ["bash", "-c", limited, str(BINARY), "export", str(storm), "--sqlite", str(file)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert result.returncode == 2 and f"{file} cannot be written: " in result.stderr, result.stderr
    assert not small.exists() and not list(tmp_path.glob("*-journal"))
    assert query(tmp_path / "run.sqlite", "SELECT * FROM pushes") == tables["pushes"]


def test_a_long_tape_needs_no_more_memory_than_its_replay(long_tape, tmp_path):
    def kilobytes(*words: str) -> int:
        process = subprocess.Popen([BINARY, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return usage.ru_maxrss

    alone = kilobytes("replay", str(long_tape))
    file = tmp_path / "run.sqlite"
    for flags in (("--sqlite", str(file)), ("--jsonl", "/dev/null")):
        assert kilobytes("export", str(long_tape), *flags) < alone + 16 * 1024
    # Kept in memory, they would be more than that.
    assert column(file, "SELECT COUNT(*) FROM pushes") > [50_000] and file.stat().st_size > 32 << 20


def test_the_guide_lists_the_columns_of_the_tables(storm, export, tmp_path):
    export(storm)
    made = {
        table: re.findall(r"^  (\w+) (\w+),?  -- (.*)$", sql, re.M)
        for sql in column(tmp_path / "run.sqlite", "SELECT sql FROM sqlite_schema WHERE type = 'table'")
        for table in re.findall(r"CREATE TABLE (\w+)", sql)
    }
    page = guides.read(PAGE)
    shown = {
        table: re.findall(r"^\| `(\w+)` \| (\w+) \| (.*) \|$", block, re.M)
        for table, block in re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", page, re.S | re.M)
    }
    assert made.keys() == set(TABLES) and shown == made


def test_the_questions_of_the_guide_are_answered(pushpit, export, tmp_path):
    """A served run with two connections, refusals, a repeated payload, an offline phone and calls of apps."""
    backend = Backend()
    tape = tmp_path / "run.tape"
    server = pushpit(
        *SMOOTH, "--fleet", "6", "--clock", "manual", "--profile", "sightscreen", "--backend", backend.url,
        "--set", "reports.opensWithin=0s", "--tape", str(tape),
    )  # fmt: skip
    try:
        backend.wait_for("POST /devices", 3)
        tokens = {t.device: t for t in server.tokens("device", CRICKET)}
        first, second, *others = tokens.values()
        server.act(second.device, "goOffline")
        with server.wire() as one, server.wire() as two:
            for wire, token in ((one, first), (one, second), (two, others[0])):
                assert server.push(token, ALERT, wire=wire).verdict == (200, None)
            assert server.push(first, ALERT, wire=two).verdict == (200, None)
            fault = {"name": "storm", "when": {"devices": [first.device]}, "then": {"answer": "TooManyRequests"}}
            assert server.admin.post("/v1/faults", json=fault).status_code in (200, 201)
            for _ in range(3):
                assert server.push(first, b'{"aps":{"alert":"a,\\"b\\"\\nc"}}', wire=one).verdict[0] == 429
            assert server.admin.post("/v1/reset").status_code in (200, 204)
            server.advance("90s")
            server.act(second.device, "goOnline")
            activity, _ = server.start_activity(CRICKET, "MatchAttributes", device=others[0].device)
            server.push(activity, live_activity(timestamp=server.clock()["unixMilliseconds"] // 1000), wire=two)
            server.act(others[1].device, "uninstall", app=CRICKET)
            assert server.push(others[1], ALERT, wire=two).verdict == (200, None)
            server.advance("25h")
            for _ in range(2):
                assert server.push(others[1], ALERT, wire=two).verdict == (410, "Unregistered")
        ledger = list(server.pages("/v1/pushes", "pushes"))
    finally:
        server.stop()
        backend.close()
    export(tape)
    questions = re.findall(r"^\d+\. ([^?\n]*)\?[^\n]*\n\n   ```sql\n(.*?)^   ```$", guides.read(PAGE), re.S | re.M)
    given = {}
    for question, sql in questions:
        given[question] = [tuple(row.values()) for row in query(tmp_path / "run.sqlite", sql)]
        assert given[question] or "update token" in question, question
    assert len(given) == 10
    fates = Counter()
    for row in given["What became of the pushes of each minute"]:
        fates[row[1]] += row[2]
    assert fates == Counter(p["fate"].split(", ")[-1] for p in ledger)
    assert [r[:3] for r in given["Which tokens got most 429"]] == [(first.device, str(first), 3)]
    assert [(r[0], r[2]) for r in given["Which payloads went to a phone twice within a minute"]] == [(first.device, 1)]
    spread = {r[1]: r[2] for r in given["How long was it from the first phone with a payload to the last"]}
    assert 90 <= spread[3] < 100
    slow = [r[1:] for r in given["How long did delivery take, by connection"]]
    assert len(slow) == 2 and slow[0][1] >= 90 > 1 > slow[1][1]
    assert given["Who went on pushing to a token after a 410"] == [(str(others[1]), 1)]
    assert {r[:2] for r in given["Why were pushes refused"]} == {(429, "TooManyRequests"), (410, "Unregistered")}
    # A call without a status never reached the backend.
    told = [r for r in given["What did apps tell the backend, and how did it answer"] if r[1]]
    assert sum(row[3] for row in told) == len(backend.requests) > 6
    assert {"duplicate", "hastyRetry"} <= {r[0] for r in given["What does the sender do wrong"]}
