"""A stage for the cricket backend of Examples/: a Pushpit, the backend, its phones' apps, and one time for all."""

import sys
import time
from pathlib import Path

from program import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "Examples"))

from cricket.__main__ import gateway
from cricket.backend import Backend
from cricket.bugs import Bugs
from cricket.clock import HeldClock
from cricket.findings import Evidence
from cricket.match import Feed, Match
from cricket.pushpit import Pushpit
from example_apps import Apps

BUNDLE = "com.sightscreen.app"
APP = Path(__file__).with_name("example_app.yaml")
QUIET = (
    "--clock",
    "manual",
    "--ideal",
    "--prompt",
    "never",
    "--set",
    "timing.immediate=true",
    "--os",
    "26.1:100",
    "--config",
    str(APP),
)
STARTS_IN = 60


class Stage:
    def __init__(
        self,
        home: Path,
        *bugs: str,
        phones: int = 3,
        overs: int = 2,
        flags: tuple[str, ...] = (),
        environment: str = "sandbox",
        matches: tuple[str, ...] = ("m1",),
    ):
        self.bugs, self.environment, self.overs, self.matches = Bugs.named(list(bugs)), environment, overs, matches
        self.pushpit = Pushpit(home, *QUIET, "--fleet", str(phones), *flags)
        self.phones = [f"d{n}" for n in range(phones)]
        self.jwt_ahead = 0.0

    def jwt_now(self) -> float:
        return time.time() + self.jwt_ahead

    async def __aenter__(self) -> "Stage":
        await self.pushpit.__aenter__()
        self.admin = self.pushpit.admin
        self.clock = HeldClock(await self.admin.now())
        self.start = self.clock.now() + STARTS_IN
        feed = Feed([Match(m, ("MI", "CSK"), self.start, overs=self.overs, rains=False) for m in self.matches])
        self.backend = Backend(
            gateway(self.pushpit.ready, BUNDLE, self.environment), feed, self.clock, self.bugs, jwt_clock=self.jwt_now
        )
        await self.backend.__aenter__()
        self.apps = Apps(self.admin, self.backend.url, BUNDLE, self.clock)
        return self

    async def __aexit__(self, *_) -> None:
        await self.apps.close()
        await self.backend.close()
        await self.pushpit.__aexit__()

    async def everybody_follows(self) -> None:
        await self.apps.report()
        for phone in self.phones:
            for match in self.matches:
                assert (await self.apps.follow(phone, match)) == {"live": False}

    async def pass_time(self, seconds: float, step: float = 5.0) -> None:
        """A step at a time: the phones, then what their apps say, then the backend."""
        until = self.clock.now() + seconds
        while until - self.clock.now() >= 0.001:  # Pushpit counts milliseconds
            self.clock.move_to(await self.admin.advance(min(step, until - self.clock.now())))
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

    async def screen(self, phone: str) -> dict:
        return await self.admin.get(f"/v1/devices/{phone}/screen")

    async def evidence(self) -> Evidence:
        metrics = await self.admin.metrics()
        live = {row["token"] async for row in self.admin.pages("/v1/tokens", "tokens", live="true")}
        return Evidence(
            await self.admin.pushes(),
            live,
            set().union(*self.backend.store.tokens().values()),
            self.apps.reports,
            int(metrics["pushpit_connections_opened_total"]),
            self.clock.now(),
            self.jwt_now(),
        )
