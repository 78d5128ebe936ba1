"""The courier's backend in Node under troubles that `pushpit run` plays: which make a bug of it fail, and which a right
backend survives. They stand here and not in a folder of scenarios, because a hunt must find them by itself."""

import subprocess
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from program import BINARY, REPOSITORY

FOLDER = REPOSITORY / "Examples/courier"
STORY = FOLDER / "evening.yaml"
WITHIN = 110.0
"""Seconds for one run, which takes one."""

ENDED = {
    "name": "cards end with the delivery",
    "screens": {},
    "show": {"card": {"state": "ended", "contentState": {"stage": "delivered"}}},
}
ONE_CARD = {"name": "no order has two cards", "events": {"event": "activityStarted"}, "count": 10}
TOLD_ONCE = {
    "name": "everybody is told once that the meal is there",
    "screens": {},
    "show": {"notifications": 1, "notification": {"title": "Delivered"}},
}
AGREE = {"name": "phones and backend agree", "converged": {}}


def none(kind: str) -> dict:
    return {"name": f"no {kind} is found", "findings": {"kind": kind}, "none": True}


def fault(then: dict | str, **conditions) -> dict:
    """A fault with `when` and the words beside it, such as `limit`."""
    beside = {key: conditions.pop(key) for key in ("limit", "from", "until", "odds") if key in conditions}
    return {"name": "trouble", "then": then, **({"when": conditions} if conditions else {}), **beside}


@dataclass(frozen=True)
class Trouble:
    """A fault or step beside the steps of the story, and what a right backend makes true all the same."""

    expect: list[dict]
    faults: list[dict] = field(default_factory=list)
    steps: list[dict] = field(default_factory=list)
    flags: tuple[str, ...] = ()

    def scenario(self) -> dict:
        story = deepcopy(yaml.safe_load(STORY.read_text()))
        story["backend"]["directory"] = str(FOLDER)
        story["settings"]["fleet"]["apps"][0]["profile"] = str(FOLDER / "courier.yaml")
        story["faults"] = self.faults
        story["steps"] = sorted(story["steps"] + self.steps, key=lambda step: seconds(step["at"]))
        story["expect"] = self.expect
        return story


def seconds(time: str) -> int:
    minutes, _, rest = time.rpartition("m")
    return 60 * int(minutes or 0) + int(rest.rstrip("s") or 0)


FINDING = {
    "trusts-old-410": Trouble(
        [none("tokenThrownAway"), ENDED, AGREE],
        [fault({"answer": "Unregistered", "age": "1h"}, event="update", devices=["d0", "d1", "d2"], limit=3)],
    ),
    "pushes-on-after-410": Trouble(
        [none("deadToken"), {"name": "it is asked once", "pushes": {"fault": "trouble"}, "count": 1}],
        [fault({"answer": "Unregistered"}, tokenKind="update", device="d0")],
    ),
    "keeps-session-after-goaway": Trouble(
        [ENDED, TOLD_ONCE, AGREE],
        [fault({"goAway": "NO_ERROR", "before": 0}, event="update", limit=1)],
    ),
    "keeps-provider-token": Trouble(
        [{"name": "no provider token is too old", "pushes": {"status": 403}, "count": 0}, ENDED, AGREE],
        steps=[{"at": "2m", "clock": "2h"}],
    ),
    "resends-unanswered-alert": Trouble(
        [TOLD_ONCE, none("duplicate")],
        [fault({"loseAnswer": "CANCEL"}, pushType="alert", limit=3)],
    ),
    "gives-up-at-429": Trouble(
        [ENDED, AGREE, none("hastyRetry")],
        [fault({"answer": "TooManyRequests"}, event="end", limit=3)],
    ),
    "start-clears-token": Trouble(
        [ENDED, ONE_CARD, AGREE],
        [fault({"delay": "10s"}, event="start", limit=4)],
    ),
    "starts-until-token": Trouble(
        [ONE_CARD],
        [fault({"calls": "lose"}, event="activityToken", devices=["d0", "d1"])],
    ),
    "one-failure-ends-the-round": Trouble(
        [{"name": "the others have cards", "events": {"event": "activityStarted"}, "count": "9..10"}],
        [fault({"answer": "BadDeviceToken"}, event="start", limit=1)],
    ),
    "retry-overtakes": Trouble(
        [none("outOfOrder"), ENDED, AGREE],
        [fault({"answer": "ServiceUnavailable"}, event="update", **{"from": "6m", "until": "11m"})],
    ),
}
"""A trouble for each bug that makes it fail."""


@dataclass(frozen=True)
class Run:
    """A run of a trouble, or of the story itself, with a seed, and a right backend or one with a bug."""

    trouble: Trouble | None
    seed: int
    bug: str | None = None

    def play(self, home: Path, environment: dict[str, str]) -> subprocess.CompletedProcess:
        file = STORY
        if self.trouble is not None:
            file = home / f"{id(self)}.yaml"
            file.write_text(yaml.safe_dump(self.trouble.scenario(), sort_keys=False))
        flags = [*(self.trouble.flags if self.trouble else ()), *(["--bug", self.bug] if self.bug else [])]
        words = [str(BINARY), "run", str(file), "--seed", str(self.seed), *(["--", *flags] if flags else [])]
        return subprocess.run(words, capture_output=True, text=True, timeout=WITHIN, env=environment)
