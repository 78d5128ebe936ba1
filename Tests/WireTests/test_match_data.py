"""S130: Scenarios/data/match.yaml is what docs/behavior says, and phones treat its rows as it promises."""

import json

import pytest
import yaml

from program import REPOSITORY, serving

MATCH = yaml.load((REPOSITORY / "Scenarios/data/match.yaml").read_text(), yaml.CSafeLoader)

# docs/behavior/apps.md#events-of-a-match: event, priority, and whether it alerts.
EVENTS = """
Dot ball|5|No
Single/Double|5|No
Boundary (4)|5|No
Six|5|No
Wicket|10|Yes + sound
50/100 milestone|10|Yes
End of over|5|No
Innings break|10|Yes
Match result|10|Yes
Hat-trick|10|Yes
On hat-trick|10|Yes
Maiden over|10|Yes
Batsman on fire|10|Yes
Bowler on fire|10|Yes
"""
LOUD = {
    "wicket",
    "milestone",
    "inningsBreak",
    "result",
    "hatTrick",
    "onHatTrick",
    "maiden",
    "batsmanOnFire",
    "bowlerOnFire",
}
SILENT = {"dot", "single", "four", "six", "endOfOver"}


def test_the_events_are_those_of_the_guide():
    said = [
        f"{row['title']}|{row['priority']}|{('Yes + sound' if 'sound' in row else 'Yes') if row['alert'] else 'No'}"
        for row in MATCH["events"]
    ]
    assert said == EVENTS.strip().splitlines()
    assert {row["event"] for row in MATCH["events"] if row["alert"]} == LOUD
    assert {row["event"] for row in MATCH["events"] if not row["alert"]} == SILENT
    assert len(MATCH["events"]) == len(LOUD | SILENT)


def test_the_phases_are_those_of_the_guide():
    """docs/behavior/apps.md#phases-of-a-match"""
    phases = {row["phase"]: row for row in MATCH["phases"]}
    assert list(phases) == ["beforeMatch", "detected", "started", "adopted", "live", "suspended", "resumed", "ended"]
    assert phases["beforeMatch"]["apps"] == ["pushToStartToken", "action.follow"]
    assert phases["detected"]["poll"] == "30s"
    assert (phases["started"]["push"], phases["started"]["records"]) == (
        {"event": "start", "to": "pushToStart"},
        "pending",
    )
    assert (phases["adopted"]["apps"], phases["adopted"]["records"]) == (["activityToken"], "active")
    assert phases["live"]["poll"] == "5s"
    assert (phases["suspended"]["poll"], phases["suspended"]["sparesStale"]) == ("60s", True)
    assert (phases["resumed"]["push"]["priority"], phases["resumed"]["sparesStale"]) == (5, False)
    assert phases["ended"]["push"] == {"event": "end", "to": "update", "dismissalAfter": "15m"}
    assert (phases["ended"]["records"], phases["ended"]["follows"]) == ("ended", "cleaned")


@pytest.fixture(scope="module")
def phone(tmp_path_factory):
    base = tmp_path_factory.mktemp("match")
    with serving(
        "--ideal", "--prompt", "never", "--fleet", "3", "--clock", "manual", state=base / "state", home=base / "home"
    ) as server:
        token, _ = server.start_activity()
        yield server, token


@pytest.mark.parametrize("row", MATCH["events"], ids=lambda row: row["event"])
def test_a_row_pushed_is_seen_as_it_says(phone, row):
    """Loud rows are there at once and light the screen; silent ones wait until it suits the phone."""
    server, token = phone
    server.advance("10m")
    aps = {
        "timestamp": server.clock()["unixMilliseconds"] // 1000,
        "event": "update",
        "content-state": {"now": row["event"]},
    }
    if row["alert"]:
        aps["alert"] = {"title": row["title"], "body": row["why"], "sound": row.get("sound", "default")}
    answer = server.push(token, json.dumps({"aps": aps}).encode(), priority=str(row["priority"]))
    assert answer.verdict == (200, None)
    assert server.recorded(answer)["fate"].endswith(
        "Delivered to Device" if row["alert"] else "Stored - Power Considerations"
    )
    server.advance("1s")
    alert = server.get(f"/v1/devices/{token.device}/screen")["alert"]
    assert (alert and alert["title"]) == (row["title"] if row["alert"] else None)
