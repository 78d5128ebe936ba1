"""The parts put together."""

import socket
import time
from collections.abc import Mapping, Sequence

from aiohttp import web

from cricket.api import application
from cricket.bugs import Bugs
from cricket.coordinator import Coordinator
from cricket.match import Feed
from cricket.orchestrator import Orchestrator
from cricket.push import ANSWER_WITHIN, Gateway, Mistake, Pusher
from cricket.store import Store

BACKLOG = 1024


def bound(port: int = 0) -> socket.socket:
    """A socket on loopback, of which others may be told before there is a backend; whoever calls waits."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(BACKLOG)
    return listener


def url(listener: socket.socket) -> str:
    host, port = listener.getsockname()
    return f"http://{host}:{port}"


class Backend:
    def __init__(
        self,
        gateway: Gateway,
        feed: Feed,
        clock,
        bugs: Bugs = Bugs(),
        database: str = ":memory:",
        jwt_clock=time.time,
        port: int = 0,
        listener: socket.socket | None = None,
        answer_within: float = ANSWER_WITHIN,
        others: Mapping[str, Gateway] | None = None,
        mistakes: Sequence[Mistake] = (),
        broadcasts: bool = False,
    ):
        self.broadcasts = broadcasts
        self.listener = listener or bound(port)
        self.clock, self.feed, self.bugs = clock, feed, bugs
        self.store = Store(database, bugs)
        self.pusher = Pusher(gateway, bugs, jwt_clock, answer_within)
        self.others = {
            environment: Pusher(other, bugs, jwt_clock, answer_within, self.pusher.provider)
            for environment, other in (others or {}).items()
        }
        """For tokens of another environment than the gateway's; the key and its provider token are the same."""
        self.mistakes = {mistake: Pusher(mistake.gateway, bugs, jwt_clock, answer_within) for mistake in mistakes}
        self.coordinator = Coordinator(self.store, self.pusher, clock, bugs, self.others, self.mistakes)
        self.orchestrator = Orchestrator(feed, self.coordinator, clock)
        self.application = application(self.coordinator, feed)
        self.runner = web.AppRunner(self.application, access_log=None)
        self.url = url(self.listener)

    async def __aenter__(self) -> "Backend":
        await self.listen()
        return self

    async def __aexit__(self, *_) -> None:
        await self.close()

    async def listen(self) -> None:
        await self.runner.setup()
        # Before anybody can follow a match: a card that is started without a channel stays without one.
        for match_id in self.feed.matches if self.broadcasts else ():
            if self.store.channel(match_id) is None:
                self.store.keep_channel(match_id, await self.pusher.create_channel())
        site = web.SockSite(self.runner, self.listener, backlog=BACKLOG)
        await site.start()
        await self.pusher.connect()

    async def step(self) -> None:
        await self.orchestrator.step()

    async def hang_up(self) -> None:
        """Takes no more calls, and closes all connections to APNs."""
        for site in list(self.runner.sites):
            await site.stop()
        for pusher in (self.pusher, *self.others.values(), *self.mistakes.values()):
            pusher.close()

    async def close(self) -> None:
        await self.hang_up()
        await self.runner.cleanup()
        self.store.close()
