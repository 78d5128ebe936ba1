"""The feed: what a provider of scores would say of a match at an instant. Here the match is drawn from a seed, so
that every run is the same; nothing else in the backend knows that."""

import random
from dataclasses import dataclass, field
from enum import Enum

BETWEEN_BALLS = (28.0, 42.0)
"""Seconds. A T20 innings of 120 balls takes about an hour and a quarter."""
BETWEEN_OVERS = 50.0
AFTER_WICKET = 75.0
INNINGS_BREAK = 15 * 60.0
RAIN = 25 * 60.0
OUTCOMES = {0: 36, 1: 34, 2: 7, 4: 12, 6: 6, "wicket": 5}
"""Of a hundred balls: about what T20 internationals of recent years come to."""


class Status(str, Enum):
    scheduled = "scheduled"
    live = "live"
    suspended = "suspended"
    finished = "finished"


@dataclass(frozen=True)
class Ball:
    at: float
    innings: int
    over: int
    """Overs completed before this ball."""
    number: int
    """Of the over, 1 to 6."""
    runs: int
    wicket: bool
    striker: str
    bowler: str
    last_of_innings: bool = False


@dataclass(frozen=True)
class Score:
    team: str
    runs: int = 0
    wickets: int = 0
    balls: int = 0
    target: int | None = None

    @property
    def overs(self) -> str:
        return f"{self.balls // 6}.{self.balls % 6}"

    @property
    def run_rate(self) -> str:
        return f"{self.runs * 6 / self.balls:.2f}" if self.balls else "0.00"


@dataclass(frozen=True)
class Snapshot:
    """An answer of the feed."""

    status: Status
    score: Score
    balls: list[Ball]
    """All there were since the instant asked about."""
    verdict: str | None = None


@dataclass
class Match:
    match_id: str
    teams: tuple[str, str]
    starts_at: float
    seed: int = 1
    overs: int = 20
    rains: bool = True
    innings_break: float = INNINGS_BREAK
    balls: list[Ball] = field(init=False, default_factory=list)
    ends_at: float = field(init=False, default=0.0)
    rain: tuple[float, float] | None = field(init=False, default=None)

    def __post_init__(self):
        chance = random.Random(f"{self.seed}/{self.match_id}")
        now = self._bat(chance, 1, self.starts_at + 30, None)
        now = self._bat(chance, 2, now + self.innings_break, self._runs(1) + 1)
        self.ends_at = now + 20

    @property
    def title(self) -> str:
        return f"{self.teams[0]} v {self.teams[1]}"

    def _runs(self, innings: int) -> int:
        return sum(b.runs for b in self.balls if b.innings == innings)

    def _bat(self, chance: random.Random, innings: int, now: float, target: int | None) -> float:
        batters, out, runs = [0, 1], 0, 0
        for over in range(self.overs):
            if innings == 2 and self.rains and over == self.overs // 3:
                self.rain = (now, now + RAIN)
                now += RAIN
            bowler = f"{self.teams[2 - innings]} bowler {over % 5 + 1}"
            for number in range(1, 7):
                outcome = chance.choices(list(OUTCOMES), list(OUTCOMES.values()))[0]
                wicket = outcome == "wicket"
                scored = 0 if wicket else int(outcome)
                runs, out = runs + scored, out + wicket
                over_now = over == self.overs - 1 and number == 6
                last = over_now or out == 10 or (target is not None and runs >= target)
                striker = f"{self.teams[innings - 1]} batter {batters[0] + 1}"
                self.balls.append(Ball(now, innings, over, number, scored, wicket, striker, bowler, last))
                if last:
                    return now
                if wicket:
                    batters[0] = max(batters) + 1
                if scored % 2:
                    batters.reverse()
                now += AFTER_WICKET if wicket else chance.uniform(*BETWEEN_BALLS)
            batters.reverse()
            now += BETWEEN_OVERS
        return now

    def status(self, now: float) -> Status:
        if now < self.starts_at:
            return Status.scheduled
        if now >= self.ends_at:
            return Status.finished
        if self.rain and self.rain[0] <= now < self.rain[1]:
            return Status.suspended
        return Status.live

    def score(self, now: float) -> Score:
        bowled = [b for b in self.balls if b.at <= now]
        innings = bowled[-1].innings if bowled else 1
        mine = [b for b in bowled if b.innings == innings]
        target = self._runs(1) + 1 if innings == 2 else None
        return Score(self.teams[innings - 1], sum(b.runs for b in mine), sum(b.wicket for b in mine), len(mine), target)

    def verdict(self) -> str:
        first, second = self._runs(1), self._runs(2)
        if first == second:
            return "Match tied"
        if second > first:
            return f"{self.teams[1]} won by {10 - sum(b.wicket for b in self.balls if b.innings == 2)} wickets"
        return f"{self.teams[0]} won by {first - second} runs"

    def poll(self, since: float, now: float) -> Snapshot:
        status = self.status(now)
        balls = [b for b in self.balls if since < b.at <= now]
        return Snapshot(status, self.score(now), balls, self.verdict() if status is Status.finished else None)


class Feed:
    """All fixtures, as the fixtures table and the score provider know them."""

    def __init__(self, matches: list[Match]):
        self.matches = {m.match_id: m for m in matches}

    def __contains__(self, match_id: str) -> bool:
        return match_id in self.matches

    def fixtures(self, now: float) -> list[tuple[Match, Status]]:
        return [(m, m.status(now)) for m in self.matches.values()]
