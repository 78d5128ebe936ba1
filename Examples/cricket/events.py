"""From balls to what is worth telling: detectors, the priority and alert matrix, cooldown and staleness."""

from collections import defaultdict
from dataclasses import dataclass
from enum import Enum

from cricket.match import Ball, Status

STALE_AFTER = 60.0
"""Seconds. An alert about a ball that the feed was slow to tell is worse than none; its score still goes out."""


class Kind(str, Enum):
    dot = "dot ball"
    run = "single or double"
    four = "boundary"
    six = "six"
    over = "end of over"
    refresh = "refresh"
    maiden = "maiden over"
    batter_on_fire = "batter on fire"
    bowler_on_fire = "bowler on fire"
    fifty = "fifty"
    hundred = "hundred"
    on_hat_trick = "on hat-trick"
    wicket = "wicket"
    hat_trick = "hat-trick"
    innings_break = "innings break"
    result = "result"


@dataclass(frozen=True)
class Rule:
    priority: int
    alert: bool = False
    sound: str = "default"
    cooldown: float = 0.0
    """Seconds in which a second alert of the kind goes out without its alert, at priority 5."""
    spare: bool = False
    """Sent at priority 5 to those who have turned frequent updates off: their phone has 15 at 10 in an hour, say."""


MATRIX = {
    Kind.dot: Rule(5),
    Kind.run: Rule(5),
    Kind.four: Rule(5),
    Kind.six: Rule(5),
    Kind.over: Rule(5),
    Kind.refresh: Rule(5),
    Kind.maiden: Rule(10, True, cooldown=600, spare=True),
    Kind.batter_on_fire: Rule(10, True, cooldown=900, spare=True),
    Kind.bowler_on_fire: Rule(10, True, cooldown=900, spare=True),
    Kind.fifty: Rule(10, True),
    Kind.hundred: Rule(10, True),
    Kind.on_hat_trick: Rule(10, True, cooldown=60, spare=True),
    Kind.wicket: Rule(10, True, sound="wicket.caf"),
    Kind.hat_trick: Rule(10, True),
    Kind.innings_break: Rule(10, True),
    Kind.result: Rule(10, True),
}
"""Sightscreen's matrix. Kinds stand in rising order: of several in one poll, the last is what the alert is about."""

RANK = {kind: rank for rank, kind in enumerate(Kind)}


@dataclass(frozen=True)
class Event:
    at: float
    kind: Kind
    text: str


@dataclass(frozen=True)
class Telling:
    """The push that a poll of a match leads to."""

    kind: Kind
    priority: int
    spare: bool
    alert: dict | None


HEARTBEAT = Telling(Kind.refresh, 10, False, None)


class Detector:
    """Tier 0 sees one ball, tier 1 what went before it. One for each match."""

    def __init__(self):
        self.batter_runs: dict[tuple, int] = defaultdict(int)
        self.batter_balls: dict[tuple, int] = defaultdict(int)
        self.bowler: dict[tuple, list[int]] = defaultdict(lambda: [0, 0, 0])
        """Balls, runs, wickets."""
        self.last_two: dict[tuple, list[bool]] = defaultdict(list)
        self.over_runs = 0
        self.burning: set[tuple] = set()

    def events(self, ball: Ball) -> list[Event]:
        found = [self._alone(ball), *self._with_history(ball)]
        return [Event(ball.at, kind, text) for kind, text in found]

    def _alone(self, ball: Ball) -> tuple[Kind, str]:
        if ball.wicket:
            return Kind.wicket, f"{ball.striker} is out, {ball.bowler} strikes"
        return {0: Kind.dot, 4: Kind.four, 6: Kind.six}.get(ball.runs, Kind.run), f"{ball.runs} off {ball.bowler}"

    def _with_history(self, ball: Ball):
        batter, bowler = (ball.innings, ball.striker), (ball.innings, ball.bowler)
        before = self.batter_runs[batter]
        self.batter_runs[batter] += ball.runs
        self.batter_balls[batter] += 1
        after, faced = self.batter_runs[batter], self.batter_balls[batter]
        for mark, kind in ((100, Kind.hundred), (50, Kind.fifty)):
            if before < mark <= after:
                yield kind, f"{ball.striker}: {after} off {faced}"
        if faced >= 20 and after >= 2 * faced and batter not in self.burning:
            self.burning.add(batter)
            yield Kind.batter_on_fire, f"{ball.striker}: {after} off {faced}"
        figures = self.bowler[bowler]
        figures[0], figures[1], figures[2] = figures[0] + 1, figures[1] + ball.runs, figures[2] + ball.wicket
        if figures[2] >= 3 and figures[1] <= figures[0] and bowler not in self.burning:
            self.burning.add(bowler)
            yield Kind.bowler_on_fire, f"{ball.bowler}: {figures[2]} for {figures[1]}"
        last = self.last_two[bowler]
        if ball.wicket and last[-2:] == [True, True]:
            yield Kind.hat_trick, f"Three in three for {ball.bowler}!"
        elif ball.wicket and last[-1:] == [True]:
            yield Kind.on_hat_trick, f"{ball.bowler} has two in two"
        last.append(ball.wicket)
        self.over_runs = ball.runs + (0 if ball.number == 1 else self.over_runs)
        if ball.number == 6:
            yield Kind.over, f"Over {ball.over + 1}: {self.over_runs} runs"
            if self.over_runs == 0:
                yield Kind.maiden, f"{ball.bowler} gives nothing away"
        if ball.last_of_innings and ball.innings == 1:
            yield Kind.innings_break, "Innings break"


class Filter:
    """Cooldown and staleness. One for each match."""

    def __init__(self):
        self.alerted: dict[Kind, float] = {}

    def telling(self, events: list[Event], now: float) -> Telling | None:
        """Returns the push for the events of a poll: one update, with the alert of the greatest event."""
        for event in sorted(events, key=lambda e: RANK[e.kind], reverse=True):
            rule = MATRIX[event.kind]
            if not rule.alert:
                break
            if now - event.at > STALE_AFTER or now - self.alerted.get(event.kind, float("-inf")) < rule.cooldown:
                continue
            self.alerted[event.kind] = now
            alert = {"title": event.kind.value.capitalize() + "!", "body": event.text, "sound": rule.sound}
            return Telling(event.kind, rule.priority, rule.spare, alert)
        if not events:
            return None
        routine = [e.kind for e in events if not MATRIX[e.kind].alert]
        return Telling(max(routine, key=RANK.get) if routine else Kind.refresh, 5, False, None)


REFRESH = Telling(Kind.refresh, MATRIX[Kind.refresh].priority, False, None)
POLL_EVERY = {Status.live: 5.0, Status.suspended: 60.0}
"""Seconds between two looks at the score of a match."""
