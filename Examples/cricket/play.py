"""Plays a whole match: Pushpit with a fleet of phones, the backend, and one time for both that runs as fast as they
work. Says what came of it, as text and as a picture."""

import argparse
import asyncio
import json
import logging
import statistics
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from cricket.__main__ import gateway
from cricket.apps import Apps
from cricket.backend import Backend, bound, url
from cricket.bugs import Bugs, listed
from cricket.clock import HeldClock
from cricket.findings import Evidence, findings, ledger
from cricket.match import Feed, Match
from cricket.picture import drawn
from pushpit import PushpitError
from pushpit.aio import Pushpit

HERE = Path(__file__).parent
BUNDLE = "com.sightscreen.app"
MATCH = "m1"
FOLLOWED_BEFORE = 10 * 60
"""Seconds before the first ball in which everybody follows."""
AFTERWARDS = 20 * 60
"""Seconds that are played after the last ball: the cards go 15 minutes after the end."""
SAMPLED_EVERY = 120
OPENED_WITHIN = 15
"""Seconds until Pushpit has had every app opened once."""


@dataclass(frozen=True)
class Habit:
    """An action of people on a phone while a match is on."""

    at: float
    """Share of the match that is over by then."""
    says: str
    order: dict


LIFE = (
    Habit(0.20, "3% of the phones go into a tunnel", {"do": "goOffline", "where": {"share": 0.03, "name": "tunnel"}}),
    Habit(
        0.25,
        "2% get another update token",
        {"do": "rotate", "app": BUNDLE, "kind": "update", "where": {"share": 0.02, "name": "rotation"}},
    ),
    Habit(0.30, "they come out of the tunnel", {"do": "goOnline", "where": {"share": 0.03, "name": "tunnel"}}),
    Habit(0.40, "3% swipe their card away", {"do": "swipe", "app": BUNDLE, "where": {"share": 0.03, "name": "swipe"}}),
    Habit(0.45, "30% open the app", {"do": "open", "app": BUNDLE, "where": {"share": 0.30, "name": "visit"}}),
    Habit(0.47, "and put the phone away", {"do": "leave", "app": BUNDLE, "where": {"share": 0.30, "name": "visit"}}),
    Habit(0.60, "1% delete the app", {"do": "uninstall", "app": BUNDLE, "where": {"share": 0.01, "name": "uninstall"}}),
)


@dataclass
class Moment:
    """The content of the screens at one instant."""

    name: str
    at: float
    cards: int
    right: int
    """Cards that show what the backend told last."""
    behind: float
    """Seconds that the middle one of the others is out of date: phones take priority 5 when it suits them."""
    waiting: int
    """Phones that ask Allow or Don't Allow."""
    sample: dict | None
    device: str | None


@dataclass
class Played:
    match: Match
    phones: int
    began: float
    ended: float = 0.0
    took: float = 0.0
    minutes: Counter = field(default_factory=Counter)
    """Pushes by minute of the world and what: '5', '10' or 'refused'."""
    running: list[tuple[float, int]] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    life: list[tuple[float, str]] = field(default_factory=list)
    sent: Counter = field(default_factory=Counter)
    reactions: Counter = field(default_factory=Counter)
    tokens: dict = field(default_factory=dict)
    calls: Counter = field(default_factory=Counter)
    """The reports of apps to the backend, by event and answer."""
    followed: int = 0
    connections: int = 0
    provider_tokens: int = 0
    findings: dict = field(default_factory=dict)
    alarms: list[str] = field(default_factory=list)


class Play:
    def __init__(
        self, pushpit: Pushpit, backend: Backend, apps: Apps, clock: HeldClock, match: Match, phones: int, step: float
    ):
        self.pushpit, self.backend, self.apps, self.clock = pushpit, backend, apps, clock
        self.match, self.step = match, step
        self.played = Played(match, phones, clock.now())
        self.counted: Counter = Counter()
        self.habits = list(LIFE)
        self.moments = [("early on", 0.05), ("in play", 0.55), ("after the end", None)]
        self.sampled = 0.0
        self.told: list[tuple[float, dict]] = []
        """Since when the backend has told what."""

    async def whole(self) -> Played:
        before = time.monotonic()
        await self._pass(OPENED_WITHIN)
        ids = [row["id"] async for row in self.pushpit.admin.pages("/v1/devices", "devices", app=BUNDLE)]
        self.played.followed = await self.apps.use("follow", {"app": BUNDLE}, matchId=MATCH)
        length = self.match.ends_at - self.match.starts_at
        while self.clock.now() < self.match.ends_at + AFTERWARDS:
            await self._step()
            done = (self.clock.now() - self.match.starts_at) / length
            while self.habits and self.habits[0].at <= done:
                habit = self.habits.pop(0)
                await self.pushpit.admin.post("/v1/actions", habit.order)
                self.played.life.append((self.clock.now(), habit.says))
            if self.moments and self._reached(self.moments[0][1], done):
                await self._look(self.moments.pop(0)[0], ids)
        await self._sum_up()
        self.played.ended, self.played.took = self.clock.now(), time.monotonic() - before
        return self.played

    def _reached(self, share: float | None, done: float) -> bool:
        return self.clock.now() > self.match.ends_at + 120 if share is None else done >= share

    async def _pass(self, seconds: float) -> None:
        """Phones first, then what their apps say, then the backend."""
        await self.clock.advance_with(self.pushpit.clock, seconds)
        await self.apps.settled()
        await self.backend.step()

    async def _step(self) -> None:
        await self._pass(self.step)
        since = self.clock.now() - self.match.starts_at
        told = self.backend.coordinator.told.get(MATCH)
        if told and (not self.told or self.told[-1][1] != told.content):
            self.told.append((self.clock.now(), told.content))
        now = self.backend.coordinator.outbox.counts.copy()
        minute = int(since // 60)
        for (_, priority, status, _), count in (now - self.counted).items():
            self.played.minutes[minute, str(priority) if status == "200" else "refused"] += count
        self.counted = now
        if self.clock.now() - self.sampled >= SAMPLED_EVERY:
            self.sampled = self.clock.now()
            running = 0
            async for row in self.pushpit.admin.pages("/v1/devices", "devices", app=BUNDLE):
                running += any(a["state"] in ("active", "stale") for app in row["apps"] for a in app["activities"])
            self.played.running.append((self.clock.now(), running))

    async def _look(self, name: str, ids: list[str]) -> None:
        screens = [(await self.pushpit.phone(device).screen()).raw for device in ids]
        told = self.told[-1][1]
        replaced = {json.dumps(old, sort_keys=True): at for (_, old), (at, _) in zip(self.told, self.told[1:])}
        cards = [(s, c) for s in screens for c in s["lockScreen"] if c["app"] == BUNDLE]
        right = [(s, c) for s, c in cards if c["contentState"] == told]
        behind = [
            self.clock.now() - replaced.get(json.dumps(c["contentState"], sort_keys=True), self.match.starts_at)
            for _, c in cards
            if c["contentState"] != told
        ]
        sample = (right or cards or [(None, None)])[0]
        self.played.moments.append(
            Moment(
                name,
                self.clock.now(),
                len(cards),
                len(right),
                statistics.median(behind or [0]),
                sum(s["prompt"] is not None for s in screens),
                sample[1],
                sample[0]["device"] if sample[0] else None,
            )
        )

    async def _sum_up(self) -> None:
        played, coordinator = self.played, self.backend.coordinator
        played.sent = coordinator.outbox.counts
        played.alarms = coordinator.alarms
        played.provider_tokens = self.backend.pusher.provider.made
        pushes = await ledger(self.pushpit)
        for push in pushes:
            reaction = push.get("reaction") or {}
            if push["answer"]["status"] == 200:
                played.reactions[reaction.get("outcome") or push["fate"].split(", ")[-1], reaction.get("cause")] += 1
        calls = await self.apps.calls()
        played.calls = Counter((call["event"], str(call["status"] or call["failure"])) for call in calls)
        metrics = await self.pushpit.metrics()
        played.connections = int(metrics["pushpit_connections_opened_total"])
        rows = [r async for r in self.pushpit.admin.pages("/v1/tokens", "tokens", app=BUNDLE, live=True)]
        known = self.backend.store.tokens()
        for kind in ("device", "pushToStart", "update"):
            real = {r["token"] for r in rows if r["kind"] == kind}
            played.tokens[kind] = (len(known[kind]), len(real), len(known[kind] & real))
        played.findings = findings(
            Evidence(
                pushes,
                {r["token"] for r in rows},
                set().union(*known.values()),
                self.apps.reports(calls),
                played.connections,
                self.clock.now(),
                time.time(),
            )
        )


def told(played: Played) -> str:
    """The outcome, for a person."""
    lines = []

    def table(title: str, rows: list[tuple]) -> None:
        lines.append(f"\n{title}")
        widths = [max(len(str(row[n])) for row in rows) for n in range(len(rows[0]))] if rows else []
        for row in rows:
            lines.append(
                "  "
                + "  ".join(
                    f"{cell:>{w}}" if isinstance(cell, int) else f"{cell:<{w}}" for cell, w in zip(row, widths)
                ).rstrip()
            )

    match, total = played.match, sum(played.sent.values())
    world = played.ended - played.began
    lines.append(f"{match.title}, {match.overs} overs: {match.verdict()}")
    lines.append(
        f"{played.phones} phones, {played.followed} follow; {world / 3600:.1f} h of their time in {played.took:.1f} "
        f"s; {total:,} pushes, "
        f"{total / played.took:,.0f} a second, over {played.connections} connections with {played.provider_tokens} "
        f"provider token(s)"
    )
    table(
        "What the apps told the backend",
        [(event, answer, count) for (event, answer), count in sorted(played.calls.items())],
    )
    table(
        "Pushes, as APNs answered",
        [
            (what, f"priority {priority}", f"{status} {reason}".strip(), count)
            for (what, priority, status, reason), count in sorted(played.sent.items())
        ],
    )
    table(
        "What the phones did with those answered 200",
        [
            (outcome, cause or "", count)
            for (outcome, cause), count in sorted(played.reactions.items(), key=lambda item: -item[1])
        ],
    )
    table("Tokens: the backend's, the real ones, both", [(k, *counts) for k, counts in played.tokens.items()])
    table(
        "Cards on screens",
        [
            (
                m.name,
                clock(m.at, match),
                m.cards,
                "cards,",
                m.right,
                "with the latest score, the others",
                round(m.behind),
                "s behind;",
                m.waiting,
                "ask Allow?",
            )
            for m in played.moments
        ],
    )
    table("Meanwhile", [(clock(at, match), says) for at, says in played.life])
    table("What Pushpit's records show of mistakes", [(n, s) for n, s in played.findings.items()] or [("none", "")])
    lines.extend(f"\nalarm: {alarm}" for alarm in played.alarms[:3])
    return "\n".join(lines)


def clock(at: float, match: Match) -> str:
    minutes = (at - match.starts_at) / 60
    return f"{'+' if minutes >= 0 else '-'}{abs(minutes) // 60:.0f}:{abs(minutes) % 60:02.0f}"


async def play(options: argparse.Namespace, bugs: Bugs) -> Played:
    listener = bound()
    flags = {
        "for_tests": False,
        "clock": "manual",
        "profile": "sightscreen",
        "backend": url(listener),
        "fleet": options.phones,
        "seed": options.seed,
        "ledger": options.phones * options.overs * 40 + 10_000,
    }
    given = arguments(options.flags)
    given["settings"] = {"fleet.mix.twoPhones": "10%"} | given["settings"]
    async with Pushpit.start(**flags | given) as pushpit:
        held = HeldClock(await pushpit.clock.now())
        match = Match(MATCH, ("MI", "CSK"), held.now() + FOLLOWED_BEFORE, options.seed, options.overs)
        async with Backend(gateway(pushpit.ready, BUNDLE), Feed([match]), held, bugs, listener=listener) as backend:
            apps = Apps(pushpit)
            return await Play(pushpit, backend, apps, held, match, options.phones, options.step).whole()


def arguments(words: list[str]) -> dict:
    """Flags of `pushpit serve` as arguments of `Pushpit.start`."""
    found: dict = {"settings": {}}
    for word, value in zip(words, [*words[1:], "--"]):
        if word == "--set":
            found["settings"].update([value.partition("=")[::2]])
        elif word.startswith("--"):
            found[word[2:].replace("-", "_")] = value.startswith("--") or value
    return found


LONGEST_STEP = 25
"""Seconds. An app that a push has woken may run for 30: a longer step would end it before its calls are answered."""


def step(words: str) -> float:
    value = positive(float)(words)
    if value > LONGEST_STEP:
        raise argparse.ArgumentTypeError(f"{words} is more than {LONGEST_STEP}: apps that were woken run for 30 s only")
    return value


def positive(kind: type):
    def read(words: str):
        value = kind(words)
        if value <= 0:
            raise argparse.ArgumentTypeError(f"{words} is not more than 0")
        return value

    read.__name__ = kind.__name__
    return read


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m cricket.play", description=__doc__)
    parser.add_argument("--phones", type=positive(int), default=500, help="(%(default)s)")
    parser.add_argument("--overs", type=positive(int), default=20, help="of an innings (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the match and of the fleet (%(default)s)")
    parser.add_argument("--step", type=step, default=15, metavar="SECONDS", help="of the match at a time (%(default)s)")
    parser.add_argument("--picture", type=Path, default=HERE / "out/match.svg", metavar="FILE", help="(%(default)s)")
    parser.add_argument("--bug", action="append", default=[], metavar="NAME", help="bring back a real bug; repeatable")
    parser.add_argument("--list-bugs", action="store_true")
    parser.add_argument("flags", nargs="*", metavar="-- FLAG", help="more flags for pushpit serve, after --")
    options = parser.parse_args(argv)
    if options.list_bugs:
        print(listed())
        return 0
    try:
        bugs = Bugs.named(options.bug)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.ERROR, format="%(name)s: %(message)s")
    try:
        played = asyncio.run(play(options, bugs))
    except PushpitError as error:
        print(error, file=sys.stderr)
        return 1
    print(told(played))
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    options.picture.write_text(drawn(played))
    print(f"\npicture: {options.picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
