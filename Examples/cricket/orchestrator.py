"""Looks at the fixtures and the scores when it is time, and has the coordinator tell the phones."""

import asyncio
import contextlib
from dataclasses import dataclass, field

from cricket.coordinator import Coordinator
from cricket.events import POLL_EVERY, Detector, Event, Filter, Kind
from cricket.match import Feed, Match, Status

FIXTURES_EVERY = 30.0
"""Seconds."""


@dataclass
class Watch:
    """A match that is on."""

    match: Match
    seen: float
    due: float
    status: Status = Status.live
    detector: Detector = field(default_factory=Detector)
    filter: Filter = field(default_factory=Filter)


class Orchestrator:
    def __init__(self, feed: Feed, coordinator: Coordinator, clock):
        self.feed, self.coordinator, self.clock = feed, coordinator, clock
        self.watches: dict[str, Watch] = {}
        self.over: set[str] = set()
        self.fixtures_due = clock.now()
        self.stopped = False

    @property
    def due(self) -> float:
        """The time at which there is something to do next."""
        waiting = [w.due for w in self.watches.values()] + [self.fixtures_due]
        if self.coordinator.outbox.due is not None:
            waiting.append(self.coordinator.outbox.due)
        return min(waiting)

    async def step(self) -> None:
        """Everything that is due."""
        now = self.clock.now()
        for watch in list(self.watches.values()):
            if watch.due <= now:
                self._look(watch, now)
        if self.fixtures_due <= now:
            self.fixtures_due = now + FIXTURES_EVERY
            self._fixtures(now)
        await self.coordinator.deliver()

    async def run(self) -> None:
        """In real time, until stopped."""
        wanted = self.coordinator.outbox.wanted
        while not self.stopped:
            await self.step()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(wanted.wait(), max(0.0, self.due - self.clock.now()))

    def stop(self) -> None:
        self.stopped = True
        self.coordinator.outbox.wanted.set()

    def _fixtures(self, now: float) -> None:
        for match, status in self.feed.fixtures(now):
            on = status in (Status.live, Status.suspended)
            missed = (  # it ended while nobody here was running, and cards are still up
                status is Status.finished
                and match.match_id not in self.over
                and self.coordinator.store.has_cards(match.match_id)
            )
            if (on or missed) and match.match_id not in self.watches:
                self.watches[match.match_id] = watch = Watch(match, match.starts_at, now)
                self._look(watch, now)
            if match.match_id in self.watches:
                self.coordinator.start_followers(match.match_id)
                self.coordinator.look_into_starts(match.match_id)
        self.coordinator.ask_to_tap()

    def _look(self, watch: Watch, now: float) -> None:
        snapshot = watch.match.poll(watch.seen, now)
        before, watch.status, watch.seen = watch.status, snapshot.status, now
        watch.due = now + POLL_EVERY.get(snapshot.status, FIXTURES_EVERY)
        content = self.coordinator.payloads.content(snapshot.status, snapshot.score, snapshot.verdict)
        match_id = watch.match.match_id
        events = [event for ball in snapshot.balls for event in watch.detector.events(ball)]
        if snapshot.status is Status.finished:
            self.coordinator.observe(watch.match, snapshot.status, content)
            result = Event(watch.match.ends_at, Kind.result, snapshot.verdict or "")
            self.coordinator.finish(match_id, watch.filter.telling([*events, result], now))
            del self.watches[match_id]
            self.over.add(match_id)
            return
        self.coordinator.observe(watch.match, snapshot.status, content)
        telling = watch.filter.telling(events, now)
        if snapshot.status is not before:
            if telling is not None and telling.alert:
                self.coordinator.tell(match_id, telling)
            elif snapshot.status is Status.suspended:
                self.coordinator.suspend(match_id)
            else:
                self.coordinator.resume(match_id)
            self.coordinator.store.suspended(match_id, now if snapshot.status is Status.suspended else None)
        elif telling is not None:
            self.coordinator.tell(match_id, telling)
        else:
            self.coordinator.idle(match_id)
