"""The pushes that are to be sent, and the times of their next attempts. Of the updates for one token only
the newest waits; an end is never overtaken."""

import asyncio
import heapq
import itertools
import random
from collections import Counter
from collections.abc import Awaitable, Callable

from cricket.bugs import Bugs
from cricket.push import Outcome, Push

ATTEMPTS = 6
FIRST_WAIT = 2.0
LONGEST_WAIT = 60.0
KEY_WAIT = 60.0
"""Seconds, after a refusal of the key or provider token: TooManyProviderTokenUpdates, whose cure is to leave the
provider token alone, or a key that is not for this environment or app, which somebody will put right."""


def key(push: Push) -> tuple[str, str]:
    return push.token, push.match_id


class Outbox:
    def __init__(
        self,
        send: Callable[[Push], Awaitable[Outcome]],
        settled: Callable[[Push, Outcome], None],
        clock,
        bugs: Bugs = Bugs(),
        seed: int = 1,
    ):
        self.send, self.settled, self.clock, self.bugs = send, settled, clock, bugs
        self.waiting: list[tuple[float, int, Push]] = []
        self.newest: dict[tuple[str, str], Push] = {}
        """By token and match: two matches share one start token."""
        self.numbers = itertools.count()
        self.chance = random.Random(seed)
        self.wanted = asyncio.Event()
        """Something was put in: a loop that sleeps until the next poll has reason to wake."""
        self.counts: Counter[tuple[str, int, str, str]] = Counter()
        """Attempts by what, priority, status, reason."""

    def put(self, push: Push, delay: float = 0.0) -> None:
        if push.what == "end" and "end-without-content" in self.bugs:
            push.match_id += " end"  # so that it does not replace the score
        before = self.newest.get(key(push))
        if before is not None and before.what == "end" and push.what == "update":
            return
        self.newest[key(push)] = push
        heapq.heappush(self.waiting, (self.clock.now() + delay, next(self.numbers), push))
        self.wanted.set()

    def again(self, push: Push, delay: float) -> None:
        """Puts a refused push in once more, unless a newer one waits or it has been tried enough."""
        if key(push) not in self.newest and not self._has_tried_enough(push):
            self.put(push, delay)

    def drop(self, token: str, match_id: str) -> None:
        """Nothing more about this match goes to this token, not even what waits."""
        self.newest.pop((token, match_id), None)

    @property
    def due(self) -> float | None:
        while self.waiting and not self._current(self.waiting[0][2]):
            heapq.heappop(self.waiting)
        return self.waiting[0][0] if self.waiting else None

    def _current(self, push: Push) -> bool:
        return self.newest.get(key(push)) is push

    async def drain(self) -> None:
        """Sends all that is due, and what its answers call for at once."""
        self.wanted.clear()
        while self.due is not None and self.due <= self.clock.now():
            batch = []
            while self.due is not None and self.due <= self.clock.now():
                batch.append(heapq.heappop(self.waiting)[2])
            outcomes = await asyncio.gather(*map(self.send, batch))
            if "resends-the-batch" in self.bugs:
                failed = [o for p, o in zip(batch, outcomes) if self.retry_after(p, o) is not None]
                outcomes = failed[:1] * len(batch) or outcomes
            for push, outcome in zip(batch, outcomes):
                self._answered(push, outcome)

    def _answered(self, push: Push, outcome: Outcome) -> None:
        self.counts[push.what, push.priority, str(outcome.status), outcome.reason or ""] += 1
        push.expired += outcome.reason == "ExpiredProviderToken"
        delay = self.retry_after(push, outcome)
        if delay is None or (self._has_tried_enough(push) and "resends-expired-for-ever" not in self.bugs):
            if self._current(push):
                del self.newest[key(push)]
            self.settled(push, outcome)
        elif self._current(push):  # otherwise a newer one is on its way
            if "restamps-retries" in self.bugs and push.live_activity:
                push.payload = {"aps": push.payload["aps"] | {"timestamp": int(self.clock.now() + delay)}}
            heapq.heappush(self.waiting, (self.clock.now() + delay, next(self.numbers), push))

    def _has_tried_enough(self, push: Push) -> bool:
        """A channel may be throttled for long, and what nobody else will say must be said in the end: the newest
        broadcast is tried as long as it is of use."""
        if push.is_broadcast and push.expires is not None:
            return self.clock.now() >= push.expires
        return push.attempts >= ATTEMPTS

    def retry_after(self, push: Push, outcome: Outcome) -> float | None:
        """Seconds until the next attempt; None where another would change nothing."""
        if outcome.reason == "ExpiredProviderToken":
            return FIRST_WAIT if push.expired <= 1 or "resends-expired-for-ever" in self.bugs else None
        if outcome.status == 0 and {"bursts-at-first", "keeps-first-stream-limit", "never-retries"} & self.bugs:
            return None
        if outcome.status == 403 or outcome.reason == "TooManyProviderTokenUpdates":
            return KEY_WAIT if "forgets-token-at-any-refusal" not in self.bugs else None
        if outcome.is_unknown and push.what == "start" and "resends-unknown-starts" not in self.bugs:
            return None  # a second start would be a second card; without an update token it is sent again later
        if outcome.status == 429 and "retries-429-at-once" in self.bugs:
            return 0.0
        if outcome.status == 429 and push.is_broadcast and "drops-throttled-broadcasts" in self.bugs:
            return None
        if outcome.status == 429 and "never-retries" in self.bugs:
            return None
        if outcome.status in (0, 429, 500, 503):
            wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (push.attempts - 1))
            wait = max(wait * self.chance.uniform(0.8, 1.2), outcome.retry_after or 0.0)  # not all in the same instant
            return wait
        return None
