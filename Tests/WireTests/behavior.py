"""Plays the rows of Tests/WireTests/behavior: one file for each page of docs/behavior, with rows for its sections.

    names: cause                # optional: where the name of each section must appear; a row need not repeat it
    rows:
      - section: storage        # the anchor of a heading; then `unplayed`, `test`, or what is played
        unplayed: a definition  # why nothing can be played
        test: WireTests/test_a.py::test_b  # or the test that plays it already, for frames and the like
        about: two stored       # optional, if a section has several rows
        named: false            # instead of `names`; false if the section's name is no such word
        settings: {wakes.chance: 0%, app.sounds: [a.caf]}  # `app` is the first of fleet.apps; null is the default
        scenario: {for: 1h, steps: […], faults: […], expect: […]}  # as in Scenarios; on new phones
        requests:               # after the scenario, in order; without a scenario on new phones
          - {push: d0, kind: voip, headers: {apns-priority: "7"}, payload: {…}, status: 400, reason: BadPriority}
          - {do: goOffline, device: d0}                        # an action of the admin API
          - {advance: 1h}
          - {admin: "GET /v1/rules", json: {…}, status: 200, shows: a pattern in the answer}
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

from program import APP, REPOSITORY, Pushpit, Token
from provider_tokens import ABSENT
from test_scenarios import Loader

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


def headings(page: str) -> dict[str, bool]:
    """The anchors of a page's sections, as GitHub makes them, and whether a section has a text of its own."""
    found: dict[str, bool] = {}
    for line in (PAGES / f"{page}.md").read_text().splitlines():
        if title := re.match(r"##+ (.+)", line):
            kept = re.sub(r"[^\w -]", "", title[1].lower())
            found[kept.replace(" ", "-")] = False
        elif found and line.strip() and not line.startswith("["):
            found[list(found)[-1]] = True
    return found


@dataclass(frozen=True)
class Row:
    page: str
    fields: dict

    KEYS = ("section", "about", "unplayed", "test", "named", "settings", "scenario", "requests", "appears")

    @property
    def section(self) -> str:
        return self.fields["section"]

    def __str__(self) -> str:
        return f"{self.page}#{self.section}" + (f"-{self.fields['about']}" if "about" in self.fields else "")

    @property
    def is_played(self) -> bool:
        return not {"unplayed", "test"} & set(self.fields)

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
            request for request in self.fields.get("requests", []) if {"status", "reason", "shows"} & set(request)
        ]
        return [*self.fields.get("scenario", {}).get("expect", []), *answers, *self.appears]


def rows(path: Path) -> list[Row]:
    page = yaml.load(SHARED.read_text() + path.read_text(), Loader)
    made = []
    for fields in page["rows"]:
        row = Row(path.stem, fields)
        if row.is_played and (place := fields.get("named", page.get("names"))):
            fields["appears"] = [*row.appears, {place: row.section}]
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
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MOMENT = re.compile(r"\{\{time\.unix(?: ([+-]) (\d+)([smhd]))?\}\}")


def moments(value, now: int):
    """The value with times for `{{time.unix + 5m}}`."""
    if isinstance(value, dict):
        return {key: moments(inner, now) for key, inner in value.items()}
    if isinstance(value, list):
        return [moments(inner, now) for inner in value]
    if not isinstance(value, str):
        return value

    def moment(match: re.Match) -> str:
        return str(now + int(f"{match[1] or '+'}{match[2] or 0}") * UNITS[match[3] or "s"])

    text = MOMENT.sub(moment, value)
    return int(text) if MOMENT.fullmatch(value) else text


def play(server: Pushpit, row: Row) -> None:
    """Plays the row on new phones; fails if an expectation or an answer is not the row's."""
    if (scenario := row.fields.get("scenario")) is not None:
        play_scenario(server, str(row), scenario)
    else:
        order(server, "POST /v1/reset", {"everything": True})
    for request in row.fields.get("requests", []):
        do(server, request)


def order(server: Pushpit, line: str, body: object = None, status: int | None = None) -> httpx.Response:
    method, path = line.split()
    response = server.admin.request(method, path, json=body)
    wanted = {status} if status else {200, 201}
    assert response.status_code in wanted, f"{line}: {response.status_code} {response.text}"
    return response


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


def do(server: Pushpit, request: dict) -> None:
    if "push" in request or "token" in request:
        push(server, request)
    elif "advance" in request:
        server.advance(request["advance"])
    elif "admin" in request:
        answer = order(server, request["admin"], request.get("json"), request.get("status"))
        is_json = "json" in answer.headers["content-type"]
        text = json.dumps(answer.json(), ensure_ascii=False) if is_json else answer.text
        assert re.search(request.get("shows", ""), text), text
    else:
        fields = {key: value for key, value in request.items() if key not in ("do", "device")}
        server.act(request["device"], request["do"], **fields)


SUFFIXES = {
    "pushToStart": (".push-type.liveactivity", "liveactivity"),
    "update": (".push-type.liveactivity", "liveactivity"),
    "voip": (".voip", "voip"),
    "widgets": (".push-type.widgets", "widgets"),
    "controls": (".push-type.controls", "controls"),
    "location": (".location-query", "location"),
    "pushToTalk": (".voip-ptt", "pushtotalk"),
    "complication": (".complication", "complication"),
    "fileProvider": (".pushkit.fileprovider", "fileprovider"),
}


PUSH_KEYS = {"push", "token", "kind", "app", "topic", "type", "headers", "payload", "raw", "provider"}
PUSH_KEYS |= {"status", "reason"}


def push(server: Pushpit, request: dict) -> None:
    assert set(request) <= PUSH_KEYS, f"no such keys: {set(request) - PUSH_KEYS}"
    kind, app = request.get("kind", "device"), request.get("app", APP)
    suffix, push_type = SUFFIXES.get(kind, ("", "alert"))
    now = server.clock()["unixMilliseconds"] // 1000
    topic = request.get("topic", app + suffix)
    text = request.get("token") or current(server, request["push"], kind, app)
    token = Token(text, {"device": request.get("push"), "app": app, "topic": topic})
    usual = server.headers(token, jwt(server, request.get("provider")), push_type=request.get("type", push_type))
    headers = dict(usual) | {"apns-topic": topic} | moments(request.get("headers", {}), now)
    payload = json.dumps(moments(request.get("payload", {}), now))
    body = request.get("raw", payload).encode()
    with server.wire() as wire:
        answer = wire.request([(name, value) for name, value in headers.items() if value is not None], body)
    assert answer.verdict == (request.get("status", 200), request.get("reason")), request


def current(server: Pushpit, device: str, kind: str, app: str) -> str:
    """The newest token of that kind."""
    found = [token.text for token in server.each_token(kind, app, None) if token.device == device]
    assert found, f"{device} has no token of {app} of the kind {kind}"
    return found[-1]


def jwt(server: Pushpit, changes: dict | None) -> str | None:
    """A provider token with some claims and headers changed; nil for the usual one."""
    if changes is None:
        return None
    values = {name: ABSENT if value is None else value for name, value in changes.items()}
    if isinstance(ago := values.get("iat"), str):
        values["iat"] = int(time.time()) + int(ago[:-1]) * UNITS[ago[-1]]
    header = {name: values.pop(name) for name in ("alg", "kid", "typ") if name in values}
    return server.key.token(header, values)


# What a developer sees then


class Seen:
    """What the server shows after a row was played."""

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
        return self.server.get("/v1/broadcasts", limit=1000)["broadcasts"]

    @cached_property
    def findings(self) -> list[dict]:
        return self.server.get("/v1/findings", limit=1000)["findings"]

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
    """Where a word is looked for: the whole of a value, or a part of a text."""

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
    "fate": Place(lambda seen: [fate for push in seen.pushes for fate in push["fate"].split(", ")]),
    "outcome": Place(lambda seen: [reaction["outcome"] for reaction in seen.reactions]),
    # The story of a push and the log of its phone have the same cause; both must have it.
    "cause": Place(lambda seen: {line.get("cause") for line in seen.story} & {line.get("cause") for line in seen.log}),
    "stored": Place(lambda seen: [line.get("cause") for line in seen.story]),
    "story": Place(lambda seen: [line["sentence"] for line in seen.story], is_text=True),
    "remark": Place(lambda seen: [word for reaction in seen.reactions for word in reaction["remarks"]]),
    "told": Place(lambda seen: seen.told),
    "lint": Place(lambda seen: [found["sentence"] for found in seen.checks], is_text=True),
    "log": Place(lambda seen: [line["sentence"] for line in seen.log], is_text=True),
    "event": Place(lambda seen: [line["event"] for line in seen.log]),
    "screen": Place(lambda seen: [seen.server.get(f"/v1/devices/{id}/screen") for id in seen.devices], is_text=True),
    "finding": Place(lambda seen: [finding["kind"] for finding in seen.findings]),
    "found": Place(lambda seen: [finding["sentence"] for finding in seen.findings], is_text=True),
    "broadcast": Place(lambda seen: seen.broadcasts, is_text=True),
    "trouble": Place(lambda seen: seen.each("/v1/troubles", "troubles"), is_text=True),
    "call": Place(lambda seen: seen.each("/v1/calls", "calls"), is_text=True),
}


def missing(seen: Seen, words: list[dict]) -> list[dict]:
    """The words that appear nowhere in their place."""
    return [pair for pair in words for place, word in pair.items() if not PLACES[place].has(seen, word)]
