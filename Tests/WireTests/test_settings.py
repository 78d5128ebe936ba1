"""Every setting: listed, documented, reached by its flag or by --set, and harmless at its extremes."""

import json
import re

import pytest

from program import APP, REPOSITORY, SMOOTH, live_activity


def settings(fails) -> dict[str, dict[str, str]]:
    """The tables of `pushpit settings --markdown`, by key."""
    text = fails("settings", "--markdown").stdout.split("## Each app")[0]
    rows = {}
    for line in text.splitlines():
        cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 6 and cells[0].startswith("`"):
            rows[cells[0].strip("`")] = dict(
                zip(("value", "default", "spelt", "help", "ground"), (c.strip("`") for c in cells[1:]))
            )
    return rows


def flags(rows) -> dict[str, str]:
    return {m.group(): key for key, row in rows.items() if (m := re.search(r"--[a-z-]+", row["spelt"]))}


def test_every_setting_has_its_default_and_a_help_text(fails):
    rows = settings(fails)
    assert len(rows) >= 120
    assert [k for k, row in rows.items() if not row["help"].endswith(".")] == []
    assert {k for k, row in rows.items() if not row["default"]} == {
        "listen.ports",
        "listen.productionHost",
        "state",
        "fleet.runningActivities",
        "reports.backend",
    }
    assert rows["fleet.mix.offline"]["default"] == "2%" and rows["lives.deadActivityAnswer"]["ground"].startswith(
        "Disputed: "
    )


def test_the_flags_of_serve_are_those_of_the_settings(fails):
    rows = settings(fails)
    shown = set(re.findall(r"^  (--[a-z-]+)", fails("serve", "--help-all").stdout, re.M))
    assert shown - {
        "--config",
        "--app",
        "--profile",
        "--key",
        "--set",
        "--tape",
        "--resume",
        "--report",
        "--ready-file",
        "--help-all",
        "--version",
    } == set(flags(rows))


def test_every_flag_reaches_its_own_setting(fails):
    """A wrong value is refused in the name of the setting that the table gives to the flag."""
    rows = settings(fails)
    tried = 0
    for flag, key in flags(rows).items():
        if rows[key]["value"] in ("true|false", "address", "folder", "host,…", "bundle,…"):
            continue
        result = fails("serve", flag, "surely not a value")
        assert (result.returncode, f"{flag}: {key} must be " in result.stderr) == (2, True), (flag, result.stderr)
        tried += 1
    assert tried >= 15


def test_set_reaches_what_has_no_flag(pushpit):
    server = pushpit(
        "--fleet",
        "20",
        "--set",
        "fleet.mix.offline=100%",
        env={"PUSHPIT_SET": "fleet.mix.island=0%; fleet.mix.offline=0%"},
    )
    devices = list(server.pages("/v1/devices", "devices"))
    assert len(devices) == 20 and not any(d["online"] for d in devices)
    assert server.get("/v1/devices/d0/screen")["dynamicIsland"]["presentation"] == "absent"


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("fleet.mix.ofline=5%", "did you mean fleet.mix.offline?"),
        ("fleet.mix.offline=101%", "a share from 0% to 100%"),
        ("fleet.mix.offline", "KEY=VALUE"),
        ("fleet.apps=com.a", "--app"),
        ("zzz=1", "`pushpit settings` lists all"),
    ],
)
def test_a_wrong_set_is_one_sentence_that_helps(fails, pair, words):
    result = fails("serve", "--set", pair)
    assert result.returncode == 2 and result.stderr.startswith("Error: --set: ") and words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_settings_can_be_narrowed(fails):
    text = fails("settings", "fleet.mix").stdout
    assert "fleet.mix.offline: 2%" in text and "rules." not in text
    assert fails("settings", "zzz").returncode == 2


def test_the_document_of_settings_is_what_the_program_says(fails):
    assert fails("settings", "--markdown").stdout == (REPOSITORY / "docs/settings.md").read_text()


EXTREMES = {
    "least": {"duration": "0s", "from..to": "0s", "percent": "0%", "n": "0"},
    "most": {"duration": "36525d", "from..to": "36525d", "percent": "100%", "n": "1000000"},
}


@pytest.mark.parametrize("end", EXTREMES)
def test_no_extreme_of_a_habit_or_budget_harms_the_server(fails, pushpit, end):
    """Phones take pushes, and time passes, with every number of phones, people and APNs at one end of what is
    allowed."""
    flags = []
    for key, row in settings(fails).items():
        form = next((f for f in EXTREMES[end] if f in row["value"].split("|")), None)
        if form is None or key.startswith(("listen.", "wire.", "rules.", "fleet.", "ledger.", "prompt.")):
            continue
        pair = f"{key}={EXTREMES[end][form]}"
        said = fails("serve", "--set", pair, "--set", "wire.loops=this never starts").stderr
        if f"{key} must be" in said:  # this number is beyond what is allowed: take the end that is named
            least, most = re.search(r"(?:from|of at least) (\w+)(?: to (\w+))?", said).groups()
            pair = f"{key}={least if end == 'least' or most is None else most}"
        flags += ["--set", pair]
    assert len(flags) > 80
    server = pushpit(*SMOOTH, *flags, "--fleet", "10", "--clock", "manual", "--running-activities", "1")
    start = server.token("pushToStart")
    for number in range(3):
        for token in [start, *server.tokens("update")[:5]]:
            event = "start" if token is start else "update"
            for priority in ("10", "5"):
                assert server.push(token, live_activity(event, timestamp=number), priority=priority).status in (
                    200,
                    410,
                )
        for token in server.tokens("device")[:5]:
            assert (
                server.push(token, b'{"aps":{"content-available":1}}', push_type="background", priority="5").status
                == 200
            )
        for token in server.tokens("voip")[:5]:
            assert server.push(token).status == 200
        for do in ("reboot", "unlock", "goOffline", "goOnline"):
            server.act(start.device, do)
        server.act(start.device, "open", app=APP)
        server.advance("1h")
        assert server.get(f"/v1/devices/{start.device}/screen")
    for _ in range(10):  # in pieces, so that no request takes long on a busy machine
        server.advance("30d")
    server.assert_serving()


def test_the_admin_api_lists_the_settings_in_force(pushpit):
    server = pushpit("--fleet", "7", "--set", "fleet.mix.offline=5%")
    [offline] = server.get("/v1/settings", prefix="fleet.mix.offline")["settings"]
    assert (offline["value"], offline["form"]) == ("5%", "percent") and offline["default"] != "5%"
    everything = {row["key"]: row["value"] for row in server.get("/v1/settings")["settings"]}
    assert everything["fleet.devices"] == "7" and len(everything) > 150
    assert server.get("/v1/settings", prefix="nothing")["settings"] == []


def test_a_push_of_the_admin_api_is_signed_with_a_key_of_the_server(pushpit):
    server = pushpit("--fleet", "5", "--ideal")
    order = {"payload": {"aps": {"alert": "Goal!"}}}
    pushes = [server.admin.post("/v1/devices/d1/pushes", json=order).json() for _ in range(3)]
    assert [push["outcome"] for push in pushes] == ["banner"] * 3
    assert {push["provider"]["keyId"] for push in pushes} == {server.ready["keys"][0]["keyId"]}
    assert len({json.dumps(push["request"]["providerToken"]) for push in pushes}) == 1
    assert server.get("/v1/pushes", limit=3)["pushes"][0]["apnsId"] == pushes[-1]["apnsId"]
