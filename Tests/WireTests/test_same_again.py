"""Equal seeds, beginnings and pushes give equal events byte for byte: in another process, with other threads, and
over other connections, as long as pushes are sent one after the other."""

import itertools
import json
import os
from contextlib import ExitStack, contextmanager

import pytest

from program import ALERT, APP, BACKGROUND, LIVE_ACTIVITY, REPOSITORY, live_activity

BEGINS = 1_790_000_000
DEVICES = 12
SEEDED = (
    "--audit",
    "--fleet",
    str(DEVICES),
    "--clock",
    "manual",
    "--set",
    f"fleet.begins={BEGINS}",
    "--set",
    "fleet.mix.offline=20%",
)
PER_PROCESS = {"provider", "providerToken", "authorization", ":authority"}
"""A signature of ES256 is another one each time, and the port is one that was free."""
PER_CONNECTION = {"connection", "stream", "apnsUniqueId", "apns-unique-id"}
"""The origin of a push, and the id that the gateway gives it by that."""
OF_CONNECTIONS = {"connectionOpened", "connectionClosed", "streamsAllowed"}
TOPIC = {"topic": APP + LIVE_ACTIVITY, "push_type": "liveactivity"}


def order(server, path: str, **members) -> None:
    response = server.admin.post(path, json=members)
    assert response.status_code in (200, 201), response.text


@contextmanager
def trouble(server):
    """A session with a fault of its own, and faults that are for all: of answers, and of phones."""
    own = [f"d{number}" for number in range(0, DEVICES, 2)]
    expected = [
        {"name": "all accepted", "pushes": {}, "all": {"status": 200}},
        {"pushes": {"outcome": "banner"}, "count": "1.."},
    ]
    order(server, "/v1/sessions", name="s", devices=own, expect=expected)
    order(
        server, "/v1/faults", name="storm", session="s", odds="50%", then={"answer": "TooManyRequests", "retryAfter": 5}
    )
    order(server, "/v1/faults", name="lost", odds=0.2, then={"lose": True})
    order(server, "/v1/faults", name="tunnel", when={"share": "30%"}, until="3m", then={"devices": {"do": "goOffline"}})
    yield
    order(server, "/v1/sessions/s/close")


def run(server, connections: int, troubled: bool) -> None:
    """Much of what a fleet can go through, one push at a time, over connections taken in turn."""
    sent = 0
    with ExitStack() as stack:
        wires = [stack.enter_context(server.wire()) for _ in range(connections)]

        def push(token, body, **changes) -> None:
            nonlocal sent
            sent += 1
            identifier = f"00000000-0000-4000-8000-{sent:012x}"
            server.push(token, body, wire=wires[sent % connections], apns_id=identifier, **changes)

        def seconds() -> int:
            return server.clock()["unixMilliseconds"] // 1000

        if troubled:
            stack.enter_context(trouble(server))
        devices = server.get("/v1/devices", limit=DEVICES)["devices"]
        for device in devices:
            install = server.install(device["id"])
            push(install["deviceToken"], ALERT)
            push(install["deviceToken"], BACKGROUND, push_type="background", priority="5")
            for start in install["pushToStart"][:1]:
                push(start["token"], live_activity("start", timestamp=seconds()), **TOPIC)
        server.advance("1m")
        for round_ in range(20):
            for device in devices:
                for activity in server.install(device["id"])["activities"]:
                    if activity["updateToken"]:
                        body = live_activity(timestamp=seconds() + round_, **{"content-state": {"score": round_}})
                        push(activity["updateToken"], body, priority="5" if round_ % 3 == 0 else "10", **TOPIC)
            server.advance("17s")
        for device in devices[::3]:
            server.act(device["id"], "goOffline" if server.device(device["id"])["online"] else "goOnline")
            push(server.install(device["id"])["deviceToken"], ALERT, collapse_id="one")
        server.act(devices[1]["id"], "uninstall", app=APP)
        push("ab" * 32, ALERT)
        server.advance("9h")


def without(value, left_out: set[str]):
    """The JSON without some members and headers."""
    if isinstance(value, dict):
        return {k: without(v, left_out) for k, v in value.items() if k not in left_out}
    if isinstance(value, list):
        return [without(v, left_out) for v in value if not (isinstance(v, dict) and v.get("name") in left_out)]
    return value


def told(server, *, troubled: bool, left_out: set[str]) -> dict[str, bytes]:
    """The bytes of everything that the admin API tells of what has happened."""
    paths = [
        "/v1/pushes?limit=1000",
        "/v1/tokens?limit=1000&live=false",
        "/v1/devices?limit=1000",
        "/v1/faults",
        "/v1/findings",
    ]
    if troubled:
        paths += ["/v1/sessions/s", "/v1/pushes?session=s&limit=1000"]
    for number in range(DEVICES):
        paths += [f"/v1/devices/d{number}", f"/v1/devices/d{number}/screen", f"/v1/devices/d{number}/log?limit=1000"]
    found = {}
    for path in paths:
        response = server.admin.get(path)
        assert response.status_code == 200, f"{path}: {response.text}"
        # Devices, screens and logs as they came; of the rest what is neither signed nor the way of a connection.
        found[path] = (
            response.content if "/devices" in path else json.dumps(without(response.json(), left_out)).encode()
        )
    return found


def replayed(tape, events, left_out: set[str]) -> bytes:
    """Every event of a tape, played on the one thread of `replay`. What is about a connection alone comes when its
    thread says so."""
    lines = [json.loads(line) for line in events(tape)]
    return json.dumps([without(line, left_out) for line in lines if line["event"] not in OF_CONNECTIONS]).encode()


@pytest.fixture
def events(fails, tmp_path):
    """Replays a tape and gives the lines of its events."""

    def events(tape) -> list[str]:
        path = tmp_path / f"{tape.name}.events"
        result = fails("replay", str(tape), "--events", str(path))
        assert result.returncode == 0, result.stdout + result.stderr
        return path.read_text().splitlines()

    return events


@pytest.fixture
def story(pushpit, events, tmp_path):
    numbers = itertools.count()

    def tell(
        *, loops: int, connections: int, seed: int = 7, troubled: bool = False, left_out: set[str] = frozenset()
    ) -> dict[str, bytes]:
        tape = tmp_path / f"{next(numbers)}.tape"
        server = pushpit(*SEEDED, "--seed", str(seed), "--loops", str(loops), "--tape", str(tape))
        run(server, connections, troubled)
        found = told(server, troubled=troubled, left_out=PER_PROCESS | left_out)
        server.stop()
        return found | {"tape": replayed(tape, events, PER_PROCESS | {"peer"} | left_out)}

    return tell


def differences(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    assert one.keys() == other.keys()
    return [path for path in one if one[path] != other[path]]


@pytest.mark.parametrize("troubled", [False, True], ids=["calm", "with faults and a session"])
def test_the_same_seed_gives_the_same_events_in_another_process(story, troubled):
    first = story(loops=1, connections=1, troubled=troubled)
    assert differences(first, story(loops=1, connections=1, troubled=troubled)) == []
    # They are not the same for want of something happening.
    assert sum(len(json.loads(body)["lines"]) for path, body in first.items() if "/log" in path) > (
        150 if troubled else 300
    )
    other = differences(first, story(loops=1, connections=1, seed=8, troubled=troubled))
    assert "/v1/pushes?limit=1000" in other and "tape" in other
    if troubled:
        session = json.loads(first["/v1/sessions/s"])
        assert session["passed"] is False and session["counts"]["refused"] > 10
        struck = {fault["name"]: fault["struck"] for fault in json.loads(first["/v1/faults"])["faults"]}
        assert struck["lost"] > 10
        assert {"faultStruck", "wire"} <= {event["event"] for event in json.loads(first["tape"])}


@pytest.mark.parametrize("troubled", [False, True], ids=["calm", "with faults and a session"])
@pytest.mark.parametrize(("loops", "connections"), [(1, 5), (4, 1), (4, 5)])
def test_neither_threads_nor_connections_change_what_happens(story, loops, connections, troubled):
    # Over one connection not even that differs by which a push came.
    left_out = PER_CONNECTION if connections > 1 else frozenset()
    first = story(loops=1, connections=1, troubled=troubled, left_out=left_out)
    again = story(loops=loops, connections=connections, troubled=troubled, left_out=left_out)
    assert differences(first, again) == []


def test_only_a_clock_that_stands_begins_elsewhere(fails, tmp_path):
    result = fails("serve", "--state", str(tmp_path / "state"), "--set", f"fleet.begins={BEGINS}")
    assert result.returncode == 2 and "fleet.begins needs a stopped clock" in result.stderr


STORIES = sorted((REPOSITORY / "Scenarios").glob("*.yaml"))
PROCESSES = 4
"""Each has a hash seed of its own, and so another order in each of its sets and dictionaries."""

AUDITED = """
for: 10m
settings:
  fleet: {devices: 40, ideal: true, os: {"26.1": 1}}
  prompt: {policy: never}
  timing: {immediate: true}
  budgets: {update: {standardCapacity: 3}}
faults:
  - {name: gone, when: {share: "30%"}, from: 1m, for: 1m, then: {answer: Unregistered}}
  - {name: busy, when: {share: "30%"}, from: 3m, for: 1m, then: {answer: TooManyRequests}}
  - {name: tunnel, when: {share: "50%"}, from: 2m, for: 3m, then: {devices: {do: goOffline}}}
  - {name: late, odds: 0.5, then: {delay: {median: 2s, p99: 20s}}}
steps:
  - push:
      tokenKind: pushToStart
      payload:
        aps: {timestamp: "{{time.unix}}", event: start, attributes-type: MatchAttributes, attributes: {},
              content-state: {a: 0}, alert: {title: Go}}
  - {at: 30s, every: 20s, until: 8m, push: {payload: {aps: {alert: Again}}}}
  - at: 40s
    every: 20s
    until: 8m
    push: {tokenKind: update, payload: {aps: {timestamp: "{{time.unix}}", event: update, content-state: {a: 1}}}}
expect:
  - {findings: {}, none: true}
  - {converged: {}}
  - {delay: {from: {pushes: {}}, to: {pushes: {outcome: banner}}}, all: 0s..1s}
  - {name: all is shown, screens: {}, show: {notifications: 1, cards: 1}}
"""
"""As much as may be told in another order: findings, delays, screens and what differs in each."""


@pytest.mark.parametrize("story", [*STORIES, "audited"], ids=lambda story: getattr(story, "stem", story))
def test_every_process_tells_a_story_in_the_same_bytes(story, fails, tmp_path):
    if story == "audited":
        story = tmp_path / "audited.yaml"
        story.write_text(AUDITED)
    assert "SWIFT_DETERMINISTIC_HASHING" not in os.environ, "every process would have the same hash seed"
    told = set()
    for _ in range(PROCESSES):
        outputs = {name: tmp_path / name for name in ("--json", "--junit", "--tape")}
        words = [word for name, path in outputs.items() for word in (name, str(path))]
        done = fails("simulate", str(story), *words)
        assert done.returncode in (0, 1), done.stderr
        told.add((done.returncode, done.stdout, *(path.read_bytes() for path in outputs.values())))
    assert len(told) == 1
    if story.stem == "audited":
        # There was something to tell.
        ((code, text, *_),) = told
        assert code == 1 and text.count("FAIL") >= 3, text
