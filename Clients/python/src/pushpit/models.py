"""The server's answers as Python values: those of `rows`, with what tests ask for. `raw` is the original JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from . import rows
from .errors import ExpectationError

__tracebackhide__ = True
"""pytest shows the line of the test, without the frames of this module."""

Raw = Mapping[str, Any]


class Screen(rows.Screen):
    """The screen of a phone as a person would see it."""

    @property
    def cards(self) -> list[rows.Card]:
        """The Live Activities on the Lock Screen."""
        return self.lock_screen

    @property
    def badges(self) -> dict[str, int]:
        """By bundle id; only apps that have one."""
        return {badge["app"]: badge["badge"] for badge in self.raw["badges"]}

    @property
    def dynamic_island(self) -> str:
        """The way in which it shows activities, such as `compact`."""
        return str(self.raw["dynamicIsland"]["presentation"])


class Push(rows.Push):
    """A push with its answer and what happened to it."""

    @property
    def status(self) -> int:
        """The status that APNs decided on. `sent` is what was sent to the client."""
        return int(self.answer["status"])

    @property
    def why(self) -> str:
        """A sentence that says what became of it."""
        return str(self.raw["why"]["sentence"])

    @property
    def body(self) -> str:
        """As text; in base64 where it is not UTF-8."""
        return str(self.request["body"])

    @property
    def payload(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)

    @property
    def headers(self) -> dict[str, str]:
        return {header["name"]: header["value"] for header in self.request["headers"]}

    @property
    def story(self) -> str:
        """The story, one sentence per line; causes are in brackets, as marks and filters name them."""
        first = " ".join(filter(None, [str(self.status), self.reason, f"to {self.device}" if self.device else None]))
        lines = [f"push {self.sequence} ({self.apns_id}): {first}"]
        for line in self.raw["story"]:
            cause = f" [{line['cause']}]" if line.get("cause") else ""
            lines.append(f"  {line['process']}: {line['sentence']}{cause}")
        if not self.raw["story"] or self.status != 200:
            lines.append(f"  why: {self.why}")
        return "\n".join(lines)


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


@dataclass
class End:
    """The end of a session, shared by all objects that stand for it."""

    verdict: Verdict | None = None
    forgotten: bool = False
