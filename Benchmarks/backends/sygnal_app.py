"""A homeserver with Sygnal, unmodified, as its push gateway. It pushes as Synapse does (synapse/push/httppusher.py):
one request for each event and token, in order, again after 1 s, 2 s, 4 s and so on if Sygnal does not answer 200."""

import asyncio
import base64
import os
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator

import aiohttp
import yaml
from aiohttp import web
from surroundings import BUNDLE, KEY, READY, TELLS_TIME, Clock

PORT = 5000
"""Sygnal's; nobody else is in this network."""
URL = f"http://127.0.0.1:{PORT}"
LONGEST_BACKOFF = 3600
LOG = {"setup": {"version": 1, "handlers": {"e": {"class": "logging.StreamHandler"}}, "root": {"handlers": ["e"]}}}
PATIENCE = 60
"""Seconds that Synapse's client waits for an answer."""


class Gateway:
    """Sygnal."""

    async def start(self) -> None:
        app = {
            "type": "apns", "platform": "sandbox", "keyfile": KEY["p8"], "key_id": KEY["keyId"],
            "team_id": KEY["teamId"], "topic": BUNDLE, "push_type": "alert",
        }  # fmt: skip
        config = {"http": {"bind_addresses": ["127.0.0.1"], "port": PORT}, "log": LOG, "apps": {BUNDLE: app}}
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(config, file)
            file.flush()
            environment = os.environ | {"SYGNAL_CONF": file.name, "SSL_CERT_FILE": READY["ca"]}
            self.child = await asyncio.create_subprocess_exec(sys.executable, "-m", "sygnal.sygnal", env=environment)
            async with aiohttp.ClientSession() as session:
                while self.child.returncode is None:
                    try:
                        return await (await session.get(URL + "/health")).release()
                    except aiohttp.ClientConnectionError:
                        await asyncio.sleep(0.05)
        sys.exit("Sygnal has ended")

    async def stop(self) -> None:
        self.child.kill()
        await self.child.wait()


class Pusher:
    """A token of a person, with the events that Sygnal has not taken yet."""

    def __init__(self, token: str, user: str):
        self.token, self.user = token, user
        self.pushkey = base64.b64encode(bytes.fromhex(token)).decode()
        self.registered, self.due, self.backoff = 0.0, 0.0, 1
        self.is_waiting = False
        self.known: set[str] = set()
        self.events: deque[dict] = deque()


class Homeserver:
    def __init__(self) -> None:
        self.clock, self.gateway = Clock(), Gateway()
        self.pushers: dict[str, Pusher] = {}
        self.is_overdue = False
        """True if Sygnal may still be sending what the homeserver no longer waits for."""

    async def run(self, _: web.Application) -> AsyncIterator[None]:
        await self.gateway.start()
        self.session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE))
        task = None if TELLS_TIME else asyncio.create_task(self.always())
        yield
        if task:
            task.cancel()
        await self.session.close()
        await self.gateway.stop()

    async def register(self, request: web.Request) -> web.Response:
        body = await request.json()
        token = body["registration_id"]
        self.pushers.setdefault(token, Pusher(token, body["name"])).registered = self.clock.now()
        return web.Response(status=201)

    async def say(self, request: web.Request) -> web.Response:
        """The app's id makes a message that is sent twice one message, as in Matrix."""
        body = await request.json()
        event = {
            "event_id": f"${body['sender']}-{body['id']}", "room_id": "!evening", "prio": "high",
            "type": "m.room.message", "sender": body["sender"], "room_name": "Evening", "counts": {"unread": 1},
            "content": {"msgtype": "m.text", "body": body["text"]},
        }  # fmt: skip
        for pusher in self.pushers.values():
            if pusher.user != body["sender"] and event["event_id"] not in pusher.known:
                pusher.known.add(event["event_id"])
                pusher.events.append(event)
        return web.Response(status=200)

    async def tick(self, request: web.Request) -> web.Response:
        self.clock.told = (await request.json())["now"]
        await self.run_due()
        return web.Response(status=204)

    async def always(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            while True:
                for pusher in self.pushers.values():
                    tasks.create_task(self.process(pusher))
                await asyncio.sleep(0.1)

    async def reset(self, request: web.Request) -> web.Response:
        self.clock.told = (await request.json())["now"]
        self.is_overdue |= any(pusher.is_waiting for pusher in self.pushers.values())
        self.pushers.clear()
        if self.is_overdue:
            await self.gateway.stop()
            await self.gateway.start()
            self.is_overdue = False
        return web.Response(status=204)

    async def run_due(self) -> None:
        await asyncio.gather(*(self.process(pusher) for pusher in list(self.pushers.values())))

    async def process(self, pusher: Pusher) -> None:
        while not pusher.is_waiting and pusher.events and pusher.due <= self.clock.now():
            pusher.is_waiting = True
            rejected = await self.notify(pusher, pusher.events[0])
            pusher.is_waiting = False
            if self.pushers.get(pusher.token) is not pusher:
                return
            if rejected is None:
                pusher.due = self.clock.now() + pusher.backoff
                pusher.backoff = min(pusher.backoff * 2, LONGEST_BACKOFF)
                continue
            pusher.events.popleft()
            pusher.backoff = 1
            if pusher.pushkey in rejected:
                del self.pushers[pusher.token]
                return

    async def notify(self, pusher: Pusher, event: dict) -> list[str] | None:
        """The pushkeys that were rejected; nothing if Sygnal has failed."""
        device = {"app_id": BUNDLE, "pushkey": pusher.pushkey, "pushkey_ts": int(pusher.registered)}
        body = {"notification": event | {"devices": [device]}}
        try:
            async with self.session.post(URL + "/_matrix/push/v1/notify", json=body) as answer:
                return (await answer.json(content_type=None))["rejected"] if answer.status == 200 else None
        except (TimeoutError, aiohttp.ClientError):
            self.is_overdue = True
            return None


if __name__ == "__main__":
    server, application = Homeserver(), web.Application()
    application.add_routes([
        web.post("/devices/", server.register), web.post("/messages/", server.say), web.post("/tick", server.tick),
        web.post("/reset", server.reset),
    ])  # fmt: skip
    application.cleanup_ctx.append(server.run)
    web.run_app(application, host="127.0.0.1", port=int(os.environ["PORT"]), access_log=None)
