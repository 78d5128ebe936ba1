"""Plays the rows of Tests/WireTests/behavior: one file for each page of docs/behavior, with rows for its sections.

    names: cause                # optional: where the name of each section must appear; a row need not repeat it
    rows:
      - section: storage        # the anchor of a heading; then `unplayed`, `test`, or what is played
        unplayed: a definition  # why nothing can be played
        test: WireTests/test_a.py::test_b  # or the test that plays it already, for frames and the like
        failure: 19-lost-answer # or the file of Scenarios/failures: `appears` is looked for in the report of a run with
        bug: restamps-retries   # this bug, by test_failures.py
        about: two stored       # optional, if a section has several rows
        named: false            # instead of `names`; false if the section's name is no such word
        settings: {wakes.chance: 0%, app.sounds: [a.caf]}  # `app` is the first of fleet.apps; null is the default
        scenario: {for: 1h, steps: […], faults: […], expect: […]}  # as in Scenarios; on new phones
        requests:               # after the scenario, in order; without a scenario on new phones
          - {push: d0, kind: voip, headers: {apns-priority: "7"}, payload: {…}, status: 400, reason: BadPriority}
          - {do: goOffline, device: d0}                        # an action of the admin API
          - {advance: 1h}
          - {admin: "GET /v1/rules", json: {…}, status: 200, shows: a pattern in the answer}
          - {admin: "GET /v1/findings", awaits: a pattern that will be in the answer}
        appears: [{cause: throttled}, {why: a part of the sentence}]

A `push` goes to the phone's newest token of that `kind` (device), as in `GET /v1/tokens`, and `app`, a bundle id (the
first); or to `token`, any text. `topic` and `type` follow from the kind unless given, and so does every other header
unless `headers` has it; one that is null is left out. `raw` is the body as text. `provider: {iat: -2h, kid: …}` changes
the provider token. Headers and payloads may have `{{time.unix + 5m}}`. The aliases of Tests/SettingEffects/shared.yaml
are there (`*start`, `*update`, `*alert`, …), and in scenarios LONG is a text of 3,500 bytes.

Each key of `appears` is one of PLACES, where its word must be found after the row was played.
"""

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import httpx
import yaml

from behavior_wire import Provider
from program import APP, REPOSITORY, Pushpit
from wire import TIMEOUT
from yaml12 import Loader

PAGES = REPOSITORY / "docs/behavior"
ROWS = REPOSITORY / "Tests/WireTests/behavior"
SHARED = REPOSITORY / "Tests/SettingEffects/shared.yaml"

USUAL = {
    "fleet.devices": 3,
    "fleet.ideal": True,
    "fleet.os": "26.1:1",
    "audit": True,
    "clock": "manual",
    "prompt.policy": "never",
    "timing.immediate": True,
    "wakes.chance": "100%",
    "rules.updateTokenRate": 0,
    "app.bundleId": APP,
    "app.attributesTypes": ["MatchAttributes"],
    "app.services": ["voip", "widgets", "controls", "location", "pushToTalk", "complication", "fileProvider"],
}
"""Phones without whims, so that a row shows one thing; a row's `settings` override single keys."""

OTHER_APP = {
    "bundleId": "com.example.second",
    "attributesTypes": [
        {
            "name": "OrderAttributes",
            "attributes": {"type": "object", "properties": {"order": "string"}},
            "contentState": {"type": "object", "properties": {"status": "string", "readyAt": "date?"}},
        },
        {"name": "LargeAttributes", "images": "tooLarge"},
        {"name": "MissingAttributes", "images": "missing"},
    ],
}


# The pages and their rows


@dataclass
class Heading:
    title: str
    has_text: bool = False
    """True if the section has a separate text."""


def headings(page: str) -> dict[str, Heading]:
    """The sections of a page by their anchors, as GitHub makes them."""
    found: dict[str, Heading] = {}
    for line in (PAGES / f"{page}.md").read_text().splitlines():
        if title := re.match(r"##+ (.+)", line):
            kept = re.sub(r"[^\w -]", "", title[1].lower())
            found[kept.replace(" ", "-")] = Heading(title[1])
        elif found and line.strip() and not line.startswith("["):
            found[list(found)[-1]].has_text = True
    return found


@dataclass(frozen=True)
class Row:
    page: str
    fields: dict

    KEYS = ("section", "about", "unplayed", "test", "failure", "bug", "named", "settings", "scenario", "requests")
    KEYS += ("appears",)

    @property
    def section(self) -> str:
        return self.fields["section"]

    def __str__(self) -> str:
        return f"{self.page}#{self.section}" + (f"-{self.fields['about']}" if "about" in self.fields else "")

    @property
    def is_played(self) -> bool:
        return not {"unplayed", "test", "failure"} & set(self.fields)

    @property
    def settings(self) -> dict:
        return USUAL | self.fields.get("settings", {})

    @property
    def appears(self) -> list[dict]:
        return self.fields.get("appears", [])

    @property
    def proofs(self) -> list:
        """Everything in it that can fail."""
        answers = [
            request
            for request in self.fields.get("requests", [])
            if {"push", "token", "request", "status", "shows"} & set(request)
        ]
        return [*self.fields.get("scenario", {}).get("expect", []), *answers, *self.appears]


def rows(path: Path) -> list[Row]:
    page = yaml.load(SHARED.read_text() + path.read_text(), Loader)
    made, sections = [], headings(path.stem)
    for fields in page["rows"]:
        row = Row(path.stem, fields)
        if row.is_played and (place := fields.get("named", page.get("names"))):
            fields["appears"] = [*row.appears, {place: sections[row.section].title}]
        made.append(row)
    return made


def nested(flat: dict) -> dict:
    """The settings as a file has them."""
    tree: dict = {}
    for key, value in ((key, value) for key, value in flat.items() if value is not None):
        *outer, last = key.split(".")
        node = tree
        for name in outer:
            node = node.setdefault(name, {})
        node[last] = value
    tree["fleet"]["apps"] = [tree.pop("app"), *tree["fleet"].get("apps", [OTHER_APP])]
    return tree


# Playing


LONG = "long " * 700


def play(server: Pushpit, row: Row) -> None:
    """Plays the row on new phones; fails if an expectation or an answer is not the row's."""
    if (scenario := row.fields.get("scenario")) is not None:
        play_scenario(server, str(row), scenario)
    else:
        order(server, "POST /v1/reset", {"everything": True})
    with Provider(server) as provider:
        for request in row.fields.get("requests", []):
            do(server, provider, request)


def order(server: Pushpit, line: str, body: object = None, status: int | None = None) -> httpx.Response:
    method, path = line.split()
    response = server.admin.request(method, path, json=body)
    wanted = {status} if status else {200, 201}
    assert response.status_code in wanted, f"{line}: {response.status_code} {response.text}"
    return response


def asked(server: Pushpit, request: dict) -> str:
    answer = order(server, request["admin"], request.get("json"), request.get("status"))
    is_json = "json" in answer.headers["content-type"]
    return json.dumps(answer.json(), ensure_ascii=False) if is_json else answer.text


def play_scenario(server: Pushpit, name: str, scenario: dict) -> None:
    whole = {"expect": [{"pushes": {}, "count": "0.."}]} | scenario
    opened = order(server, "POST /v1/scenarios", {"name": name, "text": json.dumps(whole).replace("LONG", LONG)}).json()
    path = f"/v1/scenarios/{opened['id']}"
    moved = order(server, f"POST {path}/move", {"to": opened["length"]}).json()
    assert moved["over"], moved
    report = order(server, f"GET {path}").json()["report"]
    order(server, f"DELETE {path}")
    failed = [verdict for verdict in report["expectations"] if not verdict["passed"]]
    assert not failed, json.dumps(failed, indent=1)


def do(server: Pushpit, provider: Provider, request: dict) -> None:
    if "push" in request or "token" in request:
        provider.push(request)
    elif "request" in request:
        provider.request(request)
    elif "take" in request:
        provider.take(request)
    elif "advance" in request:
        server.advance(request["advance"])
    elif "admin" in request:
        deadline = time.monotonic() + TIMEOUT
        while not re.search(request.get("awaits", ""), text := asked(server, request)):
            assert time.monotonic() < deadline, text
        assert re.search(request.get("shows", ""), text), text
    else:
        fields = {key: value for key, value in request.items() if key not in ("do", "device")}
        server.act(request["device"], request["do"], **fields)


# What a developer sees then


class Seen:
    """The state of the server after a row was played."""

    def __init__(self, server: Pushpit):
        self.server = server

    @cached_property
    def pushes(self) -> list[dict]:
        return self.server.pushes(limit=1000)

    @cached_property
    def devices(self) -> list[str]:
        return [device["id"] for device in self.server.pages("/v1/devices", "devices")]

    @cached_property
    def log(self) -> list[dict]:
        return [line for id in self.devices for line in self.server.pages(f"/v1/devices/{id}/log", "lines")]

    @cached_property
    def story(self) -> list[dict]:
        return [line for push in self.pushes for line in push["story"]]

    @cached_property
    def reactions(self) -> list[dict]:
        return [push["reaction"] for push in self.pushes if push["reaction"]]

    @cached_property
    def broadcasts(self) -> list[dict]:
        return self.server.get("/v1/broadcasts", limit=1000)["requests"]

    @cached_property
    def findings(self) -> list[dict]:
        return self.server.get("/v1/findings", limit=1000)["findings"]

    @cached_property
    def logged(self) -> list[str]:
        """The causes on phones: in the story of a push and in the phone's log, and in `why` if it was dropped."""
        causes = {line.get("cause") for line in self.log}
        return [
            cause
            for push in self.pushes
            for line in push["story"]
            if (cause := line.get("cause")) in causes
            and (line["event"] != "dropped" or f"({cause})" in push["why"]["sentence"])
        ]

    @cached_property
    def told(self) -> list[str]:
        """The remarks that are everywhere: in a story, in `why`, in the log of the phone, in lint and in a finding."""
        everywhere = [
            "\n".join(push["why"]["sentence"] for push in self.pushes),
            "\n".join(line["sentence"] for line in self.log),
            "\n".join(found["sentence"] for found in self.checks),
            "\n".join(finding["sentence"] for finding in self.findings),
        ]
        return [
            line["cause"]
            for line in self.story
            if line["event"] == "remark" and all(line["sentence"] in text for text in everywhere)
        ]

    @property
    def checks(self) -> Iterator[dict]:
        for row in self.pushes:
            yield from self.server.get(f"/v1/pushes/{row['apnsId']}")["lint"] or []

    def each(self, path: str, field: str) -> list[dict]:
        return self.server.get(path, limit=1000)[field]


@dataclass(frozen=True)
class Place:
    """The place of a word: the whole of a value, or a part of a text."""

    values: Callable[[Seen], Iterator | list]
    is_text: bool = False

    def has(self, seen: Seen, word: object) -> bool:
        return any(
            value is not None and (str(word) in str(value) if self.is_text else word == value)
            for value in self.values(seen)
        )


PLACES = {
    "status": Place(lambda seen: [push["answer"]["status"] for push in seen.pushes]),
    "reason": Place(lambda seen: [push["reason"] for push in seen.pushes]),
    "rule": Place(lambda seen: [push["why"]["rule"] for push in seen.pushes]),
    "why": Place(lambda seen: [push["why"]["sentence"] for push in seen.pushes], is_text=True),
    "mark": Place(lambda seen: [push["why"]["evidence"] for push in seen.pushes]),
    "source": Place(lambda seen: [push["why"]["source"] for push in seen.pushes], is_text=True),
    "fate": Place(lambda seen: [fate for push in seen.pushes for fate in push["fate"].split(", ")]),
    "outcome": Place(lambda seen: [reaction["outcome"] for reaction in seen.reactions]),
    "cause": Place(lambda seen: [line.get("cause") for line in seen.story]),
    "logged": Place(lambda seen: seen.logged),
    "story": Place(lambda seen: [line["sentence"] for line in seen.story], is_text=True),
    "remark": Place(lambda seen: [word for reaction in seen.reactions for word in reaction["remarks"]]),
    "told": Place(lambda seen: seen.told),
    "lint": Place(lambda seen: [found["sentence"] for found in seen.checks], is_text=True),
    "log": Place(lambda seen: [line["sentence"] for line in seen.log], is_text=True),
    "event": Place(lambda seen: [line["event"] for line in seen.log]),
    "screen": Place(lambda seen: [seen.server.get(f"/v1/devices/{id}/screen") for id in seen.devices], is_text=True),
    "finding": Place(lambda seen: [finding["kind"] for finding in seen.findings]),
    "found": Place(lambda seen: [finding["sentence"] for finding in seen.findings], is_text=True),
    "channelRule": Place(lambda seen: [request["rule"] for request in seen.broadcasts]),
    "broadcast": Place(lambda seen: seen.broadcasts, is_text=True),
    "trouble": Place(lambda seen: seen.each("/v1/troubles", "troubles"), is_text=True),
    "call": Place(lambda seen: seen.each("/v1/calls", "calls"), is_text=True),
}


def missing(seen: Seen, words: list[dict]) -> list[dict]:
    """The words that appear nowhere in their place."""
    return [pair for pair in words for place, word in pair.items() if not PLACES[place].has(seen, word)]


# What the report of a run shows


REPORTED: dict[str, Callable[[dict], list]] = {
    "reason": lambda report: [row["reason"] for row in report["pushes"]["answers"]],
    "sent": lambda report: list(report["pushes"]["sentOtherwise"]),
    "strike": lambda report: list(report["connections"]["faultStrikes"]),
    "broadcast": lambda report: [name for name, count in report["broadcasts"].items() if count],
    "call": lambda report: [name for name, count in report["calls"].items() if count],
    "trouble": lambda report: list(report["troubles"]),
    "cause": lambda report: [row["cause"] for row in report["fates"]],
    "outcome": lambda report: [row["outcome"] for row in report["fates"]],
    "fate": lambda report: [row["status"] for row in report["fates"]],
    "finding": lambda report: [row["kind"] for row in report["findings"]],
    "retries": lambda report: [name for name, count in report["retries"].items() if count],
}
"""The places of words in the JSON report of a run."""


def missing_in_report(report: dict, words: list[dict]) -> list[dict]:
    return [pair for pair in words for place, word in pair.items() if word not in REPORTED[place](report)]
