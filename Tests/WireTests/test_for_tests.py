"""`--for-tests`: every push that is accepted is on the screen at once, on every phone."""

import time

import pytest

from program import APP, LIVE_ACTIVITY, Token, live_activity


@pytest.fixture(scope="module")
def smooth(tmp_path_factory):
    from program import Pushpit

    base = tmp_path_factory.mktemp("smooth")
    server = Pushpit(
        "--for-tests",
        "--fleet",
        "40",
        "--clock",
        "manual",
        "--token-requests-per-second",
        "0",
        state=base / "state",
        home=base / "home",
    )
    yield server
    server.stop()


def update_to(score: int) -> bytes:
    """Each newer than the one before: of two with one timestamp iOS takes the first."""
    return live_activity(timestamp=int(time.time()) + 1 + score, **{"content-state": {"score": score}})


def card(server, device: str) -> dict:
    [card] = server.get(f"/v1/devices/{device}/screen")["lockScreen"]
    return card


def test_every_alert_is_on_every_screen(smooth):
    """The clock stands still: what is seen is seen at once."""
    for token in smooth.tokens("device"):
        assert smooth.push(token).verdict == (200, None)
        assert len(smooth.get(f"/v1/devices/{token.device}/screen")["notifications"]) == 1, token.device


def test_every_start_and_every_update_is_on_every_screen(smooth):
    tokens = smooth.tokens("pushToStart")
    assert len(tokens) > 20
    for start in tokens[:20]:
        assert smooth.push(start, live_activity("start")).verdict == (200, None)
        [activity] = smooth.install(start.device)["activities"]
        update = Token(
            activity["updateToken"],
            {"device": start.device, "app": APP, "topic": APP + LIVE_ACTIVITY, "kind": "update"},
        )
        for score, priority in [(1, "10"), (2, "10"), (3, "5"), (4, "10"), (5, "5")]:
            body = update_to(score)
            assert smooth.push(update, body, priority=priority).verdict == (200, None)
            assert card(smooth, start.device)["contentState"] == {"score": score}, start.device


def test_more_updates_than_any_usual_budget_are_seen(smooth):
    start = smooth.tokens("pushToStart")[-1]
    assert smooth.push(start, live_activity("start")).verdict == (200, None)
    [activity] = smooth.install(start.device)["activities"]
    update = Token(
        activity["updateToken"], {"device": start.device, "app": APP, "topic": APP + LIVE_ACTIVITY, "kind": "update"}
    )
    with smooth.wire() as wire:
        for score in range(50):
            assert smooth.push(update, update_to(score), wire=wire).verdict == (200, None)
    assert card(smooth, start.device)["contentState"] == {"score": 49}


def test_single_settings_override_the_preset(pushpit):
    server = pushpit("--for-tests", "--fleet", "200", "--set", "fleet.mix.offline=50%", "--budget", "strict")
    assert 50 < len(list(server.pages("/v1/devices", "devices", online="false"))) < 150
