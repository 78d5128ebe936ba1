"""The mistakes of other APNs mocks (docs/behavior/failure-modes.md#mistakes-of-other-mocks), each as a test of ours."""

import json
import re
import time

import pytest

from program import ALERT, APP, live_activity, padded


@pytest.mark.parametrize("digits", [64, 108, 160, 200])
def test_tokens_need_not_have_64_digits(pushpit, digits):
    """Pushy, APNSwift, apnsmock-go: "tokens must be exactly 64 hex digits"."""
    server = pushpit("--fleet", "3")
    token = ("5a" * 100)[:digits]
    device = server.get("/v1/devices", limit=1)["devices"][0]["id"]
    assert server.push(token).verdict == (400, "BadDeviceToken")
    made = server.admin.post("/v1/tokens", json={"token": token, "kind": "device", "device": device, "app": APP})
    assert made.status_code == 201, made.text
    assert server.push(token).verdict == (200, None)


def test_a_missing_provider_token_is_403(server):
    """uniqush apnstest: 401."""
    assert server.push(server.first_token(), authorization=None).verdict == (403, "MissingProviderToken")


@pytest.mark.parametrize(("limit", "kind"), [(4096, "device"), (5120, "voip")], ids=["alert", "voip"])
def test_an_oversize_payload_is_413_at_the_real_limit(server, limit, kind):
    """S14. APNSwift, go-apnsmock, blueshift: 400, PayloadEmpty, or a limit of 1 MiB."""
    token = server.token(kind)
    assert server.push(token, padded(limit)).verdict == (200, None)
    assert server.push(token, padded(limit + 1)).verdict == (413, "PayloadTooLarge")
    assert server.push(token, padded(60_000)).verdict == (413, "PayloadTooLarge")


def test_a_dead_token_is_410_with_milliseconds(arena):
    """S22. fakepushprovider: 400; kamilwaz, CleverTap: no timestamp; Gunfish: seconds."""
    for token, body in ((arena.gone, ALERT), (arena.expired, live_activity())):
        answer = arena.server.push(token, body)
        assert answer.status == 410
        assert type(answer.json["timestamp"]) is int
        assert 1_600_000_000_000 < answer.json["timestamp"] <= arena.server.clock()["unixMilliseconds"]


def test_success_has_an_empty_body(server):
    """APNSwift, kamilwaz, CleverTap: `{}` or `null`."""
    answer = server.push(server.first_token())
    assert (answer.status, answer.body) == (200, b"")
    assert answer.header("content-type") is None and answer.header("content-length") in (None, "0")


REFUSALS = {
    200: {},
    400: {"path": "/3/device/00"},
    403: {"authorization": None},
    404: {"path": "/nowhere"},
    405: {"method": "GET"},
}


@pytest.mark.parametrize("status", REFUSALS)
def test_every_answer_has_an_apns_id(server, status):
    """S17. APNSwift, kamilwaz, CleverTap: missing, also on errors."""
    answer = server.push(server.first_token(), **REFUSALS[status])
    assert answer.status == status
    assert re.match(r"^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$", answer.header("apns-id"))


def test_a_push_without_apns_id_is_given_one(server):
    """blueshift: refused."""
    answer = server.push(server.first_token(), apns_id=None)
    assert answer.verdict == (200, None)
    assert answer.header("apns-id")


def test_provider_tokens_are_verified(server):
    """S6. go-apnsmock, blueshift, APNSwift: decoded, not verified."""
    header, claims, signature = server.key.token().split(".")
    other = server.key.token(claims={"iat": int(time.time()) - 5}).split(".")[2]
    assert server.push(server.first_token(), jwt=f"{header}.{claims}.{other}").verdict == (403, "InvalidProviderToken")
    assert server.push(server.first_token(), jwt=f"{header}.{claims}.{signature}").verdict == (200, None)


@pytest.mark.parametrize("spelling", ["410", "unregistered", "deadbeef", "badtoken", "error"])
def test_the_spelling_of_a_token_decides_nothing(server, spelling):
    """go-apnsmock, Gunfish, APNSwift: faults chosen by token spelling."""
    text = (spelling.encode().hex() * 20)[:64]
    assert server.push(text).verdict == (400, "BadDeviceToken")


def test_every_flag_of_serve_is_known_and_none_is_ignored(fails):
    """blueshift: flags parsed but unused. What each does is tested where it belongs; here: that help knows them."""
    text = fails("serve", "--help-all").stdout
    for flag in [
        "config",
        "state",
        "host",
        "port",
        "production-port",
        "admin-port",
        "fleet",
        "seed",
        "clock",
        "ledger",
        "loops",
        "drain-time",
        "initial-streams",
        "strict-streams",
        "app",
        "running-activities",
        "strict-jwt",
        "token-update-scope",
        "token-requests-per-second",
    ]:
        assert re.search(rf"--{flag}\b", text), f"--{flag} is not in serve --help-all"


def test_an_answer_is_written_once(server):
    """apnsmock-go: written twice."""
    with server.wire() as wire:
        answers = [server.push(t, wire=wire) for t in (server.first_token(), "00" * 32, server.tokens()[1])]
        wire.ping()
        assert [a.status for a in answers] == [200, 400, 200]
        assert [sum(f.type == 1 for f in a.frames) for a in answers] == [1, 1, 1]
        assert [sum(f.type == 0 for f in a.frames) for a in answers] == [0, 1, 0]


def test_an_unknown_token_harms_nothing(server):
    """fakepushprovider: nil dereference."""
    with server.wire() as wire:
        for token in ("", "0", "00", "zz", "0" * 64, "f" * 2000, "%00", "..", "💣".encode().hex()):
            assert server.push(token, wire=wire).status == 400
        assert server.push(server.first_token(), wire=wire).verdict == (200, None)


def test_the_ledger_is_bounded(pushpit):
    """kamilwaz, APNSwift: unbounded in-memory log."""
    server = pushpit("--fleet", "5", "--ledger", "5", "--token-requests-per-second", "0")
    with server.wire() as wire:
        ids = [server.push(server.first_token(), wire=wire).header("apns-id") for _ in range(12)]
    kept = list(server.pages("/v1/pushes", "pushes"))
    assert [p["apnsId"] for p in kept] == ids[:-6:-1], "the last five, newest first"
    assert server.admin.get(f"/v1/pushes/{ids[0]}").status_code == 404


def test_the_mint_floor_measures_arrivals(server):
    """ "Mint floor measured on iat": an old stamp must neither help nor harm."""
    now = int(time.time())
    tokens = [server.key.token(claims={"iat": now - age}) for age in (3500, 2200, 900)]
    with server.wire() as wire:
        verdicts = [server.push(server.first_token(), jwt=t, wire=wire).verdict for t in tokens]
    assert verdicts == [(200, None), (200, None), (429, "TooManyProviderTokenUpdates")]


def test_error_bodies_are_compact_json(server):
    """S17: no spaces, no line break, nothing but the reason."""
    for options in list(REFUSALS.values())[1:]:
        answer = server.push(server.first_token(), **options)
        assert answer.body == json.dumps({"reason": answer.reason}, separators=(",", ":")).encode()
