"""A stage for the cricket backend of Examples/: a Pushpit, the backend, its phones' apps, and one time for all."""

import time
from pathlib import Path

from cricket.__main__ import gateway
from cricket.backend import Backend
from cricket.bugs import Bugs
from cricket.clock import HeldClock
from cricket.findings import Evidence, ledger
from cricket.match import Feed, Match
from example_apps import Apps
from program import BINARY
from pushpit.aio import Phone, Pushpit

BUNDLE = "com.sightscreen.app"
APP = Path(__file__).with_name("example_app.yaml")
QUIET = {
    "program": BINARY,
    "for_tests": False,
    "clock": "manual",
    "ideal": True,
    "prompt": "never",
    "os": "26.1:100",
    "config": APP,
    "settings": {"timing.immediate": "true"},
}
STARTS_IN = 60


class Stage:
    def __init__(
        self,
        home: Path,
        *bugs: str,
        phones: int = 3,
        overs: int = 2,
        settings: dict[str, str] | None = None,
        environment: str = "sandbox",
        matches: tuple[str, ...] = ("m1",),
    ):
        self.bugs, self.environment, self.overs, self.matches = Bugs.named(list(bugs)), environment, overs, matches
        flags = {**QUIET, "settings": {**QUIET["settings"], **(settings or {})}}
        self.starting = Pushpit.start(**flags, state=home / "state", fleet=phones)
        self.phones = [f"d{n}" for n in range(phones)]
        self.jwt_ahead = 0.0

    def jwt_now(self) -> float:
        return time.time() + self.jwt_ahead

    async def __aenter__(self) -> "Stage":
        self.pushpit = await self.starting
        self.clock = HeldClock(await self.pushpit.clock.now())
        self.start = self.clock.now() + STARTS_IN
        feed = Feed([Match(m, ("MI", "CSK"), self.start, overs=self.overs, rains=False) for m in self.matches])
        self.backend = Backend(
            gateway(self.pushpit.ready, BUNDLE, self.environment), feed, self.clock, self.bugs, jwt_clock=self.jwt_now
        )
        await self.backend.__aenter__()
        self.apps = Apps(self.pushpit, self.backend.url, BUNDLE, self.clock)
        return self

    async def __aexit__(self, *_) -> None:
        await self.apps.close()
        await self.backend.close()
        await self.pushpit.stop()

    async def everybody_follows(self) -> None:
        await self.apps.report()
        for phone in self.phones:
            for match in self.matches:
                assert (await self.apps.follow(phone, match)) == {"live": False}

    async def pass_time(self, seconds: float, step: float = 5.0) -> None:
        """A step at a time: the phones, then what their apps say, then the backend."""
        until = self.clock.now() + seconds
        while until - self.clock.now() >= 0.001:  # Pushpit counts milliseconds
            await self.clock.advance_with(self.pushpit.clock, min(step, until - self.clock.now()))
            await self.apps.report()
            await self.backend.step()

    async def kick_off(self) -> None:
        await self.everybody_follows()
        await self.pass_time(STARTS_IN + 90)

    async def whole_match(self) -> None:
        await self.everybody_follows()
        await self.whole_match_from_here()

    async def whole_match_from_here(self) -> None:
        await self.pass_time(STARTS_IN + 90)
        ends = max(m.ends_at for m in self.backend.feed.matches.values())
        await self.pass_time(ends - self.clock.now() + 60, step=15.0)

    def answered(self, what: str, status: int) -> int:
        """The number of the backend's pushes of a kind that were answered so, as it saw them."""
        return sum(
            n
            for (kind, _, answer, _), n in self.backend.coordinator.outbox.counts.items()
            if (kind, answer) == (what, str(status))
        )

    def phone(self, device: str) -> Phone:
        return self.pushpit.phone(device)

    async def screen(self, device: str) -> dict:
        return (await self.phone(device).screen()).raw

    async def pushes(self) -> list[dict]:
        return await ledger(self.pushpit)

    async def evidence(self) -> Evidence:
        metrics = await self.pushpit.metrics()
        live = {row["token"] async for row in self.pushpit.admin.pages("/v1/tokens", "tokens", live=True)}
        return Evidence(
            await self.pushes(),
            live,
            set().union(*self.backend.store.tokens().values()),
            self.apps.reports,
            int(metrics["pushpit_connections_opened_total"]),
            self.clock.now(),
            self.jwt_now(),
        )
