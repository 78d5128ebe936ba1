"""`pushpit export`: the tables of a run, and the questions of docs/analysis.md in three databases."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import pytest

import guides
from backend import Backend
from databases import TABLES, DuckDB, PostgreSQL, SQLite, plain, postgresql
from guides import Reader, blocks
from program import ALERT, REPOSITORY, SMOOTH, live_activity
from test_tape import OPENING, frame, frames

pytestmark = pytest.mark.tools

PAGE = "docs/analysis.md"
CRICKET = "com.sightscreen.app"
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


@pytest.fixture(scope="module")
def database():
    with postgresql() as environment:
        yield environment


@pytest.fixture
def reader(tmp_path):
    reader = Reader(tmp_path)
    yield reader
    reader.stop()


def load(reader: Reader, database: dict[str, str]) -> list:
    """Imports the folder `run` with the page's own commands. The cluster is shared, so its tables are made anew."""
    reader.environment |= database
    postgres = PostgreSQL(reader.home, database)
    postgres.query("DROP VIEW IF EXISTS final_pushes;" + "".join(f"DROP TABLE IF EXISTS {t};" for t in TABLES))
    for block in blocks(PAGE, "sh")[1:]:
        code, said = reader.run(block)
        assert code == 0, f"{PAGE}:{block.line} exits with {code}:\n{said}"
    return [SQLite(reader.home), DuckDB(reader.home), postgres]


@pytest.mark.services
def test_the_commands_of_the_guide_do_what_it_says(reader, database):
    code, said = reader.run(blocks(PAGE, "sh")[0])
    assert code == 0, said
    refused = [row for row in rows(reader.home / "run/pushes.csv") if row["status"] == "429"]
    assert said.split()[-1] == str(len(refused)) and len(refused) >= 60
    for engine in load(reader, database):
        assert engine.query("SELECT COUNT(*) FROM pushes WHERE status = 429") == plain([(len(refused),)])
    assert (reader.home / "run/pushes.parquet").read_bytes().startswith(b"PAR1")


def questions() -> list[tuple[str, str]]:
    """The questions of the page, with their queries."""
    text = guides.read(PAGE)
    found = re.findall(r"^\d+\. ([^\n]*)\n\n   ```sql\n(.*?)^   ```$", text, re.S | re.M)
    return [(question, sql) for question, sql in found]


@pytest.mark.services
def test_each_question_has_the_same_answer_in_three_databases(pushpit, reader, database, fails):
    """A served run with two connections, refusals, a repeated payload, an offline phone and calls of apps."""
    backend = Backend()
    tape = reader.home / "run.tape"
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
    result = fails("export", str(tape), "--csv", str(reader.home / "run"))
    assert result.returncode == 0, result.stderr
    answers = {}
    for engine in load(reader, database):
        for question, sql in questions():
            answers.setdefault(question, []).append(engine.query(sql))
    assert len(answers) == 10
    for question, found in answers.items():
        assert found[0] == found[1] == found[2], question
        assert found[0] or "update token" in question, question
    given = {question.split("?")[0]: found[0] for question, found in answers.items()}
    fates = Counter()
    for row in given["What became of the pushes of each minute"]:
        fates[row[1]] += int(float(row[2]))
    assert fates == Counter(p["fate"].split(", ")[-1] for p in ledger)
    assert [(r[0], r[1], r[2]) for r in given["Which tokens got most 429"]] == [(first.device, str(first), "3.0")]
    assert [(r[0], r[2]) for r in given["Which payloads went to a phone twice within a minute"]] == [
        (first.device, "1.0")
    ]
    spread = {r[1]: float(r[2]) for r in given["How long was it from the first phone with a payload to the last"]}
    assert 90 <= spread["3.0"] < 100
    slow = [(r[1], float(r[2])) for r in given["How long did delivery take, by connection"]]
    assert len(slow) == 2 and slow[0][1] >= 90 > 1 > slow[1][1]
    assert given["Who went on pushing to a token after a 410"] == [(str(others[1]), "1.0")]
    assert {(r[0], r[1]) for r in given["Why were pushes refused"]} == {
        ("429.0", "TooManyRequests"),
        ("410.0", "Unregistered"),
    }
    # A call without a status never reached the backend.
    told = [r for r in given["What did apps tell the backend, and how did it answer"] if r[1]]
    assert sum(int(float(row[3])) for row in told) == len(backend.requests) > 6
    assert {"duplicate", "hastyRetry"} <= {r[0] for r in given["What does the sender do wrong"]}


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
    assert result.returncode == 1 and str(other) in result.stderr and "Not a directory" in result.stderr
    result = fails("export", str(storm), "--csv", str(tmp_path / "no/such"))
    assert result.returncode == 1 and "No such file" in result.stderr
    result = fails("export", str(storm), "--jsonl", "/dev/full")
    assert result.returncode == 1 and "/dev/full cannot be written: No space left" in result.stderr


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
