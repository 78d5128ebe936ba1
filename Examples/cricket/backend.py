"""The parts put together."""

import time

from aiohttp import web

from cricket.api import application
from cricket.bugs import Bugs
from cricket.coordinator import Coordinator
from cricket.match import Feed
from cricket.orchestrator import Orchestrator
from cricket.push import Gateway, Pusher
from cricket.store import Store


class Backend:
    def __init__(self, gateway: Gateway, feed: Feed, clock, bugs: Bugs = Bugs(), database: str = ":memory:",
                 jwt_clock=time.time, port: int = 0):
        self.port = port
        self.clock, self.feed, self.bugs = clock, feed, bugs
        self.store = Store(database, bugs)
        self.pusher = Pusher(gateway, bugs, jwt_clock)
        self.coordinator = Coordinator(self.store, self.pusher, clock, bugs)
        self.orchestrator = Orchestrator(feed, self.coordinator, clock)
        self.runner = web.AppRunner(application(self.coordinator, feed), access_log=None)
        self.url = ""

    async def __aenter__(self) -> "Backend":
        await self.listen()
        return self

    async def __aexit__(self, *_) -> None:
        await self.close()

    async def listen(self) -> None:
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", self.port, backlog=1024)
        await site.start()
        self.url = f"http://127.0.0.1:{self.runner.addresses[0][1]}"

    async def step(self) -> None:
        await self.orchestrator.step()

    async def close(self) -> None:
        await self.runner.cleanup()
        self.pusher.close()
        self.store.close()
