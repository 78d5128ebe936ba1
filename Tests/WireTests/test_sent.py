"""The answers that a client saw, compared with what the ledger, the metrics, the page of sessions and the story say
was sent. What APNs decided is another fact, and stays 200 here."""

import re
import time
from collections import Counter

import pytest
from hyperframe.frame import DataFrame, SettingsFrame, WindowUpdateFrame

from faulting import fault
from program import ALERT, Pushpit
from stream import after_events
from wire import TIMEOUT, Answer

CODES = {7: "REFUSED_STREAM", 8: "CANCEL"}


@pytest.fixture
def still(pushpit):
    """Time stands still, so that what is held back stays so."""
    return pushpit("--fleet", "40", "--ideal", "--clock", "manual")


def seen(answer: Answer) -> str:
    """The answer on a stream, in the words of `GET /v1/pushes?sent=`."""
    if answer.reset is not None:
        return f"reset {CODES[answer.reset]}"
    if answer.status is None:
        return "nothing"
    return str(answer.status) if answer.ended else f"incomplete {answer.status}"


def said(push: dict) -> str:
    """The answer to a push in the ledger, in these words. A malformed body has a status as any other."""
    sent = push["sent"]
    match sent["as"]:
        case "answer" | "malformed":
            return str(sent["status"])
        case "incomplete":
            return f"incomplete {sent['status']}"
        case "reset":
            return f"reset {sent['code']}"
        case "nothing" | "pending":
            return "nothing"
    raise AssertionError(sent)


def metrics(server: Pushpit, family: str) -> dict[tuple[str, ...], int]:
    """The samples of a family above zero, by the values of their labels."""
    rows = re.findall(rf"^{family}(?:{{(.*)}})? (\d+)$", server.admin.get("/metrics").text, re.M)
    return {tuple(re.findall(r'="([^"]*)"', labels)): int(count) for labels, count in rows if count != "0"}


def settled(server: Pushpit, decided: int = 1) -> list[dict]:
    """The ledger, oldest first; the metrics agree with it on both facts, and each story on what was sent."""
    pushes = server.pushes()[::-1]
    assert len(pushes) == decided
    by_status = Counter(("sandbox", str(p["answer"]["status"]), p["reason"] or "") for p in pushes)
    assert metrics(server, "pushpit_pushes_total") == by_status
    by_sent = Counter(
        ("sandbox", p["sent"]["as"], str(p["sent"].get("status") or p["sent"].get("code") or p["sent"].get("why")))
        for p in pushes
    )
    assert metrics(server, "pushpit_push_answers") == by_sent
    for push in pushes:
        sent = push["sent"]
        asked = str(sent["status"]) if sent["as"] == "answer" else sent["as"]
        assert push["sequence"] in {p["sequence"] for p in server.pushes(sent=asked)}
        lines = [line for line in push["story"] if line["event"] == "answer"]
        if sent["as"] == "answer" and sent["status"] == push["answer"]["status"]:
            assert all(line["cause"] in ("answer", "pending") for line in lines), push["story"]
        else:
            assert lines[-1]["cause"] == sent["as"], push["story"]
            assert lines[-1]["sentence"].lower() in push["why"]["sentence"].lower()
    return pushes


def arrived(server: Pushpit, count: int = 1) -> None:
    """Waits until pushes have arrived that nobody answers."""
    after_events(server, lambda: len(server.pushes()) >= count, f"{count} pushes", types="push")


FAULTS = [
    ({"lose": True}, "200", {"as": "answer", "status": 200}),
    ({"arrival": "lose"}, "200", {"as": "answer", "status": 200}),
    ({"arrival": {"delay": "30s"}}, "200", {"as": "answer", "status": 200}),
    ({"withoutId": True}, "200", {"as": "answer", "status": 200}),
    ({"answer": "TooManyRequests", "retryAfter": 1}, "429", {"as": "answer", "status": 429}),
    ({"malformed": "{", "status": 400}, "400", {"as": "malformed", "status": 400}),
    (
        {"malformed": "{}", "status": 503, "split": [1], "ends": "never"},
        "incomplete 503",
        {"as": "incomplete", "status": 503},
    ),
    ({"reset": "REFUSED_STREAM"}, "reset REFUSED_STREAM", {"as": "reset", "code": "REFUSED_STREAM"}),
    ({"loseAnswer": "CANCEL"}, "reset CANCEL", {"as": "reset", "code": "CANCEL"}),
    ({"loseAnswer": True}, "nothing", {"as": "nothing", "why": "silence"}),
    ({"silence": True}, "nothing", {"as": "nothing", "why": "silence"}),
    ({"delay": "30s"}, "nothing", {"as": "pending", "why": "delay"}),
    ({"goAway": "NO_ERROR", "before": 1, "closes": False}, "nothing", {"as": "nothing", "why": "go-away"}),
    ({"goAway": "NO_ERROR"}, "200", {"as": "answer", "status": 200}),
    ({"abort": True}, "nothing", {"as": "nothing", "why": "connection-aborted"}),
    ({"freeze": True}, "nothing", {"as": "nothing", "why": "connection-frozen"}),
    ({"close": True}, "200", {"as": "answer", "status": 200}),
    ({"halfClose": True}, "200", {"as": "answer", "status": 200}),
    ({"answerAll": "InternalServerError"}, "500", {"as": "answer", "status": 500}),
]


@pytest.mark.parametrize(
    "then,client,sent", FAULTS, ids=lambda value: str(value)[:40] if isinstance(value, dict) else None
)
def test_a_client_sees_what_the_ledger_says_was_sent(still, then, client, sent):
    fault(still, then)
    with still.wire() as wire:
        stream = wire.begin(still.headers(still.token()), ALERT)
        answer = wire.answers[stream]
        if client == "nothing":
            arrived(still)
        else:
            wire.until(lambda: seen(answer) == client)
        assert seen(answer) == client
        (push,) = settled(still)
        assert {k: v for k, v in push["sent"].items() if k != "at"} == sent and said(push) == client
        refused = "answer" in then or "answerAll" in then
        assert (push["answer"]["status"] == 200) == (not refused)
        unprocessed = client == "reset REFUSED_STREAM" or sent.get("why") == "go-away"
        decision = push["answer"]["decision"]
        assert decision == ("refused" if refused else "unprocessed" if unprocessed else "accepted")
        assert ("Received by APNs" in push["fate"]) == (decision == "accepted")
        assert (push["outcome"] is not None) == (decision == "accepted" and "Delivered" in push["fate"])


def test_an_answer_that_a_goaway_drops_in_the_moment_it_is_given_was_not_sent(still):
    fault(still, {"goAway": "NO_ERROR", "before": 2}, when={"skip": 2}, limit=1)
    with still.wire() as wire:
        headers = still.headers(still.token())
        streams, frames = [wire.take_stream() for _ in range(3)], []
        for stream in streams:
            frames += wire.header_frames(stream, wire.encode(headers))
            frames.append(DataFrame(stream, data=ALERT, flags=["END_STREAM"]))
        wire.send(*frames)  # in one TLS record, so that the server reads them at once
        wire.until_closed()
        client = [seen(wire.answers[stream]) for stream in streams]
    assert client == ["200", "nothing", "nothing"]
    pushes = settled(still, 3)
    assert [said(push) for push in pushes] == client
    assert [push["sent"].get("why") for push in pushes] == [None, "go-away", "go-away"]


def held(server: Pushpit, wire, sent: dict) -> dict:
    """Waits until the ledger says so of its only push."""
    wire.ping()
    (push,) = settled(server)
    assert {k: v for k, v in push["sent"].items() if k != "at"} == sent
    return push


def test_an_answer_without_room_waits_and_leaves_when_there_is_some(still):
    with still.wire(settings={SettingsFrame.INITIAL_WINDOW_SIZE: 0}) as wire:
        stream = wire.begin(still.headers("00"), ALERT)
        wire.until(lambda: wire.answers[stream].status == 400)
        held(still, wire, {"as": "pending", "why": "window"})
        wire.send(WindowUpdateFrame(stream, window_increment=1000))
        assert wire.answer(stream).reason == "BadDeviceToken"
        held(still, wire, {"as": "answer", "status": 400})


@pytest.mark.parametrize("how", ["reset", "closed"])
def test_an_answer_without_room_is_incomplete_when_the_client_gives_up(still, how):
    with still.wire(settings={SettingsFrame.INITIAL_WINDOW_SIZE: 0}) as wire:
        stream = wire.begin(still.headers("00"), ALERT)
        wire.until(lambda: wire.answers[stream].status == 400)
        held(still, wire, {"as": "pending", "why": "window"})
        if how == "reset":
            wire.cancel(stream)
            told(still)
        else:
            wire.close()
            gone(still)
        assert seen(wire.answers[stream]) == "incomplete 400"
        (push,) = settled(still)
        assert said(push) == "incomplete 400"


def told(server: Pushpit) -> None:
    """Waits until the ledger's only push waits no more."""
    after_events(server, lambda: server.pushes()[0]["sent"]["as"] != "pending", "the answer", types="answer")


def gone(server: Pushpit) -> None:
    deadline = time.monotonic() + TIMEOUT
    while server.get("/v1/connections")["connections"]:
        assert time.monotonic() < deadline, "the connection is still open"
        time.sleep(0.01)  # Connections are no events of the stream.


@pytest.mark.parametrize("how", ["reset", "closed"])
def test_a_delayed_answer_is_never_sent_to_a_client_that_has_given_up(still, how):
    fault(still, {"delay": "30s"})
    with still.wire() as wire:
        stream = wire.begin(still.headers(still.token()), ALERT)
        held(still, wire, {"as": "pending", "why": "delay"})
        if how == "reset":
            wire.cancel(stream)
            wire.ping()
            why = "client-reset-stream"
        else:
            wire.close()
            gone(still)
            why = "connection-ended"
        for _ in range(2):
            (push,) = settled(still)
            assert push["sent"]["why"] == why and push["answer"]["status"] == 200
            still.advance("31s")


def send_at_once(server: Pushpit, wire, count: int) -> None:
    """Sends `count` pushes in one write, so that the server reads them together."""
    headers = server.headers(server.token())
    frames = []
    for _ in range(count):
        stream = wire.take_stream()
        body = DataFrame(stream, data=ALERT, flags=["END_STREAM"])
        frames += [*wire.header_frames(stream, wire.encode(headers)), body]
    wire.send(*frames)


@pytest.mark.parametrize("then", [{"abort": True}, {"close": True}], ids=lambda then: next(iter(then)))
def test_of_60_pushes_in_one_read_those_are_answered_that_the_client_sees_answered(still, then):
    """The connection ends at the twentieth: abruptly, or once what comes before is out."""
    fault(still, then, when={"skip": 19}, limit=1)
    with still.wire() as wire:
        send_at_once(still, wire, 60)
        wire.until_closed()
        gone(still)
        pushes = still.pushes(limit=100)
        answered = sorted(answer.stream for answer in wire.answers.values() if answer.status == 200)
        assert len(answered) == (0 if "abort" in then else 20)
        assert sorted(push["stream"] for push in pushes if push["sent"]["as"] == "answer") == answered
        assert {push["sent"]["as"] for push in pushes} <= {"answer", "nothing"} and len(pushes) == 60
        assert sum(metrics(still, "pushpit_push_answers").values()) == 60
        assert metrics(still, "pushpit_push_answers").get(("sandbox", "answer", "200"), 0) == len(answered)


def test_a_frozen_connection_holds_answers_back_until_it_is_taken_back(still):
    fault(still, {"delay": "10s"}, name="late", limit=1)
    with still.wire() as wire:
        late = wire.begin(still.headers(still.token()), ALERT)
        held(still, wire, {"as": "pending", "why": "delay"})
        fault(still, {"freeze": True}, name="f", limit=1)
        frozen = wire.begin(still.headers(still.token()), ALERT)
        arrived(still, 2)
        still.advance("11s")
        waiting(still, "pending", {"as": "pending", "why": "frozen"})
        still.admin.request("DELETE", "/v1/faults/f")
        assert wire.answer(late).status == 200
        wire.ping()
        pushes = settled(still, 2)
        assert (
            [said(push) for push in pushes]
            == [seen(wire.answers[late]), seen(wire.answers[frozen])]
            == ["200", "nothing"]
        )


def waiting(server: Pushpit, name: str, sent: dict) -> None:
    """Waits until the ledger has one push that was sent so: another thread writes the answer."""

    def is_sent() -> bool:
        return [{k: v for k, v in p["sent"].items() if k != "at"} for p in server.pushes(sent=name)] == [sent]

    after_events(server, is_sent, f"a push that was sent as {name}", types="push,answer")


def test_a_session_counts_what_was_sent_and_expects_it(still):
    token = still.token()
    expect = [
        {"pushes": {"status": 200}, "count": 3},
        {"pushes": {"sent": 200}, "count": 1},
        {"pushes": {"sent": "nothing"}, "count": 1},
        {"pushes": {}, "sometimes": {"sent": "reset"}},
    ]
    still.admin.post("/v1/sessions", json={"name": "s", "devices": [token.device], "expect": expect}).raise_for_status()
    fault(still, {"silence": True}, name="a", limit=1)
    fault(still, {"reset": "CANCEL"}, name="b", limit=1)
    with still.wire() as wire:
        wire.begin(still.headers(token), ALERT)
        arrived(still)
        assert still.push(token, wire=wire).reset == 8
        assert still.push(token, wire=wire).status == 200
    session = still.get("/v1/sessions/s")
    assert session["counts"]["accepted"] == 3 and session["counts"]["answered"] == 1
    closed = still.admin.post("/v1/sessions/s/close").json()
    assert closed["passed"] is True, closed["expectations"]


def test_pushes_are_asked_for_by_their_token(still):
    one, other = still.token(), still.token()
    for token in [one, other, one, str(one).upper()]:
        assert still.push(token, topic=one.topic).status == 200
    still.push("00ff", topic=one.topic)
    assert len(still.pushes(token=str(one).upper())) == 3 and len(still.pushes(token=str(other))) == 1
    assert len(still.pushes(token="00FF")) == 1 and still.pushes(token="00f") == []
    assert still.admin.get("/v1/pushes", params={"sent": "lost"}).status_code == 400
