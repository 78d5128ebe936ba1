"""The report of a run: of serve, simulate, run and a tape, as HTML, as JSON and on the terminal."""

import json
import re
from datetime import datetime
from html.parser import HTMLParser

import pytest

from program import ALERT, REPOSITORY, SMOOTH

pytestmark = pytest.mark.tools

STORM = str(REPOSITORY / "Scenarios/retry-storm.yaml")
HOSTILE = "</script><img src=x>"
FLEET = ("--fleet", "10", *SMOOTH)


class Page(HTMLParser):
    """The content of the file, as a browser sees it."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data

    def names(self) -> set[str]:
        return {tag for tag, _ in self.tags}


def read(path) -> Page:
    text = path.read_text()
    assert text.startswith("<!doctype html>") and text.endswith("</html>\n")
    page = Page(text)
    assert not {"script", "img", "iframe", "object"} & page.names()
    for tag, attributes in page.tags:
        for name in ("src", "href"):
            assert attributes.get(name, "data:,") == "data:,", f"{tag} loads {attributes}"
    return page


def live_activity(device: int, timestamp: float) -> bytes:
    aps = {"timestamp": timestamp, "event": "update", "content-state": {"minute": 1, "device": device}}
    return json.dumps({"aps": aps}).encode()


def test_a_served_run_is_explained_after_sigterm(pushpit, tmp_path):
    html, numbers = tmp_path / "r.html", tmp_path / "r.json"
    server = pushpit(*FLEET, "--report", str(html), "--report", str(numbers))
    tokens = server.tokens()[:6]
    fault = {"name": HOSTILE, "when": {"device": tokens[5].device}, "then": {"answer": "TooManyRequests"}}
    fault["then"]["retryAfter"] = 1
    assert server.admin.post("/v1/faults", json=fault).status_code in (200, 201)
    with server.wire() as wire:
        for token in tokens:
            server.push(token, ALERT, wire=wire, collapse_id=HOSTILE)
        assert server.push(tokens[5], ALERT, wire=wire, collapse_id=HOSTILE).status == 429
        assert server.push("ab" * 32, ALERT, wire=wire).status == 400
    assert html.read_bytes() == b""
    server.stop()
    found = json.loads(numbers.read_text())
    assert found["pushes"]["total"] == 8 and found["pushes"]["accepted"] == 5 and not found["empty"]
    reasons = {row["reason"]: row["count"] for row in found["pushes"]["answers"]}
    assert reasons == {None: 5, "TooManyRequests": 2, "BadDeviceToken": 1}
    assert found["latency"]["apnsToScreen"]["count"] == 5
    assert [(row["pushes"], row["shown"]) for row in found["fanOuts"]["largest"]] == [(7, 5)]
    assert found["retries"]["failures"] == 2 and found["retries"]["retries"] == 1
    # A fault ordered them, so no limit of APNs throttled a token.
    assert found["throttling"] == {"count": 2, "byFaults": 2, "tokens": [], "atLeast": False}
    assert found["connections"]["opened"] == 1 and found["connections"]["pushes"]["max"] == 8
    assert found["curve"]["faults"][0]["name"] == HOSTILE and sum(found["curve"]["faults"][0]["pushes"]) == 2
    assert found["limit"]["name"] == "not judged"
    assert any(used is not None for used in found["curve"]["processorsUsed"])
    page = read(html)
    assert "Faults ordered all of them, so no limit of APNs was reached." in page.text
    assert "none by limits; 2 by faults" in server.log
    assert HOSTILE in page.text and "429 TooManyRequests" in page.text and "svg" in page.names()
    assert "8 in" in server.log and "5 200, 2 429 TooManyRequests, 1 400 BadDeviceToken" in server.log


def test_latencies_begin_with_the_time_of_the_event(pushpit, tmp_path):
    numbers = tmp_path / "r.json"
    server = pushpit(*FLEET, "--clock", "manual", "--report", str(numbers))
    tokens = [server.start_activity()[0] for _ in range(3)]
    server.advance("10s")
    event = datetime.fromisoformat(server.clock()["now"].replace("Z", "+00:00")).timestamp()
    server.advance("100s")
    for device, token in enumerate(tokens):
        assert server.push(token, live_activity(device, round(event, 3) + 0.0005)).status == 200
    server.stop()
    latency = json.loads(numbers.read_text())["latency"]
    assert latency["eventToScreen"]["count"] == 3 and 99.9 < latency["eventToScreen"]["p50"] < 101, latency
    assert latency["apnsToScreen"]["max"] == 0 and latency["eventsInWholeSeconds"] == 0


def test_an_empty_run_says_so(pushpit, tmp_path):
    html = tmp_path / "r.html"
    server = pushpit(*FLEET, "--report", str(html))
    server.stop()
    assert "empty run" in read(html).text and "empty run" in server.log


def test_a_simulated_scenario_has_verdicts_and_the_same_numbers_as_its_tape(fails, tmp_path):
    files = {name: tmp_path / name for name in ("s.html", "s.json", "s.tape", "t.html", "t.json")}
    reports = ["--report", str(files["s.html"]), "--report", str(files["s.json"]), "--tape", str(files["s.tape"])]
    played = fails("simulate", STORM, *reports)
    assert played.returncode == 0 and "Report of pushpit simulate" in played.stderr
    assert "Report of" not in played.stdout
    told = fails("report", str(files["s.tape"]), "--html", str(files["t.html"]), "--json", str(files["t.json"]))
    assert told.returncode == 0 and len(told.stdout.splitlines()) <= 20, told.stdout
    one, other = (json.loads(files[name].read_text()) for name in ("s.json", "t.json"))
    assert one["scenario"]["passed"] and len(one["scenario"]["expectations"]) == 4 and other["scenario"] is None
    assert one["pushes"]["total"] == 400 and one["limit"]["name"] == "none"
    for report in (one, other):
        del report["scenario"], report["run"]["command"]
    assert one == other
    assert "PASS" in read(files["s.html"]).text and "busy" in read(files["t.html"]).text


def test_the_same_scenario_gives_the_same_report(fails, tmp_path):
    texts = []
    for name in ("a", "b"):
        assert fails("simulate", STORM, "--report", str(tmp_path / f"{name}.html")).returncode == 0
        texts.append((tmp_path / f"{name}.html").read_text())
    assert texts[0] == texts[1]


def test_a_run_beside_a_backend_has_processor_times_and_calls(story, fails, tmp_path):
    numbers = tmp_path / "r.json"
    played = fails("run", story(), "--report", str(numbers))
    assert played.returncode == 0, played.stdout + played.stderr
    found = json.loads(numbers.read_text())
    assert found["scenario"]["passed"] and found["calls"]["total"] >= 5 and not found["run"]["virtual"]
    assert found["pushes"]["total"] > 0 and found["run"]["command"].startswith("pushpit run")


def test_a_cut_tape_is_reported_as_far_as_it_goes(fails, tmp_path):
    tape, html, numbers = tmp_path / "s.tape", tmp_path / "s.html", tmp_path / "s.json"
    assert fails("simulate", STORM, "--tape", str(tape)).returncode == 0
    whole = tape.read_bytes()
    for part in (len(whole) - 20, len(whole) // 2, 40, 15):
        tape.write_bytes(whole[:part])
        told = fails("report", str(tape), "--html", str(html), "--json", str(numbers))
        assert told.returncode == 3 and "truncated or damaged" in told.stdout, told.stdout + told.stderr
        assert "truncated or damaged" in read(html).text
        assert 0 <= json.loads(numbers.read_text())["pushes"]["total"] <= 400
    tape.write_bytes(whole[: len(whole) - 4])
    assert fails("report", str(tape), "--json", str(numbers)).returncode == 3
    assert json.loads(numbers.read_text())["pushes"]["total"] == 400


@pytest.mark.parametrize(
    "bytes, words",
    [(b"pushpit tape 7\n", "knows only format 5"), (b"hello, world, hello", "is not a Pushpit tape"), (b"", "empty")],
)
def test_what_is_no_tape_is_refused(fails, tmp_path, bytes, words):
    tape = tmp_path / "x.tape"
    tape.write_bytes(bytes)
    told = fails("report", str(tape))
    assert told.returncode == 2 and words in told.stderr and told.stdout == ""
    assert fails("report", str(tmp_path / "nowhere")).returncode == 2


def test_a_report_that_cannot_be_written_is_refused_before_the_run(fails, tmp_path):
    nowhere = str(tmp_path / "no" / "r.html")
    for words in (["simulate", STORM], ["run", STORM], ["serve", "--state", str(tmp_path / "state")]):
        told = fails(*words, "--report", nowhere)
        assert told.returncode == 2 and f"--report: {nowhere} cannot be written" in told.stderr, told.stderr
        assert told.stdout == ""
    assert not (tmp_path / "state").exists()
    told = fails("report", str(tmp_path / "x.tape"), "--html", nowhere)
    assert told.returncode == 2 and "--html" in told.stderr
    for words in (["simulate", STORM, "--swarm", "2"], ["simulate", STORM, STORM]):
        told = fails(*words, "--report", str(tmp_path / "r.html"))
        assert told.returncode == 2 and "--report needs one scenario file" in told.stderr
    told = fails("simulate", STORM, "--report", "-")
    assert told.returncode == 2 and "must be a file" in told.stderr
    assert fails("report", "x.tape", "--html", "-", "--json", "-").returncode == 2


def test_json_on_standard_output_is_alone_there(fails, tmp_path):
    tape = tmp_path / "s.tape"
    fails("simulate", STORM, "--tape", str(tape))
    told = fails("report", str(tape), "--json", "-")
    assert json.loads(told.stdout)["pushes"]["total"] == 400
    assert re.search(r"^  pushes +400 in ", told.stderr, re.M)
