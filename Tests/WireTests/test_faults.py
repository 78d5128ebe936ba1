"""Faults of pushes as a client meets them, and how faults are set, read, changed and taken back over the admin API.

Connections, listeners, and devices with their apps have files of their own; COVERED says where each fault is seen."""

import json
import re
import subprocess
from pathlib import Path

import jsonschema_rs
import pytest
from hyperframe.frame import DataFrame

from faulting import fault, take_back
from program import ALERT, APP, BINARY
from wire import REFUSED_STREAM

HERE = Path(__file__).parent
COVERED = {
    "answer": "test_faults.py::test_a_refusal_with_retry_after_as_often_as_its_limit_says",
    "retryAfter": "test_faults.py::test_a_refusal_with_retry_after_as_often_as_its_limit_says",
    "age": "test_faults.py::test_a_token_that_died_an_hour_ago",
    "split": "test_faults.py::test_the_body_of_an_error_in_pieces",
    "pause": "test_faults.py::test_the_body_of_an_error_in_pieces",
    "ends": "test_faults.py::test_the_body_of_an_error_in_pieces",
    "delay": "test_faults.py::test_a_delayed_answer_waits_for_the_clock",
    "silence": "test_faults.py::test_no_answer_at_all_and_an_answer_to_a_push_that_is_lost",
    "lose": "test_faults.py::test_no_answer_at_all_and_an_answer_to_a_push_that_is_lost",
    "arrival": "test_faults.py::test_a_push_is_lost_late_or_doubled_between_apns_and_the_phone",
    "loseAnswer": "test_faults.py::test_the_answer_is_lost_and_the_phone_has_the_push",
    "reset": "test_faults.py::test_a_stream_is_reset_in_place_of_an_answer",
    "malformed": "test_faults.py::test_a_malformed_body_and_a_missing_id",
    "status": "test_faults.py::test_a_malformed_body_and_a_missing_id",
    "withoutId": "test_faults.py::test_a_malformed_body_and_a_missing_id",
    "goAway": "test_faults_connections.py::test_a_goaway_below_the_push_with_its_code_and_reason",
    "debug": "test_faults_connections.py::test_a_goaway_below_the_push_with_its_code_and_reason",
    "before": "test_faults_connections.py::test_a_goaway_below_the_push_with_its_code_and_reason",
    "closes": "test_faults_connections.py::"
    "test_a_goaway_that_leaves_the_connection_open_and_streams_after_it_are_counted",
    "twice": "test_faults_connections.py::test_goaway_twice_the_second_a_second_later",
    "last": "test_faults_connections.py::test_goaway_and_then_silence_until_it_is_taken_back",
    "pings": "test_faults_connections.py::test_a_frozen_connection_says_nothing_and_goes_on_when_it_is_taken_back",
    "streams": "test_faults_connections.py::test_streams_are_lowered_and_raised_in_flight",
    "open": "test_faults_connections.py::test_a_lower_number_that_is_only_announced_loses_nothing",
    "surplus": "test_faults_connections.py::test_a_client_with_too_many_streams_is_thrown_off",
    "back": "test_faults_connections.py::test_streams_are_lowered_and_raised_in_flight",
    "after": "test_faults_connections.py::test_streams_are_lowered_and_raised_in_flight",
    "window": "test_faults_connections.py::test_a_tiny_window_makes_a_push_take_many_turns_and_a_withheld_one_stops_it",
    "withheld": "test_faults_connections.py::"
    "test_a_tiny_window_makes_a_push_take_many_turns_and_a_withheld_one_stops_it",
    "freeze": "test_faults_connections.py::test_a_frozen_connection_says_nothing_and_goes_on_when_it_is_taken_back",
    "close": "test_faults_connections.py::test_a_connection_is_closed_in_order",
    "halfClose": "test_faults_connections.py::test_a_connection_is_shut_in_one_direction",
    "goodbye": "test_faults_connections.py::test_a_connection_is_shut_in_one_direction",
    "abort": "test_faults_connections.py::test_a_connection_is_broken_off",
    "answerAll": "test_faults_connections.py::test_one_sick_connection_beside_a_sound_one",
    "readSlowly": "test_faults_connections.py::test_a_connection_is_read_slowly_until_that_is_taken_back",
    "skew": "test_faults_connections.py::test_the_clock_is_off_for_some_connections_only",
    "devices": "test_faults_devices.py::test_a_wave_of_offline_phones_is_taken_back_from_those_it_took",
    "heal": "test_faults_devices.py::test_apps_are_swiped_away_and_opened_again",
    "prompts": "test_faults_devices.py::test_people_answer_late_for_as_long_as_the_fault_stands",
    "calls": "test_faults_devices.py::test_tokens_are_late_or_overtaken",
    "listener": "test_faults_listeners.py::test_listeners_that_turn_clients_away_as_curl_says_it",
    "opening": "test_faults_connections.py::"
    "test_a_certificate_of_the_other_environment_is_told_as_the_connection_opens",
    "idle": "test_faults_connections.py::test_an_idle_connection_is_forgotten_and_one_in_use_is_not",
}
"""Each word of a fault's `then`, and of the conditions that are not about pushes: the test that sees it on the wire."""


def test_every_word_of_a_fault_is_seen_by_some_test():
    schema = subprocess.run([str(BINARY), "check", "--schema"], capture_output=True, text=True, check=True).stdout
    parts = json.loads(schema)["$defs"]["fault"]["properties"]
    words = set(parts["then"]["properties"]) | {"opening", "idle"}
    assert words == set(COVERED) and {"opening", "idle"} <= set(parts["when"]["properties"])
    guide = (HERE.parents[1] / "docs/faults.md").read_text()
    for word, place in COVERED.items():
        file, name = place.split("::")
        found = re.search(rf"def {name}\(.*?(?=\n\n\n|\Z)", (HERE / file).read_text(), re.S)
        assert found and f'"{word}"' in found[0], f"{place} has no {word}"
        assert f"`{word}`" in guide or f'"{word}":' in guide, f"docs/faults.md has no {word}"


@pytest.fixture
def server(pushpit):
    return pushpit("--fleet", "40", "--ideal")


def test_a_refusal_with_retry_after_as_often_as_its_limit_says(server):
    fault(server, {"answer": "TooManyRequests", "retryAfter": 9}, limit=1)
    with server.wire() as wire:
        answer = server.push(server.token(), wire=wire)
        assert (
            answer.verdict == (429, "TooManyRequests")
            and answer.header("retry-after") == "9"
            and answer.header("apns-id")
        )
        assert server.push(server.token(), wire=wire).status == 200
    assert server.get("/v1/faults")["faults"][0]["struck"] == 1


def test_a_token_that_died_an_hour_ago(server):
    fault(server, {"answer": "Unregistered", "age": "1h"})
    before = server.clock()["unixMilliseconds"]
    answer = server.push(server.token())
    assert answer.verdict == (410, "Unregistered")
    assert 0 <= answer.json["timestamp"] - (before - 3_600_000) <= server.clock()["unixMilliseconds"] - before


@pytest.mark.parametrize("ends", ["last", "apart", "never"])
def test_the_body_of_an_error_in_pieces(server, ends):
    fault(server, {"answer": "BadTopic", "split": [5, 3], "pause": "1ms", "ends": ends})
    with server.wire() as wire:
        stream = wire.begin(server.headers(server.token()))
        answer = wire.answers[stream]
        wire.until(lambda: answer.body == b'{"reason":"BadTopic"}' and (answer.ended or ends == "never"))
        wire.ping()
        pieces = [f for f in answer.frames if isinstance(f, DataFrame)]
        assert [f.data for f in pieces] == [b'{"rea', b"son", b'":"BadTopic"}'] + [b""] * (ends == "apart")
        assert ["END_STREAM" in f.flags for f in pieces].count(True) == (ends != "never")
        assert answer.status == 400 and answer.header("apns-id")
    fault(server, {"malformed": '{"reason":"Sh', "status": 503, "split": [4]})
    answer = server.push(server.token())
    assert answer.status == 503 and [len(f.data) for f in answer.frames if isinstance(f, DataFrame)] == [4, 9]


def test_no_answer_at_all_and_an_answer_to_a_push_that_is_lost(server):
    tokens = [server.token(), server.token()]
    fault(server, {"silence": True}, name="silent", limit=1)
    fault(server, {"lose": True}, name="lost", limit=1)
    with server.wire() as wire:
        unanswered = wire.begin(server.headers(tokens[0]), ALERT)
        answer = server.push(tokens[1], wire=wire)
        assert answer.status == 200 and server.recorded(answer)["fault"] == "lost"
        wire.ping()
        assert wire.answers[unanswered].frames == []
    for token in tokens:
        assert server.get(f"/v1/devices/{token.device}/screen")["notifications"] == []


def test_a_push_is_lost_late_or_doubled_between_apns_and_the_phone(server):
    token = server.token()

    def shown() -> int:
        return len(server.get(f"/v1/devices/{token.device}/screen")["notifications"])

    fault(server, {"arrival": "lose"}, name="lost", limit=1)
    answer = server.push(token)
    assert (
        answer.status == 200 and server.recorded(answer)["fate"].endswith("Lost on the Way to Device") and shown() == 0
    )
    fault(server, {"arrival": "double"}, name="twice", limit=1)
    answer = server.push(token)
    assert answer.status == 200 and server.recorded(answer)["fate"].endswith("Delivered to Device") and shown() == 2
    fault(server, {"arrival": {"delay": "30s"}}, name="late", limit=1)
    answer = server.push(token)
    assert answer.status == 200 and server.recorded(answer)["fate"].endswith("On the Way to Device") and shown() == 2


def test_a_stream_is_reset_in_place_of_an_answer(server):
    token = server.token()
    fault(server, {"reset": "REFUSED_STREAM"})
    with server.wire() as wire:
        assert server.push(token, wire=wire).reset == REFUSED_STREAM
    assert server.get(f"/v1/devices/{token.device}/screen")["notifications"] == []


def test_the_answer_is_lost_and_the_phone_has_the_push(server):
    token = server.token()
    fault(server, {"loseAnswer": "CANCEL"})
    with server.wire() as wire:
        assert server.push(token, wire=wire).reset == 8
    assert len(server.get(f"/v1/devices/{token.device}/screen")["notifications"]) == 1


def test_a_delayed_answer_waits_for_the_clock(pushpit):
    server = pushpit("--fleet", "40", "--ideal", "--clock", "manual")
    fault(server, {"delay": "30s"}, limit=1)
    with server.wire() as wire:
        stream = wire.begin(server.headers(server.token()), b'{"aps":{"alert":"x"}}')
        # The PING is answered after whatever the server owed.
        wire.ping()
        assert wire.answers[stream].status is None
        server.advance("30s")
        assert wire.answer(stream).status == 200


def test_a_malformed_body_and_a_missing_id(server):
    fault(server, {"malformed": '{"reas', "status": 400}, limit=1)
    fault(server, {"withoutId": True}, name="g")
    with server.wire() as wire:
        answer = server.push(server.token(), wire=wire)
        assert (answer.status, answer.body) == (400, b'{"reas')
        answer = server.push(server.token(), wire=wire)
        assert answer.status == 200 and answer.header("apns-id") is None


def test_the_same_pushes_are_struck_on_one_connection_and_on_eight(pushpit):
    struck = []
    for connections in (1, 8):
        server = pushpit("--fleet", "60", "--ideal", "--seed", "5")
        fault(server, {"answer": "ServiceUnavailable"}, odds="30%")
        tokens = server.tokens("device", APP, "sandbox")
        wires = [server.wire() for _ in range(connections)]
        statuses = {t.device: server.push(t, wire=wires[n % connections]).status for n, t in enumerate(tokens)}
        for wire in wires:
            wire.close()
        struck.append({device for device, status in statuses.items() if status == 503})
    assert struck[0] == struck[1] and 8 <= len(struck[0]) <= 30


@pytest.mark.parametrize(
    "body,words",
    [
        ({"name": "f"}, "then is required"),
        ({"name": "f", "then": {}}, "then must name one consequence"),
        ({"name": "f", "then": {"lose": True, "silence": True}}, "then must name only one consequence"),
        ({"name": "f", "then": {"answer": "TooManyRequest"}}, "TooManyRequests"),
        (
            {"name": "f", "then": {"lose": True}, "when": {"app": "com.nobody"}},
            'There is no app "com.nobody" in this fleet; it has',
        ),
        ({"name": "f", "then": {"lose": True}, "odds": 2}, "from 0 to 1"),
        ({"name": "f", "then": {"lose": True}, "from": "2m", "until": "1m"}, "until must be later than from"),
        ({"then": {"lose": True}}, "name is required"),
        ({"name": "f", "then": {"loose": True}}, "did you mean"),
        ({"name": "f", "then": {"lose": False}}, "lose must be true"),
        ({"name": "f", "then": {"lose": True, "retryAfter": 3}}, "retryAfter is not valid for lose"),
        ({"name": "f", "then": {"answer": "BadTopic", "age": "1h"}}, "valid only for Unregistered and ExpiredToken"),
        ({"name": "f", "then": {"answer": "BadTopic", "pause": "1s"}}, "it needs split"),
        ({"name": "f", "then": {"answer": "BadTopic", "split": [0]}}, "sizes in bytes"),
        ({"name": "f", "then": {"streams": 1, "after": "1s"}}, "it needs back"),
        ({"name": "f", "then": {"streams": 1, "debug": "off"}}, "it needs surplus"),
        ({"name": "f", "then": {"streams": -1}}, "streams must be a whole number from 0"),
        ({"name": "f", "then": {"goAway": "NO_ERROR", "last": True, "twice": True}}, "nothing follows this GOAWAY"),
        ({"name": "f", "then": {"goAway": "NO_ERROR", "pings": True}}, "it needs last"),
        ({"name": "f", "then": {"skew": "soon"}}, "ahead (90m) or behind (-90m)"),
        ({"name": "f", "then": {"prompts": {}}}, "prompts must have answer"),
        ({"name": "f", "then": {"calls": {}}}, "a word such as lose"),
        ({"name": "f", "then": {"listener": "refuse", "after": "1s"}}, "after is the delay of slowHandshake"),
        ({"name": "f", "then": {"lose": True}, "when": {"idle": "60s"}}, "idle is not valid for pushes"),
        ({"name": "f", "then": {"freeze": True}, "when": {"idle": "1s", "opening": True}}, "cannot be combined"),
        (
            {"name": "f", "then": {"freeze": True}, "when": {"idle": "1s", "os": 26}},
            "os is not valid for connections that are idle",
        ),
        ({"name": "f", "then": {"listener": "refuse"}, "when": {"share": "10%"}}, "share is not valid for listeners"),
        (
            {"name": "f", "then": {"calls": "lose"}, "when": {"event": "ptsTokn"}},
            "event must be an event at which an app calls",
        ),
        ({"name": "f", "then": {"devices": {"do": "goOffline"}}, "odds": 0.5}, "use share"),
        (
            {"name": "f", "then": {"devices": {"do": "open", "app": "com.nobody"}}},
            'There is no app "com.nobody" in this fleet',
        ),
        ({"name": "f", "then": {"listener": "refuse"}, "limit": 1}, "limit is not valid for listeners"),
        ({"name": "f", "then": {"lose": True}, "for": "1m", "until": "2m"}, "cannot be combined"),
        ({"name": "f", "then": {"lose": True}, "when": {"os": 15}}, "No device runs iOS 15; the fleet has"),
        ({"name": "f", "then": {"lose": True}, "when": {"devices": []}}, "devices must not be empty"),
        ({"name": "f", "then": {"lose": True}, "when": {"device": "d9999999"}}, 'There is no device "d9999999"'),
        ({"name": "f", "then": {"lose": True}, "when": {"share": 0}}, "selects no device"),
        (
            {"name": "f", "then": {"lose": True}, "when": {"app": "com.example.app", "environment": "production"}},
            "the other environment",
        ),
        ({"name": "f", "then": {"lose": True}, "when": {"tokenKind": "widgets"}}, "no token of kind widgets"),
        (
            {"name": "f", "then": {"answer": "Shutdown"}, "when": {"operation": "read", "tokenKind": "device"}},
            "tokenKind cannot be combined with operation",
        ),
        (
            {"name": "f", "then": {"lose": True}, "when": {"channel": "c", "share": "30%"}},
            "share cannot be combined with channel",
        ),
        (
            {"name": "f", "then": {"answer": "Shutdown"}, "when": {"operation": "list", "priority": 5}},
            "priority cannot be combined with operation: only a broadcast",
        ),
        (
            {"name": "f", "then": {"arrival": "lose"}, "when": {"operation": "publish", "tokenKind": "update"}},
            "tokenKind cannot be combined with operation",
        ),
    ],
)
def test_an_invalid_fault_is_refused_in_a_sentence(server, body, words):
    response = server.admin.request("POST", "/v1/faults", json=body)
    assert response.status_code == 422 and words.lower() in response.json()["error"].lower(), response.text
    assert server.get("/v1/faults")["faults"] == []


def guide() -> list[dict]:
    text = (HERE.parents[1] / "docs/faults.md").read_text()
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.S)]


def test_every_fault_of_the_guide_can_stand_in_a_scenario(tmp_path):
    blocks = guide()
    steps = [{"at": f"{n}s", "fault": block} for n, block in enumerate(blocks)]
    push = {"every": "1s", "until": "2m", "push": {"tokenKind": "device", "payload": {"aps": {"alert": "x"}}}}
    story = {
        "for": "30m",
        "settings": {"fleet": {"devices": 20}},
        "faults": blocks,
        "steps": [push, *steps, {"at": "3m", "deleteFault": "all"}],
        "expect": [{"pushes": {"reason": "TooManyRequests"}, "sometimes": True}],
    }
    (tmp_path / "guide.yaml").write_text(json.dumps(story))
    schema = json.loads((HERE.parents[1] / "Scenarios/scenario.schema.json").read_text())
    jsonschema_rs.validate(schema, story)
    done = subprocess.run([str(BINARY), "simulate", str(tmp_path / "guide.yaml")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_fault_of_the_guide_can_be_set(server):
    blocks = guide()
    assert len(blocks) >= 40
    for block in blocks:
        response = server.admin.request("POST", "/v1/faults", json=block)
        assert response.status_code == 200, (block, response.text)
    assert len(list(server.pages("/v1/faults", "faults"))) == len({b["name"] for b in blocks})
    assert server.admin.request("POST", "/v1/reset").status_code == 200


def test_a_fault_is_read_as_it_was_given_changed_and_taken_back(server):
    given = {"when": {"os": "26", "skip": 1}, "odds": "40%", "then": {"answer": "TooManyRequests", "retryAfter": 9}}
    fault(server, given["then"], "busy", when=given["when"], odds="40%", limit=3)
    one = server.get("/v1/faults/busy")
    assert {k: one[k] for k in given} == given and (one["kind"], one["limit"], one["seen"]) == ("push", 3, 0)
    changed = fault(server, {"lose": True}, "busy")
    assert (changed["then"], changed["when"], changed["limit"]) == ({"lose": True}, None, None)
    assert server.get("/v1/faults")["faults"] == [changed]
    take_back(server, "busy")
    response = server.admin.get("/v1/faults/busy")
    assert response.status_code == 404 and "GET /v1/faults lists" in response.json()["error"]
