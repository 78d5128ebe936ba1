"""`pushpit cells run`: one scenario on all cells of a fleet, with the numbers of all together."""

import contextlib
import json
import re
import signal
import subprocess
import threading
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from program import APP, BINARY, CELLS, SMOOTH, environment, live_activity
from wire import TIMEOUT

pytestmark = pytest.mark.tools

BEGINS = 1_781_373_600
"""With which `pushpit simulate` begins."""
FAST = ("--speed", "100000")
KICK_OFF = """
  - name: kick-off
    after: 10s
    push:
      tokenKind: pushToStart
      payload:
        aps:
          timestamp: "{{time.unix}}"
          event: start
          attributes-type: MatchAttributes
          attributes: {home: Lions}
          content-state: {score: 0}
          input-push-channel: "{{channel.match}}"
          alert: {title: Kick-off, body: Now}
"""
MATCH = f"""
name: a match for everybody
for: 30m
settings:
  fleet: {{devices: 20, seed: 1, ideal: true}}
  prompt: {{policy: never}}
  timing: {{immediate: true}}
steps:
  - createChannel: {{name: match, storage: mostRecent}}{KICK_OFF}
  - {{after: 1m, do: goOffline, where: {{share: 40%, name: tunnel}}}}
  - {{name: news, after: 1m, push: {{payload: {{aps: {{alert: Half-time}}}}}}}}
  - {{name: goal, after: 1m, broadcast: {{channel: match, expiration: "{{{{time.unix + 1h}}}}",
     payload: {{aps: {{timestamp: "{{{{time.unix}}}}", event: update, content-state: {{score: 1}}}}}}}}}}
  - {{after: 5m, do: goOnline, where: {{share: 40%, name: tunnel}}}}
expect:
  - {{name: news, pushes: {{step: news}}, count: 20}}
  - {{name: some wait, pushes: {{step: news}}, sometimes: {{fate: Stored - Device Offline}}}}
  - {{name: none waits long, pushes: {{}}, none: {{fate: Stored - Device Offline}}}}
  - {{name: one broadcast, broadcasts: {{}}, count: 1}}
  - {{name: it reaches all cells, arrivals: {{step: goal}}, count: 20}}
  - {{name: everybody sees it, screens: {{}}, show: {{card: {{contentState: {{score: 1}}}}}}}}
  - {{name: cards, events: {{event: activityStarted}}, count: 20}}
  - name: soon
    delay: {{from: {{pushes: {{step: kick-off}}}}, to: {{events: {{event: activityStarted}}}}}}
    all: 0s..10m
  - {{name: for pushes and for channels, connections: {{environment: sandbox}}, count: 2}}
"""
"""Everything that merges: pushes, fates, broadcasts, screens, events, delays, connections."""


class Fleet:
    def __init__(self, pushpit, state, *flags: str, tapes=None):
        def cell(number: int):
            tape = ("--tape", str(tapes / f"{number}.tape")) if tapes else ()
            own = ("--cell", f"{number}/{CELLS}", "--fleet", "20", *SMOOTH, *tape)
            return pushpit(*own, *flags, state=state)

        self.cells = [cell(number) for number in range(CELLS)]
        self.urls = ",".join(cell.admin_url for cell in self.cells)


MANUAL = ("--clock", "manual", "--set", f"fleet.begins={BEGINS}")


@pytest.fixture
def fleet(pushpit, tmp_path):
    return Fleet(pushpit, tmp_path / "state", *MANUAL)


def written(home, text: str = MATCH):
    path = home / "story.yaml"
    path.write_text(text)
    return str(path)


def on_phones(lines: str) -> dict[str, list]:
    """The events on each phone. Each cell counts its own pushes, connections and calls."""
    found = defaultdict(list)
    for line in lines.splitlines():
        event = json.loads(line)
        if event.get("device") and event["event"] not in ("push", "call", "callEnded", "faultStruck"):
            event.pop("push", None)
            found[event["device"]].append(event)
    return found


def test_four_running_cells_have_the_numbers_and_the_phones_of_one_process(pushpit, fails, tmp_path):
    story, tape, events = written(tmp_path), tmp_path / "tape", tmp_path / "events"
    whole = fails("simulate", story, "--json", "-", "--tape", str(tape))
    assert whole.returncode == 0, whole.stdout + whole.stderr
    fleet = Fleet(pushpit, tmp_path / "state", *MANUAL, tapes=tmp_path)
    merged = fails("cells", "run", story, "--cells", fleet.urls, *FAST, "--json", "-")
    assert merged.returncode == 0, merged.stdout + merged.stderr
    one, all_cells = json.loads(whole.stdout)["scenarios"][0], json.loads(merged.stdout)["scenarios"][0]

    def judged(report: dict) -> list[list]:
        # What is found of "sometimes" is no number: once one is seen, the rest is not counted.
        keys = ("name", "at", "passed", "wanted", "found")
        return [[e[k] for k in keys if k != "found" or e["name"] != "some wait"] for e in report["expectations"]]

    assert judged(all_cells) == judged(one)
    assert (all_cells["pushes"], all_cells["seed"], all_cells["devices"]) == (one["pushes"], 1, 20)
    # Each cell has a session of the scenario's pushes to its own phones.
    sessions = [cell.get("/v1/sessions/a match for everybody") for cell in fleet.cells]
    assert [s["open"] for s in sessions] == [False] * CELLS
    assert sum(s["counts"]["pushes"] for s in sessions) == one["pushes"]

    assert fails("replay", str(tape), "--events", str(events)).returncode == 0
    wanted, found = on_phones(events.read_text()), {}
    for number, cell in enumerate(fleet.cells):
        cell.stop()
        assert fails("replay", str(tmp_path / f"{number}.tape"), "--events", str(events)).returncode == 0
        part = on_phones(events.read_text())
        assert part and all(int(device[1:]) % CELLS == number for device in part)
        found |= part
    assert found == wanted


def test_each_expectation_has_a_line_with_the_number_of_all_and_those_of_the_cells(fleet, fails, tmp_path):
    wrong = MATCH.replace("show: {card: {contentState: {score: 1", "show: {card: {contentState: {score: 2")
    story = written(tmp_path, wrong.replace("{step: news}, count: 20", "{step: news}, count: 5"))
    result = fails("cells", "run", story, "--cells", fleet.urls, *FAST, "--junit", str(tmp_path / "j.xml"))
    assert result.returncode == 1, result.stdout + result.stderr
    lines = result.stdout.splitlines()
    assert re.match(r"FAIL  a match for everybody \(seed 1, 20 devices, 30m, 4 cells\): 40 pushes, ", lines[0])
    assert any(re.search(r"FAIL  .*: news: 20 \(5 \+ 5 \+ 5 \+ 5\)$", line) for line in lines), result.stdout
    assert "  ok    one broadcast: 1 (1 + 1 + 1 + 1)" in lines
    assert "  ok    it reaches all cells: 20 (5 + 5 + 5 + 5)" in lines
    assert any(line.endswith("everybody sees it: 0 of 20 (0 of 5 + 0 of 5 + 0 of 5 + 0 of 5)") for line in lines)
    assert f"rerun with: pushpit cells run {story} --cells {fleet.urls} --speed 100000.0" in lines[-1]
    assert (tmp_path / "j.xml").read_text().count("<failure ") == 2
    # Afterwards the cells are free again, with their clocks as before.
    for cell in fleet.cells:
        assert cell.admin.get("/v1/scenarios/1").status_code == 404
        assert cell.clock()["mode"] == "manual"


def test_the_clocks_run_again_and_a_later_run_ends_an_earlier_one(pushpit, fails, tmp_path):
    fleet = Fleet(pushpit, tmp_path / "state")
    order = {"text": "steps: [{clock: 1h}]\nexpect: [{pushes: {}, count: 0}]", "name": "s.yaml"}
    for cell in fleet.cells:
        assert cell.admin.post("/v1/scenarios", json=order).json()["id"] == "1"
        assert cell.clock()["mode"] == "manual"
    text = "seed: 1\nfor: 1s\nsteps: [{do: goOffline, device: d3}]\nexpect: [{events: {event: wentOffline}, count: 1}]"
    story = written(tmp_path, text)
    result = fails("cells", "run", story, "--cells", fleet.urls, *FAST)
    assert result.returncode == 0, result.stdout + result.stderr
    for cell in fleet.cells:
        late = cell.admin.post("/v1/scenarios/1/move", json={"to": "1s"})
        assert late.status_code == 404 and "No scenario 1 is being played: it was ended" in late.json()["error"]
        assert cell.clock()["mode"] != "manual"
        moved = cell.admin.post("/v1/scenarios", json=order).json()
        early = cell.admin.post(f"/v1/scenarios/{moved['id']}/move", json={"to": "1s", "begins": "1"})
        assert early.status_code == 422 and "cannot begin then" in early.json()["error"]
        assert cell.admin.post("/v1/reset", json={"everything": True}).status_code == 200
        assert cell.admin.delete(f"/v1/scenarios/{moved['id']}").status_code == 404


def test_a_scenario_that_the_cells_cannot_play_is_a_sentence(fleet, fails, tmp_path):
    for text, said in (
        ("steps: 1", "story.yaml:1:8: steps must be a list"),
        (MATCH.replace("seed: 1", "seed: 2"), "fleet.seed is 2, but the server has 1"),
        (MATCH.replace("devices: 20", "devices: 21"), "fleet.devices is 21, but the server has 20"),
        (MATCH + "backend: {command: ./server}\n", "a running server starts no backend"),
        (MATCH + "  - {events: {}, ordered: [activityStarted, activityEnded]}\n", "of several cells is not known"),
    ):
        result = fails("cells", "run", written(tmp_path, text), "--cells", fleet.urls, *FAST)
        assert result.returncode == 2 and said in result.stderr, result.stderr
        assert result.stderr.count("story.yaml") == 1 and result.stdout == "", "all cells say the same, once"
    result = fails("cells", "run", str(tmp_path / "none.yaml"), "--cells", fleet.urls)
    assert result.returncode == 2 and "the scenario cannot be read" in result.stderr
    result = fails("cells", "run", written(tmp_path), "--cells", fleet.urls, "--seed", "7")
    assert result.returncode == 2 and "the seed is 7, but the server has 1" in result.stderr
    for flags, said in (
        ([], "Name the cells: --cells with the URLs of their admin APIs, or --of with their number."),
        (["--cells", fleet.urls, "--of", "4"], "Name the cells"),
        (["--cells", fleet.urls, "--speed", "0"], "--speed must be from 0.001 to 100000"),
        (["--of", "300"], "from 2 to 256, not 300"),
    ):
        result = fails("cells", "run", written(tmp_path), *flags)
        assert result.returncode == 2 and said in result.stderr, result.stderr


@contextlib.contextmanager
def pretender(ready: dict):
    """An admin API that only says what it is."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps(ready).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_servers_that_are_not_all_cells_of_one_fleet_are_refused(fleet, pushpit, fails, tmp_path):
    story, urls = written(tmp_path), fleet.urls.split(",")
    ready = fleet.cells[3].get("/v1/ready")
    other = pushpit(*SMOOTH, "--fleet", "20", "--seed", "2", "--cell", "3/4", state=tmp_path / "state").admin_url
    five = pushpit(*SMOOTH, "--fleet", "20", "--cell", "3/5", state=tmp_path / "state").admin_url
    with pretender(ready | {"version": "0.0.1"}) as old:
        for cells, said in (
            (urls[:3], "None of the URLs is that of cell 3 of 4"),
            ([*urls, urls[0]], "are both cell 0 of 4; each number belongs to one server"),
            ([*urls[:3], other], "the seed is 1 at the first and 2 at the second"),
            ([*urls[:3], five], "the number of cells is 4 at the first and 5 at the second"),
            ([*urls[:3], old], f"the version is {ready['version']} at the first and 0.0.1 at the second"),
            ([*urls[:3], "http://127.0.0.1:1"], "http://127.0.0.1:1 did not answer"),
        ):
            result = fails("cells", "run", story, "--cells", ",".join(cells), *FAST)
            assert result.returncode == (4 if "did not answer" in said else 2), result.stderr
            assert said in result.stderr, result.stderr
            assert len(result.stderr.strip().splitlines()) == 1 and result.stdout == ""
    assert all(cell.admin.get("/v1/scenarios/1").status_code == 404 for cell in fleet.cells)


@contextlib.contextmanager
def playing(fleet, folder):
    """A scenario of half an hour that all cells play."""
    command = [str(BINARY), "cells", "run", written(folder), "--cells", fleet.urls, "--speed", "1"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment(folder)
    ) as run:
        while fleet.cells[2].admin.get("/v1/scenarios/1").json().get("passed", "0s") == "0s":
            assert run.poll() is None, "the scenario takes half an hour"
        yield run


def test_a_cell_that_dies_is_named_and_the_others_are_free_again(fleet, fails, tmp_path):
    with playing(fleet, tmp_path) as run:
        fleet.cells[2].kill()
        out, said = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 3 and out == "", said
    assert re.search(r"Error: at \S+ of the scenario: cell 2 of 4: \S+ did not answer", said), said
    for number in (0, 1, 3):
        assert fleet.cells[number].admin.get("/v1/scenarios/1").status_code == 404
        fleet.cells[number].assert_serving()


def test_an_interrupted_scenario_is_ended_at_all_cells(fleet, tmp_path):
    with playing(fleet, tmp_path) as run:
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=TIMEOUT)
    assert run.returncode == 130 and out == "", said
    assert re.search(r"Error: interrupted at \S+ of the scenario, which is ended at all cells\.", said), said
    for cell in fleet.cells:
        assert cell.admin.get("/v1/scenarios/1").status_code == 404
        cell.assert_serving()


def test_a_channel_made_at_all_cells_has_one_id_and_its_broadcast_reaches_the_phones_of_all(fleet, fails, tmp_path):
    words = ["--state", str(tmp_path / "state"), "--cells", fleet.urls]
    made = fails("channels", "create", "--stores", *words)
    assert made.returncode == 0, made.stderr
    channel = made.stdout.strip()
    for cell in fleet.cells:
        assert [c["channel"] for c in cell.pages("/v1/channels", "channels")] == [channel]
    assert fails("channels", "list", *words).stdout.strip() == channel
    for number, cell in enumerate(fleet.cells):
        phone = f"d{number + 4}"
        cell.act(phone, "startActivity", app=APP, attributesType="MatchAttributes", channel=channel)
    result = fails("send", "--channel", channel, "--payload", live_activity().decode(), *words)
    assert result.returncode == 0 and result.stdout.count("200 ") == CELLS, result.stdout + result.stderr
    for number, cell in enumerate(fleet.cells):
        # Until it is drawn.
        cell.advance("1m")
        [card] = cell.get(f"/v1/devices/d{number + 4}/screen")["lockScreen"]
        assert card["contentState"] == {"home": 2, "away": 1}
    one = fails("channels", "create", "--state", str(tmp_path / "state"), "--admin", fleet.cells[1].admin_url)
    assert one.returncode == 0, one.stderr
    again = fails("channels", "create", *words)
    assert again.returncode == 1 and "do not have the same channels" in again.stderr
    for flags, said in (
        (["send", "--to", "d0", "--cells", fleet.urls], "--cells needs --channel"),
        (
            ["channels", "list", "--cells", fleet.urls, "--server", "https://localhost:1"],
            "--cells cannot be combined with --server",
        ),
    ):
        result = fails(*flags)
        assert result.returncode == 2 and said in result.stderr, result.stderr
