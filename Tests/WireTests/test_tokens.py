"""Device, push-to-start and update tokens: what they look like, whom they reach, and how each of them dies."""

import re
from datetime import datetime

import pytest

from program import ALERT, APP, LIVE_ACTIVITY, STORE, live_activity

LA_TOPIC = APP + LIVE_ACTIVITY
HOUR = 3_600_000


@pytest.fixture
def still(pushpit):
    """A server whose time moves only when told to."""

    def start(*flags: str, **options):
        return pushpit("--fleet", "40", "--clock", "manual", "--token-requests-per-second", "0", *flags, **options)

    return start


def milliseconds(rfc3339: str) -> float:
    return datetime.fromisoformat(rfc3339.replace("Z", "+00:00")).timestamp() * 1000


def assert_gone(answer, reason: str, earliest: float, latest: float) -> int:
    """410 with exactly two fields, the timestamp an integer of milliseconds."""
    assert answer.verdict == (410, reason)
    assert set(answer.json) == {"reason", "timestamp"}
    stamp = answer.json["timestamp"]
    assert type(stamp) is int
    assert earliest <= stamp <= latest, f"{stamp} is not within {earliest} … {latest}"
    assert re.match(rb'^\{"reason":"\w+","timestamp":\d{13}\}$', answer.body)
    return stamp


# Shape and kinds


def test_all_tokens_are_lower_case_hex_and_none_is_given_twice(pushpit):
    """S59 S27 S46: three kinds of token, unrelated to one another."""
    server = pushpit("--fleet", "60", "--running-activities", "2")
    kinds = {k: server.tokens(k, app=None, environment=None) for k in ("device", "pushToStart", "update")}
    assert len(kinds["device"]) == 120
    for kind, pattern in (
        ("device", r"^[0-9a-f]{64}$"),
        ("pushToStart", r"^80[0-9a-f]{158}$"),
        ("update", r"^80[0-9a-f]{158}$"),
    ):
        assert kinds[kind], kind
        assert [t.text for t in kinds[kind] if not re.match(pattern, t.text)] == []
        assert {t.row["kind"] for t in kinds[kind]} == {kind}
        assert {t.row["given"] for t in kinds[kind]} == {False}
    everything = [t.text for tokens in kinds.values() for t in tokens]
    assert len(set(everything)) == len(everything)
    assert {t.topic for t in kinds["device"]} == {APP, STORE}
    assert {t.topic for t in kinds["update"] + kinds["pushToStart"]} == {LA_TOPIC, STORE + LIVE_ACTIVITY}


def test_one_token_never_resolves_as_another_kind(server):
    """S27 S28: a device token is no Live Activity token and the other way round."""
    device, starter = server.token("device"), server.token("pushToStart")
    update, _ = server.start_activity()
    with server.wire() as wire:
        assert server.push(device, wire=wire).verdict == (200, None)
        assert server.push(starter, live_activity("start"), wire=wire).verdict == (200, None)
        assert server.push(update, live_activity(), wire=wire).verdict == (200, None)
        for token in (starter, update):
            assert server.push(token, wire=wire, apns_topic=APP, push_type="alert").verdict == (
                400,
                "DeviceTokenNotForTopic",
            )
        assert server.push(
            device, live_activity(), wire=wire, apns_topic=LA_TOPIC, push_type="liveactivity"
        ).verdict == (400, "DeviceTokenNotForTopic")


def test_the_device_token_is_reported_apart_from_the_live_activity_tokens(server):
    """S28: another component manages it."""
    update, activity = server.start_activity()
    install = server.install(update.device)
    assert install["deviceToken"] in {t.text for t in server.tokens("device")}
    assert install["deviceToken"] not in {t["token"] for t in install["pushToStart"]} | {activity["updateToken"]}


def test_an_update_sent_to_a_push_to_start_token_is_accepted(server):
    """S18: 200 means accepted, and nothing more."""
    starter = server.token("pushToStart")
    answer = server.push(starter, live_activity("update"))
    assert answer.verdict == (200, None)
    entry = server.recorded(answer)
    assert (entry["answer"]["decision"], entry["tokenKind"], entry["device"]) == (
        "accepted",
        "pushToStart",
        starter.device,
    )


def test_200_is_acceptance_and_says_so(server):
    """S18 S13: the ledger has the push as accepted, received by APNs, at priority 10."""
    device = server.token("device")
    answer = server.push(device, b"not even json", priority="10")
    assert answer.verdict == (200, None)
    entry = server.recorded(answer)
    assert entry["answer"]["decision"] == "accepted"
    assert entry["fate"].startswith("Received by APNs")
    assert (entry["device"], entry["app"], entry["tokenKind"]) == (device.device, APP, "device")


def test_push_to_start_tokens_exist_before_any_activity(pushpit):
    """S30: they are had at launch, with no Live Activity ever started."""
    server = pushpit("--fleet", "60")
    assert server.tokens("update", app=None, environment=None) == []
    starters = {t.device for t in server.tokens("pushToStart")}
    for device in server.pages("/v1/devices", "devices"):
        major, minor = (int(n) for n in (device["os"] + ".0").split(".")[:2])
        if major >= 18:
            assert device["id"] in starters, device["os"]
        if (major, minor) < (17, 2):
            assert device["id"] not in starters, device["os"]


TWO_TYPES = """\
fleet:
  devices: 40
  apps:
    - bundleId: com.example.app
      teamId: PUSHPIT001
      environment: sandbox
      attributesTypes: [MatchAttributes, RideAttributes]
      runningActivities: 0
"""


def test_a_push_to_start_token_belongs_to_one_attributes_type(pushpit):
    """S31: two types, two tokens; two activities of a type share one."""
    server = pushpit(config=TWO_TYPES)
    starter = server.token("pushToStart")
    before = {t["attributesType"]: t["token"] for t in server.install(starter.device)["pushToStart"]}
    assert set(before) == {"MatchAttributes", "RideAttributes"}
    assert len(set(before.values())) == 2
    first, _ = server.start_activity(device=starter.device)
    second, _ = server.start_activity(device=starter.device)
    assert first.text != second.text
    assert {t["attributesType"]: t["token"] for t in server.install(starter.device)["pushToStart"]} == before


def test_every_activity_has_an_update_token_of_its_own(server):
    """S46: tokens differ, on one device and between devices."""
    first, one = server.start_activity()
    second, two = server.start_activity(device=first.device)
    third, three = server.start_activity()
    assert len({first.text, second.text, third.text}) == 3
    assert len({one["id"], two["id"], three["id"]}) == 3
    with server.wire() as wire:
        for token in (first, second, third):
            assert server.push(token, live_activity(), wire=wire).verdict == (200, None)


# Environments


def test_a_token_on_the_wrong_gateway_is_bad(server):
    """S3: two gateways, tokens belong to one; the other answers 400 BadDeviceToken."""
    sandbox, production = server.token("device", APP, "sandbox"), server.token("device", STORE, "production")
    assert server.push(sandbox).verdict == (200, None)
    assert server.push(production, environment="production").verdict == (200, None)
    assert server.push(sandbox, environment="production").verdict == (400, "BadDeviceToken")
    assert server.push(production).verdict == (400, "BadDeviceToken")


def test_live_activity_tokens_belong_to_one_gateway_too(server):
    starter = server.token("pushToStart")
    assert server.push(starter, live_activity("start")).verdict == (200, None)
    assert server.push(starter, live_activity("start"), environment="production").verdict == (400, "BadDeviceToken")


# Expiry


def test_an_update_token_lives_eight_hours(still):
    """S51 S22: 200 before, 410 ExpiredToken after, the timestamp being the instant of death in milliseconds."""
    server = still()
    token, activity = server.start_activity()
    started = milliseconds(activity["startedAt"])
    server.advance("7h55m")
    assert server.push(token, live_activity()).verdict == (200, None)
    server.advance("10m")
    now = server.clock()["unixMilliseconds"]
    first = server.push(token, live_activity())
    stamp = assert_gone(first, "ExpiredToken", started + 8 * HOUR - 1000, now)
    assert stamp <= started + 8 * HOUR + 60_000, "the instant of death, not of the question"
    server.advance("24h")
    assert server.push(token, live_activity()).json == {"reason": "ExpiredToken", "timestamp": stamp}, "410 is final"


def test_device_and_push_to_start_tokens_do_not_expire_by_time(still):
    """S57: device tokens change on reinstall, restore, OS update, never by time."""
    server = still()
    device, starter = server.token("device"), server.token("pushToStart")
    server.advance("2000h")
    assert server.push(device).verdict == (200, None)
    assert server.push(starter, live_activity("start")).verdict == (200, None)


# Uninstall


def test_an_uninstalled_apps_token_is_200_first_and_410_later(still):
    """S22 S57: 410 Unregistered with a millisecond timestamp, only after a push has found the app gone."""
    server = still()
    token = server.token("device")
    removed = server.clock()["unixMilliseconds"]
    server.act(token.device, "uninstall", app=APP)
    assert server.install(token.device)["installed"] is False
    assert server.push(token).verdict == (200, None), "right after"
    server.advance("24h")
    answer = server.push(token)
    stamp = assert_gone(answer, "Unregistered", removed, server.clock()["unixMilliseconds"])
    server.advance("240h")
    assert server.push(token).json == {"reason": "Unregistered", "timestamp": stamp}


def test_without_a_push_apns_does_not_learn_of_the_uninstall(still):
    """S22: the first push after the removal is 200 however late it comes."""
    server = still()
    token = server.token("device")
    server.act(token.device, "uninstall", app=APP)
    server.advance("48h")
    assert server.push(token).verdict == (200, None)
    server.advance("24h")
    assert server.push(token).verdict == (410, "Unregistered")


def test_an_offline_device_tells_apns_nothing(still):
    """S22: the push does not reach it, so its tokens stay good."""
    server = still()
    token = server.token("device")
    server.act(token.device, "uninstall", app=APP)
    server.act(token.device, "goOffline")
    assert server.device(token.device)["online"] is False
    assert server.push(token).verdict == (200, None)
    server.advance("48h")
    assert server.push(token).verdict == (200, None)


def test_an_uninstall_takes_every_token_of_the_app_and_no_other(still):
    server = still()
    starter = server.token("pushToStart")
    device = server.install(starter.device)["deviceToken"]
    store = server.install(starter.device, STORE)["deviceToken"]
    server.act(starter.device, "uninstall", app=APP)
    for _ in range(2):
        server.push(device)
        server.push(starter, live_activity("start"))
        server.advance("24h")
    assert server.push(device).verdict == (410, "Unregistered")
    assert server.push(starter, live_activity("start")).verdict == (410, "Unregistered")
    assert server.push(store, environment="production", topic=STORE).verdict == (200, None)


def test_a_reinstall_brings_a_new_device_token(still):
    """S57: and the old one, once dead, stays dead."""
    server = still()
    old = server.token("device")
    server.act(old.device, "uninstall", app=APP)
    server.push(old)
    server.advance("24h")
    assert server.push(old).verdict == (410, "Unregistered")
    server.act(old.device, "reinstall", app=APP)
    new = server.install(old.device)["deviceToken"]
    assert re.match(r"^[0-9a-f]{64}$", new) and new != old.text
    assert server.push(new).verdict == (200, None)
    assert server.push(old).verdict == (410, "Unregistered")


def test_reinstalled_in_time_the_old_token_goes_on_answering_200(still):
    """S57: many old tokens of one device all answer 200, only one delivers."""
    server = still()
    old = server.token("device")
    server.act(old.device, "uninstall", app=APP)
    assert server.push(old).verdict == (200, None)
    server.act(old.device, "reinstall", app=APP)
    assert server.install(old.device)["deviceToken"] != old.text
    server.advance("72h")
    assert server.push(old).verdict == (200, None)


# Rotation and the end of activities


def test_a_rotated_device_token_is_replaced_and_dies_later(still):
    """S57: new device token, old 410 later."""
    server = still()
    old = server.token("device")
    server.act(old.device, "rotate", app=APP, kind="device")
    new = server.install(old.device)["deviceToken"]
    assert new != old.text
    assert server.push(new).verdict == (200, None)
    assert server.push(old).verdict == (200, None)
    server.advance("24h")
    assert server.push(old).verdict == (410, "Unregistered")
    assert server.push(new).verdict == (200, None)


def test_a_rotated_update_token_is_replaced_and_dies_after_a_minute(still):
    server = still()
    old, activity = server.start_activity()
    before = server.clock()["unixMilliseconds"]
    server.act(old.device, "rotate", app=APP, kind="update", activity=activity["id"])
    server.advance("2s")
    row = next(a for a in server.install(old.device)["activities"] if a["id"] == activity["id"])
    assert row["updateToken"] not in (None, old.text)
    assert server.push(row["updateToken"], live_activity(), topic=LA_TOPIC).verdict == (200, None)
    assert server.push(old, live_activity()).verdict == (200, None)
    server.advance("2m")
    assert_gone(server.push(old, live_activity()), "Unregistered", before, server.clock()["unixMilliseconds"])
    assert server.push(row["updateToken"], live_activity(), topic=LA_TOPIC).verdict == (200, None)


def test_a_rotated_push_to_start_token_is_silent_for_a_day_and_then_gone(still):
    server = still()
    old = server.token("pushToStart")
    server.act(old.device, "rotate", app=APP, kind="pushToStart", attributesType="MatchAttributes")
    [new] = [t["token"] for t in server.install(old.device)["pushToStart"]]
    assert new != old.text
    server.advance("23h")
    assert server.push(old, live_activity("start")).verdict == (200, None)
    server.advance("2h")
    assert server.push(old, live_activity("start")).verdict == (410, "Unregistered")
    assert server.push(new, live_activity("start"), topic=LA_TOPIC).verdict == (200, None)


def test_the_token_of_an_ended_activity_dies_after_a_minute(still):
    """S22: delete it and fall back to an alert."""
    server = still()
    token, activity = server.start_activity()
    before = server.clock()["unixMilliseconds"]
    server.act(token.device, "endActivity", app=APP, activity=activity["id"])
    row = next(a for a in server.install(token.device)["activities"] if a["id"] == activity["id"])
    assert row["state"] == "ended" and row["endedAt"]
    assert server.push(token, live_activity()).verdict == (200, None)
    server.advance("2m")
    assert_gone(server.push(token, live_activity()), "Unregistered", before, server.clock()["unixMilliseconds"])
    assert server.push(server.install(token.device)["deviceToken"]).verdict == (200, None), (
        "the alert still goes through"
    )


def test_ended_activities_can_answer_200_for_ever(still):
    """S22: the disputed reading, as a knob."""
    server = still("--set", "lives.deadActivityAnswer=never")
    token, activity = server.start_activity()
    server.act(token.device, "endActivity", app=APP, activity=activity["id"])
    server.advance("1h")
    assert server.push(token, live_activity()).verdict == (200, None)


# Too many requests


def test_one_activity_pushed_too_often_gets_429_while_another_is_fine(pushpit):
    """S23: TooManyRequests is about one token. Time stands still, so that no wait decides it."""
    server = pushpit("--fleet", "40", "--clock", "manual", limited=True)
    busy, _ = server.start_activity()
    calm, _ = server.start_activity()
    with server.wire() as wire:
        verdicts = [server.push(busy, live_activity(), wire=wire).verdict for _ in range(300)]
        assert verdicts[0] == (200, None)
        assert verdicts[-1] == (429, "TooManyRequests")
        turn = verdicts.index((429, "TooManyRequests"))
        assert set(verdicts[:turn]) == {(200, None)} and set(verdicts[turn:]) == {(429, "TooManyRequests")}
        assert server.push(calm, live_activity(), wire=wire).verdict == (200, None)
        server.advance("5m")
        assert server.push(busy, live_activity(), wire=wire).verdict == (200, None), "backing off helps"


def test_the_rate_for_one_token_is_a_setting_and_0_means_no_limit(still):
    server = still()
    token, _ = server.start_activity()
    with server.wire() as wire:
        assert {server.push(token, live_activity(), wire=wire).verdict for _ in range(500)} == {(200, None)}


# Given tokens


def given(server, token: str, **fields):
    device = server.get("/v1/devices", limit=1)["devices"][0]["id"]
    body = {"token": token, "kind": "device", "device": device, "app": APP} | fields
    return server.admin.post("/v1/tokens", json={k: v for k, v in body.items() if v is not None})


@pytest.mark.parametrize("digits", [64, 108, 160, 200])
def test_a_given_token_of_any_length_is_served(pushpit, digits):
    """S57 S59: a backend's own tokens; variable length, never hard-coded."""
    server = pushpit("--fleet", "5")
    token = ("40" + "c0ffee" * 40)[:digits]
    assert server.push(token).verdict == (400, "BadDeviceToken")
    response = given(server, token)
    assert response.status_code == 201, response.text
    row = response.json()
    assert (row["token"], row["kind"], row["topic"], row["given"], row["live"]) == (token, "device", APP, True, True)
    answer = server.push(token)
    assert answer.verdict == (200, None)
    assert server.recorded(answer)["device"] == row["device"]
    assert server.push(token.upper()).verdict == (200, None)
    assert token in {t.text for t in server.tokens("device")}
    assert given(server, token).status_code == 409


def test_a_given_push_to_start_token_has_the_activity_topic(pushpit):
    server = pushpit("--fleet", "5")
    token = "80" + "ab" * 79
    response = given(server, token, kind="pushToStart", attributesType="MatchAttributes")
    assert response.status_code == 201, response.text
    assert response.json()["topic"] == LA_TOPIC
    assert server.push(token, live_activity("start"), topic=LA_TOPIC).verdict == (200, None)
    assert server.push(token).verdict == (400, "DeviceTokenNotForTopic")


@pytest.mark.parametrize(
    "fields",
    [
        {"token": "abc"},
        {"token": "xyz!"},
        {"token": ""},
        {"token": None},
        {"kind": "fax"},
        {"device": "d999999"},
        {"app": "com.unknown.app"},
        {"token": "ab" * 5000},
    ],
    ids=["odd", "not hex", "empty", "absent", "unknown kind", "unknown device", "unknown app", "endless"],
)
def test_a_token_that_cannot_be_given_is_refused_with_a_sentence(server, fields):
    fields = {"token": "c0ffee" * 10 + "0000"} | fields
    response = given(server, **fields)
    assert response.status_code in (400, 404, 413, 422), response.text
    assert len(response.json()["error"].split()) >= 3


def test_a_token_of_the_fleet_cannot_be_given_again(server):
    assert given(server, str(server.first_token("device"))).status_code == 409


def test_a_token_of_the_fleet_is_good_again_once_it_is_registered_again(still, fails, tmp_path):
    tape = tmp_path / "again"
    server = still("--tape", str(tape))
    token = server.token("device")
    with server.wire() as wire:
        server.act(token.device, "uninstall", app=APP)
        assert server.push(token, wire=wire).verdict == (200, None)
        server.advance("2d")
        assert server.push(token, wire=wire).verdict == (410, "Unregistered")
        server.act(token.device, "reinstall", app=APP)
        response = given(server, str(token), device=token.device)
        assert response.status_code == 201 and response.json()["live"] is True, response.text
        assert [server.push(token, wire=wire).verdict for _ in range(4)] == [(200, None)] * 4
        assert len({push["device"] for push in server.pushes(status=200)}) == 1
    server.stop()
    replayed = fails("replay", str(tape))
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr


# A backend


def test_a_backend_that_drops_dead_tokens_sends_nothing_more_to_them(still):
    """S24 S22 S23: the rule every backend must follow, run against all the answers at once."""
    server = still()
    healthy, removed, ended = server.token("device"), server.token("device"), None
    ended, activity = server.start_activity()
    unknown = "ab" * 32
    server.act(removed.device, "uninstall", app=APP)
    server.act(ended.device, "endActivity", app=APP, activity=activity["id"])
    kept: dict[str, object] = {str(t): t for t in (healthy, removed, ended, unknown)}
    dropped: dict[str, str] = {}
    with server.wire() as wire:
        for _ in range(5):
            for text, token in list(kept.items()):
                body = live_activity() if token is ended else ALERT
                status, reason = server.push(token, body, wire=wire).verdict
                if status == 410 or reason in ("BadDeviceToken", "DeviceTokenNotForTopic"):
                    dropped[text] = reason
                    del kept[text]
            server.advance("24h")
    assert list(kept) == [str(healthy)]
    assert dropped == {str(removed): "Unregistered", str(ended): "Unregistered", unknown: "BadDeviceToken"}
    for text in dropped:
        paths = [p["request"]["path"] for p in server.pages("/v1/pushes", "pushes")]
        verdicts = [
            p["answer"]["status"] for p in server.pages("/v1/pushes", "pushes") if p["request"]["path"].endswith(text)
        ]
        assert f"/3/device/{text}" in paths
        assert verdicts[0] in (400, 410) and set(verdicts[1:]) <= {200}, (
            "newest first: nothing was sent after the refusal"
        )
