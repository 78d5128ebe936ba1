"""docs/profiles.md: every YAML block loads, and every word the program knows is there."""

import re
import shlex
import textwrap

import pytest
import yaml

from program import REPOSITORY

PAGE = (REPOSITORY / "docs/profiles.md").read_text()
BLOCKS = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.S | re.M)
APP = """\
bundleId: com.you.app
attributesTypes:
  - name: MatchAttributes
    attributes: {type: object, properties: {matchId: string, title: string?}}
    contentState: {type: object, properties: {suspended: bool?}}
reports:
"""


def profile(reports: str) -> str:
    return APP + textwrap.indent(reports, "  ")


def said(fails, tmp_path, text: str) -> str:
    """The program's error for a profile that it rejects."""
    path = tmp_path / "profile.yaml"
    path.write_text(text)
    done = fails("serve", "--profile", str(path), "--port", "0")
    assert done.returncode == 2, done.stderr
    return done.stderr


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[0])
def test_a_block_loads(pushpit, tmp_path, block):
    """A whole profile, a settings file, or the inside of `reports`."""
    if block.startswith("fleet:"):
        server = pushpit("--fleet", "2", config=block)
    else:
        path = tmp_path / "profile.yaml"
        path.write_text(block if block.startswith("bundleId:") else profile(block))
        server = pushpit("--fleet", "2", "--profile", str(path), "--backend", "http://127.0.0.1:9")
    bundles = {app["bundleId"] for app in server.device("d0")["apps"]}
    assert bundles == ({"com.sightscreen.app", "com.you.news"} if block.startswith("fleet:") else {"com.you.app"})


def test_there_are_blocks_of_every_kind():
    starts = [block.split(":")[0] for block in BLOCKS]
    assert starts.count("bundleId") >= 2 and "fleet" in starts and len(starts) >= 6


@pytest.mark.parametrize("command", re.findall(r"^pushpit serve.*$", PAGE.replace("\\\n", " "), re.M))
def test_a_command_shown_starts(pushpit, command):
    pushpit(*shlex.split(command)[2:]).stop()


# A word that is near to none makes the program list all it knows.
LISTED = {
    "events": "on: {qqqqqqqqqqqqqqqqqqqqqqqq: []}",
    "values": 'headers: {a: "{{qqqqqqqqqqqqqqqqqqqqqqqq}}"}',
    "keys of reports": "qqqqqqqqqqqqqqqqqqqqqqqq: 1",
    "keys of requests": "on: {launch: [{qqqqqqqqqqqqqqqqqqqqqqqq: 1}]}",
    "keys of steps": 'on: {launch: [{url: "{{backend}}", then: [{qqqqqqqqqqqqqqqqqqqqqqqq: 1}]}]}',
    "occasions": 'on: {launch: [{url: "{{backend}}", retry: [qqqqqqqqqqqqqqqqqqqqqqqq]}]}',
    "members of device": 'headers: {a: "{{device.qqqqqqqqqqqqqqqqqqqqqqqq}}"}',
    "members of install": 'headers: {a: "{{install.qqqqqqqqqqqqqqqqqqqqqqqq}}"}',
    "members of user": 'headers: {a: "{{user.qqqqqqqqqqqqqqqqqqqqqqqq}}"}',
    "members of time": 'headers: {a: "{{time.qqqqqqqqqqqqqqqqqqqqqqqq}}"}',
    "members of token": 'headers: {a: "{{token.qqqqqqqqqqqqqqqqqqqqqqqq}}"}',
    "members of activity": 'headers: {a: "{{activity.qqqqqqqqqqqqqqqqqqqqqqqq}}"}',
    "members of notification": 'headers: {a: "{{notification.qqqqqqqqqqqqqqqqqqqqqqqq}}"}',
}


@pytest.mark.parametrize("what", LISTED)
def test_every_word_the_program_knows_is_on_the_page(fails, tmp_path, what):
    answer = said(fails, tmp_path, profile(LISTED[what] + "\n"))
    words = re.search(r"(?:there|valid keys) are ([\w., ]+?)\.(?:\s|$)", answer)
    assert words, answer
    known = re.split(r", | and ", words[1])
    assert known
    prefix = what.removeprefix("members of ") + "." if what.startswith("members of ") else ""
    prose = re.sub(r"^```.*?^```", "", PAGE, flags=re.S | re.M)
    code = re.findall(r"`([^`\n]+)`", prose)
    missing = [
        w for w in known if not any(re.search(rf"(?<![\w.]){re.escape(prefix + w)}(?!\w)", text) for text in code)
    ]
    assert not missing


# A value with members is used by one of them.
ROOTS = {"token": "token.hex", "activity": "activity.id", "notification": "notification.title", "arg": "arg.NAME"}


def test_each_value_beside_an_event_can_be_used_there(pushpit, tmp_path):
    table = PAGE.split("## Events")[1].split("\n```")[0]
    on = {}
    for events, values in re.findall(r"^\| (`[^|]+) \| [^|]+ \|([^|]*)\|$", table, re.M):
        words = re.findall(r"`(\w+)`", values.split("such as")[0])
        json = {word: "{{" + ROOTS.get(word, word) + "}}" for word in words}
        for event in re.findall(r"`([\w.]+)`", events):
            on[event] = [{"url": "{{backend}}/x", "json": json}]
    assert len(on) > 20 and sum(bool(row[0]["json"]) for row in on.values()) > 10
    path = tmp_path / "profile.yaml"
    touch = "categories: {MESSAGE: {buttons: {NAME: Name}, reply: Reply}}\n"
    path.write_text(touch + profile(yaml.safe_dump({"on": on})))
    pushpit("--fleet", "1", "--profile", str(path), "--backend", "http://127.0.0.1:9").stop()


def test_the_failures_named_are_those_of_the_api(server):
    document = yaml.load(server.admin.get("/openapi.yaml").text, yaml.CSafeLoader)
    known = [word for word in document["components"]["schemas"]["Call"]["properties"]["failure"]["enum"] if word]
    assert re.findall(r"`(\w+)`", re.search(r"or the failure: (.*?)\.\n", PAGE, re.S)[1]) == known
