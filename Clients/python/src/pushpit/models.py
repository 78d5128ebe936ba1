"""The server's answers as Python values. `raw` is the original JSON, with the names of openapi.yaml."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import ExpectationError

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

Raw = Mapping[str, Any]


@dataclass(frozen=True)
class Notification:
    """A notification in a phone's list."""

    app: str
    title: str
    subtitle: str
    body: str
    sound: str | None
    interruption_level: str
    thread_id: str | None
    category: str | None
    collapse_id: str | None
    banner: bool
    quiet: bool
    raw: Raw = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> Notification:
        return cls(
            raw["app"],
            raw["title"],
            raw["subtitle"],
            raw["body"],
            raw["sound"],
            raw["interruptionLevel"],
            raw["threadId"],
            raw["category"],
            raw["collapseId"],
            raw["banner"],
            raw["quiet"],
            raw,
        )


@dataclass(frozen=True)
class Card:
    """A Live Activity on the Lock Screen."""

    app: str
    attributes_type: str
    state: str
    content_state: Any
    attributes: Any
    stale: bool
    activity: str
    raw: Raw = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> Card:
        return cls(
            raw["app"],
            raw["attributesType"],
            raw["state"],
            raw["contentState"],
            raw["attributes"],
            raw["isStale"],
            raw["activity"],
            raw,
        )


@dataclass(frozen=True)
class Screen:
    """The screen of a phone as a person would see it."""

    device: str
    locked: bool
    lit: bool
    cards: list[Card]
    notifications: list[Notification]
    """Newest first."""
    badges: dict[str, int]
    """By bundle id; only apps that have one."""
    alert: Raw | None
    prompt: Raw | None
    dynamic_island: str
    raw: Raw = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> Screen:
        return cls(
            raw["device"],
            raw["locked"],
            raw["lit"],
            [Card.of(card) for card in raw["lockScreen"]],
            [Notification.of(notification) for notification in raw["notifications"]],
            {badge["app"]: badge["badge"] for badge in raw["badges"]},
            raw["alert"],
            raw["prompt"],
            raw["dynamicIsland"]["presentation"],
            raw,
        )


@dataclass(frozen=True)
class Push:
    """A push with its answer and what happened to it."""

    apns_id: str
    status: int
    """The status that APNs decided on. `sent` is what was sent to the client."""
    reason: str | None
    sent: Raw
    fate: str
    outcome: str | None
    """Reaction of the phone, as in filters; None if it has not received the push."""
    causes: list[str]
    """Reasons for discarding, storing or dropping it, and the remarks on it."""
    device: str | None
    app: str | None
    token_kind: str | None
    fault: str | None
    reaction: Raw | None
    """More about what the phone did: `detail`, `remarks`."""
    why: str
    raw: Raw = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> Push:
        return cls(
            raw["apnsId"],
            raw["answer"]["status"],
            raw["reason"],
            raw["sent"],
            raw["fate"],
            raw["outcome"],
            raw["causes"],
            raw["device"],
            raw["app"],
            raw["tokenKind"],
            raw["fault"],
            raw["reaction"],
            raw["why"]["sentence"],
            raw,
        )

    @property
    def body(self) -> str:
        """As text; in base64 where it is not UTF-8."""
        return str(self.raw["request"]["body"])

    @property
    def payload(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def headers(self) -> dict[str, str]:
        return {header["name"]: header["value"] for header in self.raw["request"]["headers"]}

    @property
    def story(self) -> str:
        """The story, one sentence per line; causes are in brackets, as marks and filters name them."""
        first = " ".join(filter(None, [str(self.status), self.reason, f"to {self.device}" if self.device else None]))
        lines = [f"push {self.raw['sequence']} ({self.apns_id}): {first}"]
        for line in self.raw["story"]:
            cause = f" [{line['cause']}]" if line.get("cause") else ""
            lines.append(f"  {line['process']}: {line['sentence']}{cause}")
        if not self.raw["story"] or self.status != 200:
            lines.append(f"  why: {self.why}")
        return "\n".join(lines)


@dataclass(frozen=True)
class LogLine:
    """A line of a phone's log."""

    process: str
    event: str
    sentence: str
    cause: str | None
    raw: Raw = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> LogLine:
        return cls(raw["process"], raw["event"], raw["sentence"], raw.get("cause"), raw)


@dataclass(frozen=True)
class Answer:
    """The answer of APNs to a push."""

    status: int
    apns_id: str
    reason: str | None

    @property
    def raw(self) -> Raw:
        return {"status": self.status, "apnsId": self.apns_id, "reason": self.reason}


@dataclass(frozen=True)
class Verdict:
    """The result of a session: its counts, and its expectations."""

    session: str
    passed: bool | None
    """None if nothing was expected."""
    counts: Mapping[str, int]
    expectations: list[Raw] = field(repr=False)
    findings: list[Raw] = field(repr=False)
    raw: Raw = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Raw) -> Verdict:
        return cls(raw["name"], raw["passed"], raw["counts"], raw["expectations"], raw["findings"], raw)

    @property
    def broken(self) -> list[str]:
        """The expectations that are not true, a few lines for each."""
        return [
            f"{row['name']}\n  wanted   {row['wanted']}\n  found    {row['found']}"
            + (f"\n  nearest  {row['nearest']}" if row["nearest"] else "")
            for row in self.expectations
            if not row["passed"]
        ]

    def check(self) -> None:
        """Raises an ExpectationError unless all expectations are true."""
        if self.passed is False:
            raise ExpectationError("\n".join(["Not all expectations are true.", *self.broken]))
