"""Lists, tokens, actions and Live Activities on the command line."""

import json
import re
import subprocess
from types import SimpleNamespace

import pytest

from commands import said
from program import APP, BINARY, STORE, environment

pytestmark = pytest.mark.tools

SCHEMA = """
fleet:
  devices: 3
  apps:
    - bundleId: com.example.match
      attributesTypes:
        - name: Match
          attributes: {type: object, properties: {home: string, kickOff: date}}
          contentState: {type: object, properties: {phase: {enum: [first, second]}, score: int, scorer: string?}}
"""


@pytest.fixture
def own(pushpit, fails):
    """A server of the test's own, and its command line."""

    def start(*flags: str, **options) -> SimpleNamespace:
        server = pushpit(*(flags or ("--for-tests", "--fleet", "3")), **options)
        return SimpleNamespace(server=server, run=lambda *words: fails(*words, "--state", str(server.state)))

    return start


# Lists


def test_devices_are_listed_by_state(own):
    cli = own()
    assert said(cli.run("do", "d1", "goOffline"))
    lines = said(cli.run("devices")).splitlines()
    assert [line.split()[0] for line in lines] == ["device", "d0", "d1", "d2"]
    assert " offline" in lines[2] and f"{APP} (authorized)" in lines[2] and " online" in lines[1]
    assert [line.split()[0] for line in said(cli.run("devices", "--offline")).splitlines()[1:]] == ["d1"]
    assert [line.split()[0] for line in said(cli.run("devices", "--online")).splitlines()[1:]] == ["d0", "d2"]
    assert json.loads(said(cli.run("devices", "--json", "--offline")))["devices"][0]["id"] == "d1"
    first = cli.run("devices", "--limit", "1")
    assert "add --cursor 1" in first.stderr
    assert said(cli.run("devices", "--cursor", "1")).splitlines()[1].split()[0] == "d1"
    os = json.loads(said(cli.run("devices", "--json")))["devices"][0]["os"]
    assert "d0" in said(cli.run("devices", "--os", os))
    assert 'not "banana".' in said(cli.run("devices", "--os", "banana"), 2)
    assert cli.run("devices", "--app", "com.example.none").stderr.strip() == "No device matches."


def test_a_bare_token_is_for_scripts(own):
    cli = own()
    words = f'"{BINARY}" send --token "$("{BINARY}" tokens d0 --kind device)"'
    env = environment(cli.server.home, PUSHPIT_STATE=str(cli.server.state))
    done = subprocess.run(["bash", "-euc", words], capture_output=True, text=True, timeout=60, env=env)
    assert done.returncode == 0 and done.stdout.startswith("200 "), done.stdout + done.stderr
    device = cli.server.get("/v1/devices/d0")["apps"]
    assert said(cli.run("tokens", "d0", "--kind", "device")).split() == [device[0]["deviceToken"]]
    assert said(cli.run("tokens", "d0", "--kind", "device", "--app", STORE)).split() == [device[1]["deviceToken"]]
    assert "d0 has no token of the kind update" in said(cli.run("tokens", "d0", "--kind", "update"), 1)
    for _ in range(2):
        cli.server.act("d0", "startActivity")
    assert len(said(cli.run("tokens", "d0", "--kind", "update")).split()) == 2
    listed = said(cli.run("tokens", "d0"))
    assert all(device[0][key] in listed for key in ("deviceToken",)) and "pushToStart MatchAttributes" in listed
    assert {row["device"] for row in json.loads(said(cli.run("tokens", "d0", "--json")))["tokens"]} == {"d0"}
    assert {line.split()[0] for line in said(cli.run("tokens", "--kind", "device")).splitlines()[1:]} == {
        "d0",
        "d1",
        "d2",
    }
    assert "did you mean pushToStart?" in said(cli.run("tokens", "--kind", "pushToStar"), 2)


def test_sessions_and_what_they_have_seen(own):
    cli = own()
    cli.server.admin.post("/v1/sessions", json={"name": "goal", "devices": ["d0"]}).raise_for_status()
    cli.server.admin.post("/v1/sessions", json={"name": "past", "devices": ["d1"]}).raise_for_status()
    cli.server.admin.post("/v1/sessions/past/close").raise_for_status()
    assert cli.run("send", "--to", "d0").returncode == 0
    rows = [line.split() for line in said(cli.run("sessions")).splitlines()]
    assert rows[0][:4] == ["session", "state", "opened", "pushes"]
    assert {row[0]: (row[1], row[3]) for row in rows[1:]} == {"goal": ("open", "1"), "past": ("closed", "0")}
    assert cli.run("findings", "--session", "goal").stderr.strip() == "There is no such finding."
    assert cli.run("calls", "--session", "goal").stderr.strip() == "No call matches."
    assert "none" in said(cli.run("calls", "--session", "none"), 1)
    assert "past" not in said(cli.run("sessions", "--open")) and "goal" not in said(cli.run("sessions", "--closed"))


def test_findings_need_an_audit(own):
    assert "--audit" in said(own().run("findings"), 1)


def test_findings_and_calls_are_listed(own):
    cli = own("--for-tests", "--fleet", "3", "--audit", "--profile", "plain", "--backend", "http://127.0.0.1:1")
    assert cli.run("send", "--to", "d0", "--expiration", "1795000000000").returncode == 0
    (heading, finding) = said(cli.run("findings", "--kind", "expirationUnit")).splitlines()
    assert heading.split() == ["time", "kind", "device", "push", "finding"] and " expirationUnit " in finding
    assert "did you mean duplicate?" in said(cli.run("findings", "--kind", "duplicat"), 2)
    said(cli.run("tail", "--types", "call", "--device", "d0", "--after", "0", "--count", "1"))
    (heading, *calls) = said(cli.run("calls", "--device", "d0", "--failed")).splitlines()
    assert heading.split() == ["time", "device", "app", "event", "call", "result"]
    assert calls and all(" d0 " in call and "http://127.0.0.1:1" in call for call in calls)
    assert cli.run("calls", "--device", "d0", "--status", "200").stderr.strip() == "No call matches."


# do


def test_actions_on_one_phone_and_on_many(own):
    cli = own()
    assert "\nactivityStarted " in said(cli.run("do", "d0", "startActivity", 'contentState={"score":0}'))
    assert cli.server.get("/v1/devices/d0/screen")["lockScreen"][0]["contentState"] == {"score": 0}
    said(cli.run("do", "d0", "permit", "notifications=denied"))
    assert cli.server.get("/v1/devices/d0")["apps"][0]["notifications"] == "denied"
    said(cli.run("do", "d0", "switch", "what=focus", "on=true"))
    assert cli.server.get("/v1/devices/d0")["focus"] is True
    assert said(cli.run("do", "all", "goOffline")) == "Done on 3 devices.\n"
    assert said(cli.run("do", "d1,d2", "goOnline")) == "Done on 2 devices.\n"
    assert said(cli.run("do", "all", "goOffline", "--offline"), 1) == ""
    assert said(cli.run("do", "all", "goOnline", "--offline")) == "Done on 1 device.\n"
    assert json.loads(said(cli.run("do", "d0", "unlock", "--json")))["device"]["id"] == "d0"
    rejected = cli.run("do", "d1,d2", "lock", "--json")
    assert rejected.returncode == 1 and json.loads(rejected.stdout)["refused"] == 2
    assert "already unlocked" in said(cli.run("do", "d0", "unlock"), 1)


@pytest.mark.parametrize(
    "words, says",
    [
        (["d0", "rotateTokens"], "did you mean rotate?"),
        (["d0", "permt", "notifications=denied"], "did you mean permit?"),
        (["d0", "permit", "notification=denied"], "did you mean notifications?"),
        (["d0", "permit", "notifications=denid"], "did you mean denied?"),
        (["d0", "permit", "denied"], "KEY=VALUE"),
        (["d0", "lock", "--share", "10%"], "pushpit do all lock"),
        (["all", "lock", 'where={"device":"d0"}'], "where is no detail of an action"),
        (["all", "lock", "cursor=3"], "cursor is no detail of an action"),
        (["d0", "lock", "device=d1"], "device is no detail of an action"),
    ],
)
def test_a_wrong_action_gets_the_nearest_word(server, fails, words, says):
    assert says in said(fails("do", *words, "--state", str(server.state)), 2)


# send --live-activity


def test_a_live_activity_starts_changes_and_ends(own):
    cli = own()
    nothing = cli.run("send", "--to", "d0", "--live-activity", "update")
    assert "`pushpit send --to d0 --live-activity start` starts one." in said(nothing, 1)
    shown = []
    # All within a second: each is newer than the one before.
    for event in ("start", "update", "update", "end"):
        result = cli.run("send", "--to", "d0", "--live-activity", event)
        assert said(result).startswith("200 "), result.stderr
        assert "Delivered to d0; it " in result.stderr and "stale" not in result.stderr
        shown.append(cli.server.get("/v1/devices/d0/screen")["lockScreen"][0])
    assert [card["contentState"] for card in shown] == [{"count": 0}, {"count": 1}, {"count": 2}, {"count": 2}]
    assert [card["state"] for card in shown] == ["active", "active", "active", "ended"]
    assert shown[-1]["dismissesAt"] is not None
    assert "No Live Activity runs on d0" in said(cli.run("send", "--to", "d0", "--live-activity", "end"), 1)


def test_a_payload_fits_the_types_of_the_app(own, tmp_path):
    cli = own("--for-tests", config=SCHEMA)
    texts = []
    for event in ("start", "update", "end"):
        result = cli.run("send", "--to", "d0", "--live-activity", event)
        assert said(result).startswith("200 ") and "content-state-decode" not in result.stderr, result.stderr
        assert re.search(r"it (started|updated|ended) the activity", result.stderr), result.stderr
        texts.append(json.loads(re.search(r"on d0: (\{.*\})$", result.stderr, re.M)[1])["aps"])
    start, update, end = texts
    assert start["attributes-type"] == "Match" and start["attributes"]["home"] == "home" and start["alert"]
    assert start["content-state"] == {"phase": "first", "score": 0, "scorer": "scorer"}
    assert update["content-state"] == start["content-state"] | {"score": 1} == end["content-state"]
    assert start["timestamp"] < update["timestamp"] < end["timestamp"] and "dismissal-date" not in end


def test_a_live_activity_of_the_other_environment_needs_its_flag(own):
    cli = own()
    wrong = cli.run("send", "--to", "d0", "--app", STORE, "--live-activity", "start")
    assert "--production sends to production" in said(wrong, 1)
    right = cli.run("send", "--to", "d0", "--app", STORE, "--production", "--live-activity", "start")
    assert said(right).startswith("200 ")


def test_the_route_and_the_command_mean_the_newest_activity_of_all_apps(own):
    apps = ("com.example.first", "com.example.second")
    types = "".join(f"    - bundleId: {app}\n      attributesTypes: [Match]\n" for app in apps)
    cli = own("--for-tests", config="fleet:\n  devices: 1\n  apps:\n" + types)
    for app in (apps[0], apps[1], apps[0]):
        cli.server.admin.post("/v1/clock", json={"advance": "1s"}).raise_for_status()
        cli.server.act("d0", "startActivity", app=app)
        found = {app["bundleId"]: app["activities"] for app in cli.server.get("/v1/devices/d0")["apps"]}
        newest = found[app][-1]["id"]
        assert newest in cli.run("send", "--to", "d0", "--live-activity", "update").stderr
        payload = {"aps": {"timestamp": 1, "event": "update", "content-state": {}}}
        sent = cli.server.admin.post("/v1/devices/d0/pushes", json={"payload": payload}).json()
        assert newest in json.dumps(sent["story"]), sent


def test_output_that_is_lost_is_an_error(server):
    for words in (["tokens", "d0", "--kind", "device"], ["devices"], ["settings"], ["load", "--count", "1", "--json"]):
        with open("/dev/full", "w") as full:
            command = [str(BINARY), *words, *([] if words == ["settings"] else ["--state", str(server.state)])]
            done = subprocess.run(
                command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, env=environment(server.home)
            )
        assert done.returncode == 2 and "standard output cannot be written: No space left" in done.stderr, words


def test_a_push_is_signed_by_a_key_of_the_team_of_its_app(own):
    app = "com.acme.shop"
    cli = own("--for-tests", "--fleet", "1", "--app", f"{app}:sandbox:Order:ACME123456", "--app", "com.example.app")
    assert said(cli.run("keys", "make", "--team-id", "PUSHPIT001"))
    for words in (["--app", app], ["--app", "com.example.app"], ["--app", app, "--live-activity", "start"]):
        result = cli.run("send", "--to", "d0", *words)
        assert said(result).startswith("200 "), (words, result.stdout, result.stderr)
    assert (
        f"d0 has no app com.example.none; its apps are {app} and"
        in cli.run("send", "--to", "d0", "--app", "com.example.none", "--live-activity", "start").stderr
    )


def test_a_header_that_cannot_be_sent_is_said(server, fails):
    for flag in ("topic", "priority", "collapse-id"):
        result = fails("send", "--to", "d0", f"--{flag}", "\x1b[31mx", "--state", str(server.state))
        assert f"apns-{flag} cannot be sent: its value has a control character." in said(result, 2)


# A shorter way


def test_commands_with_lists_list_by_default(server, fails):
    for words in (["channels"], ["fault"], ["push", "--limit", "1"], ["keys"]):
        said(fails(*words, "--state", str(server.state)))


def test_a_tail_of_an_unknown_device_ends(server, fails):
    result = fails("tail", "--device", "d99999", "--state", str(server.state))
    assert 'There is no device "d99999"' in said(result, 2)
