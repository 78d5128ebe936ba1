"""Faults as a client meets them: frames, codes and order; set and taken back over the admin API."""

import json
import re
import subprocess
import time
from pathlib import Path

import pytest
from hyperframe.frame import SettingsFrame

from program import APP

REFUSED_STREAM, ENHANCE_YOUR_CALM = 7, 11


@pytest.fixture
def server(pushpit):
    return pushpit("--fleet", "40", "--ideal")


def fault(server, then: dict, name="f", **members) -> dict:
    response = server.admin.request("POST", "/v1/faults", json={"name": name, "then": then} | members)
    assert response.status_code == 200, response.text
    return response.json()


def test_a_refusal_with_retry_after_as_often_as_its_limit_says(server):
    fault(server, {"answer": "TooManyRequests", "retryAfter": 9}, limit=1)
    with server.wire() as wire:
        answer = server.push(server.token(), wire=wire)
        assert answer.verdict == (429, "TooManyRequests") and answer.header("retry-after") == "9" and answer.header("apns-id")
        assert server.push(server.token(), wire=wire).status == 200
    assert server.get("/v1/faults")["faults"][0]["struck"] == 1


def test_a_goaway_below_the_push_with_its_code_and_reason(server):
    fault(server, {"goAway": "ENHANCE_YOUR_CALM", "debug": "slower", "before": 1}, when={"skip": 1})
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        stream = wire.begin(server.headers(server.token()))
        wire.until(lambda: wire.goaway is not None)
        assert (wire.goaway.error_code, wire.goaway.additional_data) == (ENHANCE_YOUR_CALM, b"slower")
        assert wire.goaway.last_stream_id == stream - 2
        wire.until_closed()
        assert wire.answers[stream].status is None, "what lies above the last stream is not answered"


def test_a_goaway_that_leaves_the_connection_open(server):
    fault(server, {"goAway": "NO_ERROR", "debug": "Shutdown", "closes": False}, limit=1)
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200
        wire.until(lambda: wire.goaway is not None)
        wire.ping()
        assert not wire.closed


def test_a_frozen_connection_says_nothing_and_is_thawed_by_a_reset(server):
    for answers in (True, False):
        fault(server, {"freeze": True, "pings": answers}, limit=1)
        with server.wire() as wire:
            wire.begin(server.headers(server.token()))
            if answers:
                wire.ping()
            with pytest.raises((TimeoutError, AssertionError)):
                wire.until(lambda: any(a.status for a in wire.answers.values()), timeout=0.3)
            assert not wire.closed
            server.admin.request("POST", "/v1/reset")
            wire.ping()


@pytest.mark.parametrize(
    "trouble,code",
    [("refuse", 7), ("failHandshake", 35), ("expired", 60), ("wrongName", 60), ("unknownAuthority", 60)],
)
def test_listeners_that_turn_clients_away_as_curl_says_it(server, trouble, code):
    def curl() -> int:
        url = server.url(host="localhost") + "/3/device/00"
        return subprocess.run(["curl", "-sS", "--max-time", "5", "--cacert", str(server.ca), url], capture_output=True).returncode

    assert curl() == 0
    fault(server, {"listener": trouble}, when={"environment": "sandbox"})
    deadline = time.monotonic() + 10
    while (found := curl()) == 0 and time.monotonic() < deadline:
        pass
    assert found == code
    server.admin.request("POST", "/v1/reset")
    while (found := curl()) != 0 and time.monotonic() < deadline:
        pass
    assert found == 0


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


def test_streams_are_lowered_and_raised_in_flight(server):
    fault(server, {"streams": 1, "back": 1000, "after": "100ms"}, limit=1)
    with server.wire() as wire:
        assert server.push(server.token(), wire=wire).status == 200

        def announced():
            counts = [s.get(SettingsFrame.MAX_CONCURRENT_STREAMS) for s in wire.server_settings()]
            return [count for count in counts if count is not None]

        wire.until(lambda: len(announced()) >= 4)
        assert announced() == [1, 1000, 1, 1000]


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


def test_one_sick_connection_beside_a_sound_one(server):
    fault(server, {"answerAll": "InternalServerError"}, limit=1)
    with server.wire() as sick, server.wire() as sound:
        assert server.push(server.token(), wire=sick).status == 500
        assert server.push(server.token(), wire=sound).status == 200
        assert server.push(server.token(), wire=sick).status == 500
        assert server.admin.request("POST", "/v1/reset").json() == {"removed": 1}
        assert server.push(server.token(), wire=sick).status == 200


def test_a_connection_is_broken_off(server):
    fault(server, {"abort": True}, limit=1)
    with server.wire() as wire:
        wire.begin(server.headers(server.token()))
        wire.until_closed()
        assert not wire.closed_cleanly
    assert server.push(server.token()).status == 200


def test_a_wave_of_offline_phones_is_taken_back(server):
    fault(server, {"devices": {"do": "goOffline"}}, name="wave", when={"share": "50%"})
    assert 8 <= len(list(server.pages("/v1/devices", "devices", state="offline"))) <= 32
    assert server.admin.request("DELETE", "/v1/faults/wave").json() == {"removed": "wave"}
    assert list(server.pages("/v1/devices", "devices", state="offline")) == []
    assert server.admin.request("DELETE", "/v1/faults/wave").status_code == 404


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
        ({"name": "f"}, "then is needed"),
        ({"name": "f", "then": {}}, "then says what goes wrong"),
        ({"name": "f", "then": {"lose": True, "silence": True}}, "then says one thing"),
        ({"name": "f", "then": {"answer": "TooManyRequest"}}, "TooManyRequests"),
        ({"name": "f", "then": {"lose": True}, "when": {"app": "com.nobody"}}, "the fleet has"),
        ({"name": "f", "then": {"lose": True}, "odds": 2}, "from 0 to 1"),
        ({"name": "f", "then": {"lose": True}, "from": "2m", "until": "1m"}, "until is after from"),
        ({"then": {"lose": True}}, "name is needed"),
        ({"name": "f", "then": {"loose": True}}, "did you mean"),
    ],
)
def test_a_fault_that_makes_no_sense_is_refused_in_a_sentence(server, body, words):
    response = server.admin.request("POST", "/v1/faults", json=body)
    assert response.status_code == 422 and words.lower() in response.json()["error"].lower(), response.text
    assert server.get("/v1/faults")["faults"] == []


def test_every_fault_of_the_guide_can_be_set(server):
    text = (Path(__file__).parents[2] / "docs/faults.md").read_text()
    blocks = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", text, re.S)]
    assert len(blocks) >= 15
    for block in blocks:
        response = server.admin.request("POST", "/v1/faults", json=block)
        assert response.status_code == 200, (block, response.text)
    assert len(list(server.pages("/v1/faults", "faults"))) == len({b["name"] for b in blocks})
    assert server.admin.request("POST", "/v1/reset").status_code == 200
