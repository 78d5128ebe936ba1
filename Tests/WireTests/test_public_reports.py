"""Seventeen cases of public bug reports, over TLS: what APNs answers, what the phone does, what the developer is told.

Each case names its reports, as repository and number, or Apple's article. A case stands for its class, so most have
variants. `REPORTED` has what one push shows; the tests below it have what needs more than a push."""

import base64
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

import program
from certificates import MDM, MDM_TOPIC, Providers
from program import ALERT, APP
from provider_tokens import ABSENT

CONFIG = f"""\
fleet:
  devices: 200
  os: {{"26.1": 1}}
  apps:
    - bundleId: {APP}
      services: [voip, widgets, controls]
      attributesTypes:
        - name: MatchAttributes
          contentState: {{type: object, properties: {{score: int?, endsAt: date?}}}}
    - {{bundleId: {MDM_TOPIC}, environment: production}}
wakes: {{chance: 100%}}
"""


@dataclass(frozen=True)
class Case:
    """A push, and what is right. What is not given is as usual, or not compared."""

    body: object = ALERT
    """JSON, or bytes as they are sent."""
    to: str = "device"
    """The kind of token; "update" starts a Live Activity."""
    headers: dict = field(default_factory=dict)
    token: Callable[[str], str] = str
    """The notation of the token in the sender's path."""
    jwt: Callable | None = None
    """The provider token that the sender makes with its key."""
    offline: bool = False
    verdict: tuple[int, str | None] = (200, None)
    fate: str | None = None
    outcome: str | None = None
    cause: str | None = None
    remarks: tuple[str, ...] | None = None
    says: tuple[str, ...] = ()
    """In the explanation of the push."""
    never: str | None = None
    """Not in it."""
    findings: tuple[str, ...] = ()


def background(aps: dict, **right) -> Case:
    return Case({"aps": aps}, headers={"push_type": "background", "priority": "5"}, **right)


def alert(aps: dict, **right) -> Case:
    return Case({"aps": aps}, **right)


def topic(text: str, says: str, reason: str = "TopicDisallowed", **right) -> Case:
    return Case(headers={"apns_topic": text, "push_type": None}, verdict=(400, reason), says=(says,), **right)


def update(aps: Callable[[int], dict], **right) -> Case:
    """To a Live Activity. The members of `aps` beside its timestamp depend on the time."""
    return Case(lambda now: {"aps": {"timestamp": now + 1} | aps(now)}, to="update", **right)


def provider_token(header: dict, claims: dict, says: str) -> Case:
    def jwt(key) -> str:
        ids = {"KEY": key.key_id, "TEAM": key.team_id}
        head, body = ({k: ids.get(v, v) for k, v in part.items()} for part in (header, claims))
        return key.token(header=head, claims=body)

    return Case(jwt=jwt, verdict=(403, "InvalidProviderToken"), says=(says,))


def device_token(write: Callable[[str], str], *says: str) -> Case:
    return Case(token=write, verdict=(400, "BadDeviceToken"), says=says, never="environment")


def unreadable(body: bytes, words: str, **right) -> Case:
    return Case(body, cause="payload-unreadable", says=(words,), findings=("payloadDropped",), **right)


MISTAKES = {
    "alert": {"title": "Table ready", "loc-key": "TABLE_READY", "loc-args": '["4"]'},
    "badge": "21",
    "sound": 1,
    "interruption-level": "timeSensitive",
    "mutable-content": "1",
}
IGNORED = ("loc-args-type", "badge-value", "sound-type", "mutable-content-value", "interruption-level-value")
DROPPED, IGNORES = ("payloadDropped",), ("fieldsIgnored",)
NOT_ASKED = {"outcome": "dropped", "cause": "content-available-missing", "findings": DROPPED}
UNREADABLE = [
    (b'{"aps":{"alert":"x",}}', "byte 21: }, but a name in double quotes is expected"),
    (b"{'aps':{'alert':'x'}}", "byte 2: ', but a name in double quotes or } is expected"),
    (b'{"aps":{"alert":"caf\xe9"}}', "byte 21: not UTF-8"),
    (b'{"aps":{"alert":"x\\ud83d"}}', "byte 19: \\ud83d is half of a surrogate pair"),
    (b'{"aps":{"alert":"x\xf0\x9f\x98', "byte 19: not UTF-8: a character of 4 bytes ends after 3"),
    (b"\xff\xfe" + '{"aps":{}}'.encode("utf-16-le"), "byte 1: a byte order mark of UTF-16"),
    (b'\xef\xbb\xbf{"aps":{"alert":"x"}}', "byte 1: a byte order mark"),
]

REPORTED: dict[str, tuple[str, list[Case]]] = {
    "01 the body is read whatever the type": (
        "Developer forum thread 745345, whose rows these are; parse-community/node-apn 14; Apple, Pushing background"
        " updates to your App",
        [
            background({}, says=("aps.content-available",), **NOT_ASKED),
            background({"content-available": 0}, **NOT_ASKED),
            background({"alert": {"title": "Goal!", "body": "1 : 0"}}, **NOT_ASKED | {"findings": DROPPED + IGNORES}),
            background({"content-available": 1}, outcome="woken"),
            background(
                {"content-available": 1, "alert": "Goal!"},
                outcome="woken",
                remarks=("visible-in-background",),
                says=("never shows its alert",),
                findings=IGNORES,
            ),
            Case({"aps": {"content-available": 0}}, outcome="nothing", cause="nothing-to-show", findings=DROPPED),
            alert({"content-available": 0, "alert": "Goal!"}, outcome="banner", cause="shown"),
            alert({"content-available": 1}, outcome="dropped", cause="push-type-alert", findings=DROPPED),
        ],
    ),
    "02 a VoIP push with the type alert": (
        "ostinelli/apnotic 87, with request and answer; Pr0Ger/PyAPNs2 87, sideshow/apns2 149, AndrewBarba/apns2 23,"
        " codedge-llc/pigeon 193; react-native-voip-push-notification 90 for the ordinary token",
        [
            Case(
                to="voip",
                headers={"push_type": "alert"},
                verdict=(400, "InvalidPushType"),
                says=(f"{APP}.voip is for the push type voip",),
            ),
            Case(to="voip", outcome="call-reported"),
            Case(to="voip", headers={"push_type": None}, outcome="call-reported"),
            Case(
                headers={"apns_topic": f"{APP}.voip", "push_type": "alert"},
                verdict=(400, "DeviceTokenNotForTopic"),
                says=(f"which needs the topic {APP}; the push has {APP}.voip",),
            ),
        ],
    ),
    "04 legal JSON is read": (
        "lionheart/openradar-mirror 2918; RFC 8259 limits no number",
        [
            Case(b'{"aps":{"alert":"Goal!","badge":1},"matchId":99999999999999999999}', outcome="banner", remarks=()),
            Case(b'{"aps":{"alert":"Goal!"},"matchId":-18446744073709551616.5e3}', outcome="banner"),
            Case(
                b'{"aps":{"alert":"Goal!","badge":99999999999999999999}}',
                outcome="banner",
                remarks=("badge-value",),
                findings=IGNORES,
            ),
            update(
                lambda _: {"event": "update", "content-state": {"score": 99_999_999_999_999_999_999}},
                outcome="dropped",
                cause="content-state-decode",
                says=("content-state.score", "is too large for an Int"),
                findings=DROPPED,
            ),
        ],
    ),
    "05 what was ignored is told in words": (
        "richsage/RMSPushNotificationsBundle 62, CatalystCode/react-native-azurenotificationhub 195,"
        " appfeel/node-pushnotifications 150, sideshow/apns2 185; matthijs2704/vapor-apns 52 for true; Apple,"
        " Generating a remote notification",
        [
            alert(
                MISTAKES,
                outcome="banner",
                remarks=IGNORED,
                says=("aps.badge must be a whole number", "aps.interruption-level must be passive"),
                findings=IGNORES,
            ),
            background({"content-available": True}, outcome="woken", remarks=("flag-boolean",)),
            update(
                lambda _: {"event": "update", "content-state": {}, "alert": {"title": 1, "body": "Goal!"}},
                outcome="updated",
                remarks=("alerted", "alert-text-type"),
                says=("body of aps.alert must be a string",),
                findings=IGNORES,
            ),
        ],
    ),
    "07 units of apns-expiration": (
        "rpush/rpush 420, noodlewerk/NWPusher 73; parse-community/parse-server-push-adapter 14 for milliseconds;"
        " parse-community/parse-server 4558 for the fraction",
        [
            Case(headers={"expiration": "3600"}, outcome="banner", says=("is in 1970",), findings=("expirationUnit",)),
            Case(
                headers={"expiration": "3600"},
                offline=True,
                fate="Received by APNs, Discarded - Expired",
                says=("is in 1970",),
                findings=("expirationUnit",),
            ),
            Case(
                headers={"expiration": "1795780000000"},
                says=("looks like milliseconds",),
                findings=("expirationUnit",),
            ),
            Case(
                headers={"expiration": "1795780000.475"},
                verdict=(400, "BadExpirationDate"),
                says=("not a whole number",),
            ),
        ],
    ),
    "08 a push to Wallet": (
        "alexalok/dotAPNS 99 and 9, alexandercerutti/passkit-generator 53, edamov/pushok 148; Apple, Adding a web"
        " service to update passes",
        [topic("pass.com.example.loyalty", "a pass type identifier")],
    ),
    "09 a push to a website": (
        "sideshow/apns2 162, ZhukV/AppleApnPush 74, Ph3nol/NotificationPusher 105, genesluder/python-apns 35",
        [topic("web.com.example.site", "the id of a website")],
    ),
    "10 a push to widgets that asks for nothing": (
        "Apple, Updating widgets with WidgetKit push notifications; provectus/awos-recruitment 48;"
        " kylebrowning/APNSwift 220, parse-community/node-apn 194 and alexalok/dotAPNS 139 for the body",
        [
            Case(
                body,
                to=kind,
                headers={"push_type": kind},
                outcome=outcome,
                says=says,
                findings=DROPPED if says else (),
            )
            for kind in ("widgets", "controls")
            for body, outcome, says in (
                ({"aps": {"content-available": 1}, "kind": "Score"}, "content-changed-missing", ("content-changed",)),
                ({}, "content-changed-missing", ("aps.content-changed",)),
                ({"aps": {"content-changed": True}}, "reload-hint", ()),
            )
        ],
    ),
    "11 text that is no device token": (
        "activitree/meteor-push 7, mway-io/flutter-apns 8, node-apn/node-apn 670: the reason is right, and the"
        " reporters looked for their mistake in certificates",
        [
            device_token(
                lambda _: "{length=32,bytes=0x0100f178440e442f8001dbbeac64f962...c6350c6acc2a1b2c}",
                "description of the token",
            ),
            device_token(
                lambda t: "<" + " ".join(t[i : i + 8] for i in range(0, 64, 8)) + ">", "stands for the device token"
            ),
            device_token(lambda t: t + "%0A", "stands for the device token"),
            device_token(lambda t: base64.b64encode(bytes.fromhex(t)).decode(), "stands for the device token"),
            device_token(lambda t: t.encode().hex(), "stands for the device token", "hexadecimal already"),
            device_token(lambda _: "dGhpc19pc19ub3Q:APA91bHPRgkF3JUikC4ENAHEeMrd41Zxv3", "Firebase Cloud Messaging"),
            device_token(lambda _: "ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]", "Expo's push service"),
            device_token(lambda _: "undefined", "the sender had no token"),
        ],
    ),
    "12 which part of a provider token is wrong": (
        "AndrewBarba/apns2 4, vapor/apns 47",
        [
            provider_token({"kid": ABSENT}, {}, "The header of the provider token has no kid"),
            provider_token({"kid": ABSENT}, {"kid": "KEY"}, "it is among the claims"),
            provider_token({"alg": "HS256"}, {}, 'must be ES256, not "HS256"'),
            provider_token({}, {"iat": ABSENT}, "have no iat"),
            provider_token({}, {"iss": ABSENT}, "have no iss"),
            provider_token({}, {"iat": int(time.time() * 1000)}, "as milliseconds and smaller units are"),
            provider_token({"kid": "TEAM"}, {"iss": "KEY"}, "ids of key and team are exchanged"),
            provider_token({"kid": "NOSUCHKEY1"}, {}, 'No registered key has the id "NOSUCHKEY1"'),
        ],
    ),
    "13 a background push of priority 10": (
        "Developer forum thread 745345, rows 7 and 8; parse-community/node-apn 14, node-apn/node-apn 673. Apple"
        " documents an error",
        [
            Case(
                {"aps": {"content-available": 1}},
                headers={"push_type": "background", "priority": priority},
                outcome="woken",
                findings=("backgroundPriority",),
            )
            for priority in ("10", None)
        ],
    ),
    "14 an unreadable body, and where": (
        "logicalparadox/apnagent 9, immobiliare/ApnsPHP 31, zendframework/ZendService_Apple_Apns 10",
        [
            *(unreadable(body, words) for body, words in UNREADABLE),
            unreadable(*UNREADABLE[0], headers={"push_type": "background", "priority": "5"}),
            unreadable(*UNREADABLE[0], to="voip"),
            unreadable(*UNREADABLE[0], to="widgets", headers={"push_type": "widgets"}),
            unreadable(*UNREADABLE[0], to="update"),
            Case({"alert": "x"}, to="update", cause="aps-missing", says=("has no aps object",), findings=DROPPED),
        ],
    ),
    "15 dates in content count from 2001": (
        "urbanairship/ios-library 411, home-assistant/iOS 4677; parse-community/node-apn 133 for `events`",
        [
            update(
                lambda now: {"event": "update", "content-state": {"endsAt": now + 600}},
                outcome="updated",
                remarks=("date-since-1970",),
                says=("decades ahead",),
                findings=("dateSince1970",),
            ),
            update(
                lambda now: {"event": "update", "content-state": {"endsAt": now + 600 - 978_307_200}},
                outcome="updated",
                remarks=(),
            ),
            update(
                lambda _: {"events": "update", "content-state": {}},
                outcome="dropped",
                cause="unknown-event",
                findings=DROPPED,
            ),
        ],
    ),
    "16 a suffix that a library adds a second time": (
        "alexalok/dotAPNS 90, where the reason was DeviceTokenNotForTopic: disputed",
        [
            topic(f"{APP}.voip.voip", "two suffixes, .voip and .voip", to="voip"),
            topic("com.Example.app", f"differs from {APP} in capital letters"),
            topic(f"<{APP}>", f"it should be {APP}", reason="BadTopic"),
            topic(f"PUSHPIT001.{APP}", "begins with a team, PUSHPIT001"),
            topic(f"{APP}.push-type.live-activity", "not a suffix of a push type"),
        ],
    ),
}


class Stage:
    def __init__(self, server: program.Pushpit, providers: Providers):
        self.server, self.providers = server, providers

    def token(self, kind: str) -> program.Token:
        if kind == "update":
            return self.server.start_activity()[0]
        return self.server.token(kind)

    def push(self, case: Case, token: program.Token) -> dict:
        body = case.body(self.server.clock()["unixMilliseconds"] // 1000) if callable(case.body) else case.body
        headers = dict(case.headers)
        if case.jwt:
            headers["jwt"] = case.jwt(self.server.key)
        if case.token is not str:
            headers["path"] = "/3/device/" + case.token(token.text)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = self.server.push(token, data, **headers)
        assert answer.verdict == case.verdict
        return self.server.recorded(answer)

    def findings(self, record: dict) -> list[dict]:
        """Without those about the many provider tokens that these tests make."""
        found = self.server.get("/v1/findings", limit=1000)["findings"]
        own = [finding for finding in found if finding["apnsId"] == record["apnsId"]]
        return [finding for finding in own if finding["kind"] != "providerTokenRenewed"]

    def notifications(self, device: str) -> list[dict]:
        return self.server.get(f"/v1/devices/{device}/screen")["notifications"]

    def log(self, device: str) -> list[str]:
        return [line["sentence"] for line in self.server.get(f"/v1/devices/{device}/log")["lines"]]


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    base = tmp_path_factory.mktemp("reports")
    flags = ("--for-tests", "--audit", "--clock", "manual", "--token-requests-per-second", "0")
    server = program.Pushpit(*flags, state=base / "state", home=base / "home", config=CONFIG)
    yield Stage(server, Providers(server, base / "home"))
    server.stop()


def story(record: dict) -> str:
    return "\n".join(line["sentence"] for line in record["story"])


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{title}: {number}")
        for title, (_, cases) in REPORTED.items()
        for number, case in enumerate(cases, 1)
    ],
)
def test_a_reported_push_is_answered_and_explained_as_it_should_be(stage, case):
    token = stage.token(case.to)
    if case.offline:
        stage.server.act(token.device, "goOffline")
    record = stage.push(case, token)
    why, reaction = record["why"], record["reaction"]
    assert why["source"]
    for words in case.says:
        assert words in why["sentence"]
    assert case.never is None or case.never not in why["sentence"]
    if case.fate:
        assert record["fate"] == case.fate
    if case.outcome:
        assert reaction["outcome"] == case.outcome
    if case.cause:
        assert reaction["cause"] == case.cause and why["source"]
    if case.remarks is not None:
        assert reaction["remarks"] == list(case.remarks)
    assert sorted(finding["kind"] for finding in stage.findings(record)) == sorted(case.findings)


# 01: parse-community/node-apn 14; a device log in lionheart/openradar-mirror 18284 has the five flags of each push.


def test_the_story_and_the_log_have_the_five_flags_of_a_body(stage):
    token = stage.token("device")
    record = stage.push(background({"content-available": 1, "alert": "Goal!"}), token)
    flags = "hasAlertContent: 1, hasSound: 0, hasBadge: 0, hasContentAvailable: 1, hasMutableContent: 0"
    assert flags in story(record).replace("; ", ", ")
    assert any("hasContentAvailable: 1" in line for line in stage.log(token.device))
    assert stage.notifications(token.device) == []


# 03: lionheart/openradar-mirror 18912 and 17743, Redth/PushSharp 324.


def test_badge_0_clears_the_list_and_the_story_says_so(stage):
    token = stage.token("device")
    stage.push(alert({"alert": "one", "badge": 1}), token)
    stage.push(alert({"alert": "two"}), token)
    assert len(stage.notifications(token.device)) == 2
    record = stage.push(alert({"badge": 0}), token)
    assert stage.notifications(token.device) == [] and "badge 0 removed 2 older notifications" in story(record)
    assert any("badge 0 removed" in line for line in stage.log(token.device))


# 05: a remark is of use only where somebody reads it.


def test_what_a_phone_ignored_is_told_wherever_a_developer_looks(stage):
    token = stage.token("device")
    record = stage.push(alert(MISTAKES), token)
    sentences = [line["sentence"] for line in record["story"] if line["event"] == "remark"]
    assert len(sentences) == len(IGNORED) and all(sentence in record["why"]["sentence"] for sentence in sentences)
    assert {finding["sentence"] for finding in record["lint"]} == set(sentences)
    assert set(sentences) <= set(stage.log(token.device))
    [finding] = stage.findings(record)
    assert all(sentence in finding["sentence"] for sentence in sentences)


# 06: edamov/pushok 103 and node-apn/node-apn 731 post such payloads to ask what is wrong with them.
LINTED = [
    ('{"aps":{"alert":"Hi","badge":"3","sound":"default"}}', "alert", 0, "CHANGED  aps.badge must be a whole number"),
    ('{"aps":{"content-available":1}}', "background", 0, "Nothing would be lost or changed."),
    ('{"aps":{"alert":"x"},"matchId":99999999999999999999}', "alert", 0, "Nothing would be lost or changed."),
    ('{"aps":{"content-changed":true}}', "widgets", 0, "Nothing would be lost or changed."),
    ('{"mdm":"6B4C1C22"}', "mdm", 0, "Nothing would be lost or changed."),
    ('{"container-identifier":"root","domain":"d"}', "fileprovider", 0, "Nothing would be lost or changed."),
    ('{"aps":{"content-available":1}}', "--push-type=alert", 1, "LOST     push-type-alert"),
    ('{"aps":{"alert":"Hi"}}', "--push-type=background", 1, "LOST     content-available-missing"),
    ('{"aps":{"content-available":1},"kind":"Score"}', "--push-type=widgets", 1, "LOST     content-changed-missing"),
]


@pytest.mark.parametrize(("payload", "kind", "code", "words"), LINTED)
def test_lint_knows_what_kind_of_payload_it_has(fails, payload, kind, code, words):
    is_told = kind.startswith("--")
    result = fails("lint", *([kind] if is_told else []), payload)
    assert result.returncode == code and words in result.stdout, result.stdout + result.stderr
    assert ("Checked as a push of type" in result.stdout) != is_told
    assert is_told or f"Checked as a push of type {kind};" in result.stdout


@pytest.mark.parametrize(("body", "words"), UNREADABLE)
def test_lint_says_at_which_byte_a_payload_is_unreadable(fails, tmp_path, body, words):
    path = tmp_path / "payload.json"
    path.write_bytes(body)
    result = fails("lint", str(path))
    assert result.returncode == 1 and words in result.stdout


# 08, 09.


@pytest.mark.parametrize("app", ["pass.com.example.loyalty:production", "web.com.example.site"])
def test_wallet_and_websites_are_no_apps_of_a_phone(fails, tmp_path, app):
    done = fails("serve", "--app", app, "--state", str(tmp_path / "state"))
    assert done.returncode != 0 and "Pushpit has no" in done.stderr


# 12: the two other places that exist to tell it.


def test_a_mistake_of_a_provider_token_is_told_by_the_check_and_as_a_trouble(stage):
    _, cases = REPORTED["12 which part of a provider token is wrong"]
    for case in cases:
        token = case.jwt(stage.server.key)
        check = stage.server.admin.post("/v1/provider-tokens/check", json={"token": token}).json()
        assert check["reason"] == "InvalidProviderToken" and case.says[0] in check["sentence"]
        stage.push(case, stage.server.first_token())
        assert any(case.says[0] in t["sentence"] for t in stage.server.get("/v1/troubles")["troubles"])


# 17: jchambers/pushy 509; administrators say otherwise (fleetdm/fleet 52469 and 53252): disputed.


def test_a_replaced_certificate_for_device_management_is_not_for_earlier_tokens(stage):
    other = MDM_TOPIC[:-1] + "c"
    replaced = stage.providers.make("mdm", topic=other)
    token = stage.server.token("device", MDM_TOPIC, "production")
    answer = stage.providers.push(replaced, token, MDM, "production", push_type="mdm", apns_topic=other)
    assert answer.verdict == (400, "DeviceTokenNotForTopic")
    assert (
        f"which needs the topic {MDM_TOPIC}; the push has {other}." in stage.server.recorded(answer)["why"]["sentence"]
    )
    renewed = stage.providers.make("mdm", topic=MDM_TOPIC)
    assert stage.providers.push(renewed, token, MDM, "production", push_type="mdm").verdict == (200, None)
