"""The backend as `pushpit run` starts it: where everything is stands in the environment, time passes when somebody says
so (POST /tick), and another play may follow (POST /reset)."""

import asyncio
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from cricket.backend import Backend
from cricket.clock import HeldClock

STEP_WITHIN = 10.0
"""Seconds of real time. Time does not wait for a backend that hangs, here as elsewhere."""


@dataclass(frozen=True)
class Surroundings:
    ready: dict
    """The line that `pushpit serve` prints."""
    port: int
    now: float
    seed: int

    @classmethod
    def read(cls, variables: Mapping[str, str]) -> "Surroundings":
        values = {}
        for name in ("PUSHPIT_READY", "PORT", "PUSHPIT_NOW", "PUSHPIT_SEED"):
            if not variables.get(name):
                raise ValueError(f"{name} is missing: --child is for `pushpit run`, which sets it")
            values[name] = variables[name]
        try:
            now = float(values["PUSHPIT_NOW"])
            if not math.isfinite(now):
                raise ValueError(f"PUSHPIT_NOW is {now}")
            ready = json.loads(Path(values["PUSHPIT_READY"]).read_text())
            return cls(ready, int(values["PORT"]), now, int(values["PUSHPIT_SEED"]))
        except (OSError, ValueError) as problem:
            raise ValueError(f"the environment makes no sense: {problem}") from None


class Ticker:
    """Moves the clock, and does what is due by then before it answers."""

    def __init__(
        self, backend: Backend, clock: HeldClock, plays: asyncio.Queue[Surroundings | None], within: float = STEP_WITHIN
    ):
        self.backend, self.clock, self.within = backend, clock, within
        self.plays = plays
        """The surroundings of the next play, or None at the end."""
        self.step: asyncio.Task | None = None
        backend.application.add_routes([web.post("/tick", self.tick), web.post("/reset", self.reset)])

    async def tick(self, request: web.Request) -> web.Response:
        try:
            now = (await request.json())["now"]
            if isinstance(now, bool) or not isinstance(now, (int, float)) or not math.isfinite(now):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            return web.json_response({"error": "now is wanted: seconds since 1970"}, status=400)
        try:
            self.clock.move_to(float(now))
        except ValueError as problem:
            return web.json_response({"error": str(problem)}, status=409)
        hung = self.step is not None and not self.step.done()
        if not hung:
            self.step = asyncio.create_task(self.backend.step())
        await asyncio.wait({self.step}, timeout=0 if hung else self.within)
        if self.step.done() and not self.step.cancelled():
            self.step.result()
        return web.Response(status=204)

    async def reset(self, request: web.Request) -> web.Response:
        """Ends the play. Calls after the answer wait for the next backend, at the listener that both share."""
        try:
            told = await request.json()
            variables = {"PUSHPIT_NOW": str(told["now"]), "PUSHPIT_SEED": str(told["seed"])}
            around = Surroundings.read({**os.environ, **variables})
        except (ValueError, KeyError, TypeError) as problem:
            return web.json_response({"error": f"now and seed of the next play are wanted: {problem}"}, status=400)
        await self.stop()
        await self.backend.hang_up()
        self.backend.store.forget_all()
        self.plays.put_nowait(around)
        answer = web.Response(status=204)
        answer.force_close()
        return answer

    async def stop(self) -> None:
        if self.step is not None:
            self.step.cancel()
            await asyncio.wait({self.step})
