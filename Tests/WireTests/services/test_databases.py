"""The questions of docs/analysis.md, asked of exported tables in three databases."""

import re
from collections import Counter

import pytest

import guides
from backend import Backend
from databases import DuckDB, PostgreSQL, SQLite, plain, postgresql
from guides import Reader, blocks
from program import ALERT, SMOOTH, live_activity
from test_export import PAGE, TABLES, rows

CRICKET = "com.sightscreen.app"


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
