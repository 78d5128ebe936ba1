"""What phones do with the body of each kind of push, over TLS: each case from a public report, with its right value."""

import json
import time

import pytest

from program import APP, Token

BACKGROUND = {"push_type": "background", "priority": "5"}


@pytest.fixture(scope="module")
def audited(tmp_path_factory):
    from program import Pushpit

    base = tmp_path_factory.mktemp("bodies")
    server = Pushpit(
        "--for-tests",
        "--audit",
        "--fleet",
        "40",
        "--clock",
        "manual",
        "--token-requests-per-second",
        "0",
        "--set",
        "wakes.chance=100%",
        state=base / "state",
        home=base / "home",
    )
    yield server
    server.stop()


@pytest.fixture
def device(audited) -> Token:
    return audited.token()


def push(server, token, body, **headers) -> dict:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = server.push(token, data, **headers)
    assert answer.verdict == (200, None)
    return server.recorded(answer)


def story(record: dict) -> str:
    return "\n".join(line["sentence"] for line in record["story"])


def findings(server, record: dict) -> list[dict]:
    found = server.get("/v1/findings", limit=1000)["findings"]
    return [finding for finding in found if finding["apnsId"] == record["apnsId"]]


# Rows of developer forum thread 745345, by their numbers; parse-community/node-apn 14; Apple, "Pushing background
# updates to your App".
ROWS = [
    (1, BACKGROUND, {}, False, "dropped", "content-available-missing"),
    (1, BACKGROUND, {"content-available": 0}, False, "dropped", "content-available-missing"),
    (2, BACKGROUND, {"alert": {"title": "Goal!", "body": "1 : 0"}}, False, "dropped", "content-available-missing"),
    (3, BACKGROUND, {"content-available": 1}, False, "woken", None),
    (4, BACKGROUND, {"content-available": 1, "alert": "Goal!"}, False, "woken", None),
    (9, {"priority": "5"}, {"content-available": 0}, False, "nothing", "nothing-to-show"),
    (10, {"priority": "5"}, {"content-available": 0, "alert": "Goal!"}, True, "banner", "shown"),
    (11, {"priority": "5"}, {"content-available": 1}, False, "dropped", "push-type-alert"),
]


@pytest.mark.parametrize(("row", "headers", "aps", "shown", "outcome", "cause"), ROWS)
def test_type_and_body_together_decide_what_a_push_does(audited, device, row, headers, aps, shown, outcome, cause):
    record = push(audited, device, {"aps": aps}, **headers)
    reaction = record["reaction"]
    assert reaction["outcome"] in ({outcome, "handled"} if outcome == "woken" else {outcome}), row
    assert reaction["cause"] == cause or cause is None
    assert bool(audited.get(f"/v1/devices/{device.device}/screen")["notifications"]) == shown
    assert f"hasAlertContent: {int('alert' in aps)}" in story(record)
    if row == 4:
        assert "visible-in-background" in reaction["remarks"] and "never shows" in record["why"]["sentence"]
    if cause not in (None, "shown"):
        assert record["why"]["source"] and [f["kind"] for f in findings(audited, record)].count("payloadDropped") == 1


# Redth/PushSharp 324, lionheart/openradar-mirror 18912 and 17743.
def test_badge_0_clears_the_list_and_the_story_says_so(audited, device):
    def notifications():
        return audited.get(f"/v1/devices/{device.device}/screen")["notifications"]

    push(audited, device, {"aps": {"alert": "one", "badge": 1}})
    push(audited, device, {"aps": {"alert": "two"}})
    assert len(notifications()) == 2
    record = push(audited, device, {"aps": {"badge": 0}})
    assert notifications() == [] and "badge 0 removed 2 older notifications" in story(record)
    assert any(
        "badge 0 removed" in line["sentence"] for line in audited.get(f"/v1/devices/{device.device}/log")["lines"]
    )


# lionheart/openradar-mirror 2918; RFC 8259 sets no limit.
def test_a_number_beyond_64_bits_is_a_number(audited, device):
    body = b'{"aps":{"alert":"Goal!","badge":1},"matchId":99999999999999999999}'
    assert push(audited, device, body)["reaction"]["outcome"] == "banner"


MISTAKES = {
    "alert": {"title": "Table ready", "loc-key": "TABLE_READY", "loc-args": '["4"]'},
    "badge": "21",
    "sound": 1,
    "interruption-level": "timeSensitive",
    "mutable-content": "1",
}


# RMSPushNotificationsBundle 62, react-native-azurenotificationhub 195, node-pushnotifications 150, sideshow/apns2 185.
def test_what_a_phone_ignored_is_told_wherever_a_developer_looks(audited, device):
    record = push(audited, device, {"aps": MISTAKES})
    words = ["loc-args-type", "badge-value", "sound-type", "mutable-content-value", "interruption-level-value"]
    assert record["reaction"]["remarks"] == words and record["reaction"]["outcome"] == "banner"
    sentences = [line["sentence"] for line in record["story"] if line["event"] == "remark"]
    assert len(sentences) == 5 and all(sentence in record["why"]["sentence"] for sentence in sentences)
    assert {finding["sentence"] for finding in record["lint"]} == set(sentences)
    log = [line["sentence"] for line in audited.get(f"/v1/devices/{device.device}/log")["lines"]]
    assert set(sentences) <= set(log)
    [finding] = findings(audited, record)
    assert finding["kind"] == "fieldsIgnored" and all(sentence in finding["sentence"] for sentence in sentences)


# matthijs2704/vapor-apns 52.
def test_true_for_a_flag_wakes_the_app_with_a_remark(audited, device):
    record = push(audited, device, {"aps": {"content-available": True}}, **BACKGROUND)
    assert record["reaction"]["outcome"] in ("woken", "handled") and record["reaction"]["remarks"] == ["flag-boolean"]
    assert findings(audited, record) == []


# Updating widgets with WidgetKit push notifications; kylebrowning/APNSwift 220, parse-community/node-apn 194.
@pytest.mark.parametrize(
    ("body", "outcome"),
    [
        ({"aps": {"content-available": 1}, "kind": "Score"}, "content-changed-missing"),
        ({}, "content-changed-missing"),
        ({"aps": {"content-changed": True}}, "reload-hint"),
    ],
)
def test_widgets_reload_only_for_the_body_that_apple_documents(pushpit, tmp_path, body, outcome):
    config = tmp_path / "widgets.yaml"
    config.write_text(f'fleet:\n  os: {{"26.1": 1}}\n  apps:\n    - bundleId: {APP}\n      services: [widgets]\n')
    server = pushpit("--config", str(config), "--fleet", "3", "--audit")
    token = server.token("widgets")
    answer = server.push(token, json.dumps(body).encode(), topic=APP + ".push-type.widgets", push_type="widgets")
    assert answer.verdict == (200, None)
    record = server.recorded(answer)
    assert record["reaction"]["outcome"] == outcome
    missing = outcome != "reload-hint"
    assert ("aps.content-changed" in record["why"]["sentence"]) == missing
    assert [finding["kind"] for finding in findings(server, record)] == (["payloadDropped"] if missing else [])


# logicalparadox/apnagent 9, immobiliare/ApnsPHP 31, zendframework/ZendService_Apple_Apns 10.
UNREADABLE = [
    (b'{"aps":{"alert":"x",}}', "byte 21: }, but a name in double quotes is expected"),
    (b"{'aps':{'alert':'x'}}", "byte 2: ', but a name in double quotes or } is expected"),
    (b'{"aps":{"alert":"caf\xe9"}}', "byte 21: not UTF-8"),
    (b'{"aps":{"alert":"x\\ud83d"}}', "byte 19: \\ud83d is half of a surrogate pair"),
    (b'{"aps":{"alert":"x\xf0\x9f\x98', "byte 19: not UTF-8: a character of 4 bytes ends after 3"),
    (b"\xff\xfe" + '{"aps":{}}'.encode("utf-16-le"), "byte 1: a byte order mark of UTF-16"),
    (b'\xef\xbb\xbf{"aps":{"alert":"x"}}', "byte 1: a byte order mark"),
]


@pytest.mark.parametrize(("body", "words"), UNREADABLE)
def test_an_unreadable_body_is_explained_by_its_byte(audited, device, fails, tmp_path, body, words):
    record = push(audited, device, body)
    assert record["reaction"]["cause"] == "payload-unreadable" and words in record["reaction"]["detail"]
    assert words in record["why"]["sentence"] and words in story(record)
    [finding] = findings(audited, record)
    assert finding["kind"] == "payloadDropped" and words in finding["sentence"]
    path = tmp_path / "payload.json"
    path.write_bytes(body)
    checked = fails("lint", str(path))
    assert checked.returncode == 1 and words in checked.stdout


def test_json_without_aps_is_told_apart_from_bytes_that_are_no_json(audited):
    token, _ = audited.start_activity(device=audited.token().device)
    record = push(audited, token, b'{"alert":"x"}')
    assert record["reaction"]["cause"] == "aps-missing" and "has no aps object" in record["why"]["sentence"]


# urbanairship/ios-library 411, home-assistant/iOS 4677.
def test_a_date_in_content_that_counts_from_1970_is_found(pushpit, tmp_path):
    config = tmp_path / "dates.yaml"
    config.write_text(
        f"fleet:\n  apps:\n    - bundleId: {APP}\n      attributesTypes:\n        - name: MatchAttributes\n"
        "          contentState: {type: object, properties: {endsAt: date}}\n"
    )
    server = pushpit("--config", str(config), "--for-tests", "--fleet", "3", "--audit")
    token, _ = server.start_activity(device="d0")
    now = int(time.time())
    for number, (offset, found) in enumerate([(0, True), (978_307_200, False)]):
        aps = {"timestamp": now + 1 + number, "event": "update", "content-state": {"endsAt": now + 600 - offset}}
        record = push(server, token, {"aps": aps})
        assert record["reaction"]["outcome"] == "updated"
        assert ("date-since-1970" in record["reaction"]["remarks"]) == found
        assert ("decades ahead" in story(record)) == found
        assert [finding["kind"] for finding in findings(server, record)] == (["dateSince1970"] if found else [])
