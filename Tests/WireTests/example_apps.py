"""Apps controlled by a test, which decides when they report, what, and in which order. They read over the admin API
what each phone has. Examples/cricket/play.py has Pushpit's own."""

import asyncio

import aiohttp

from cricket.findings import Report
from pushpit.aio import Pushpit

AT_ONCE = 50


class Apps:
    def __init__(self, pushpit: Pushpit, backend: str, bundle_id: str, clock):
        self.pushpit, self.bundle_id, self.clock = pushpit, bundle_id, clock
        self.http = aiohttp.ClientSession(backend, connector=aiohttp.TCPConnector(limit=AT_ONCE))
        self.said: dict[tuple, object] = {}
        self.reports: list[Report] = []
        self.silent: set[str] = set()
        """Phones whose app gets no word out."""
        self.seen: dict[tuple[str, str], str] = {}
        """Cards by device and match."""
        self.users: dict[str, str] = {}
        """The people whose phones these are; any other phone is its own person's."""

    async def close(self) -> None:
        await self.http.close()

    async def post(self, device: str, path: str, **body) -> dict | None:
        headers = {
            "authorization": f"Bearer {self.users.get(device, f'user-{device}')}",
            "x-device-id": f"idfv-{device}",
        }
        async with self.http.post(path, json=body, headers=headers) as answer:
            return await answer.json() if answer.status == 200 else None

    async def follow(self, device: str, match_id: str) -> dict | None:
        return await self.post(device, f"/matches/{match_id}/follow")

    async def dismiss(self, device: str, match_id: str) -> None:
        await self.post(device, f"/matches/{match_id}/activity-dismissed")
        self.reports.append(Report(self.clock.now(), device, "dismissed", match_id, None))

    async def token(self, device: str, what: str, token: str, match_id: str | None = None) -> None:
        """Tells of a token, whatever was told before."""
        body = {"deviceId": f"idfv-{device}", "token": token, "attributesType": "MatchAttributes"}
        if what == "device":
            path, body = "/devices", {"deviceId": f"idfv-{device}", "pushToken": token, "osVersion": "18.5"}
        elif what == "pushToStart":
            path = "/devices/push-to-start-token"
        else:
            path, body = f"/matches/{match_id}/activity-token", {"token": token}
        if await self.post(device, path, **body) is not None:
            self.said[device, what, match_id] = token
            self.reports.append(Report(self.clock.now(), device, what, match_id, token))

    async def report(self) -> None:
        """Everything that is new, of all phones whose app could run."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(row: dict) -> None:
            async with gate:
                await self._phone(row)

        rows = self.pushpit.admin.pages("/v1/devices", "devices", app=self.bundle_id)
        await asyncio.gather(*[one(row) async for row in rows])

    async def _phone(self, row: dict) -> None:
        app = next(a for a in row["apps"] if a["bundleId"] == self.bundle_id)
        if row["id"] in self.silent or not row["online"] or not app["installed"] or app["state"] == "forceQuit":
            return
        device = row["id"]
        if app["deviceToken"]:
            await self._news(device, "device", app["deviceToken"])
        for start in app["pushToStart"]:
            await self._news(device, "pushToStart", start["token"])
        if self.said.get((device, "frequent", None)) != app["frequentUpdates"]:
            await self.post(
                device, "/devices/frequent-pushes", deviceId=f"idfv-{device}", enabled=app["frequentUpdates"]
            )
            self.said[device, "frequent", None] = app["frequentUpdates"]
        alive = [a for a in app["activities"] if a["state"] in ("active", "stale")]
        cards = {}
        if alive or any(d == device for d, _ in self.seen):
            screen = await self.pushpit.phone(device).screen()
            cards = {card.activity: card.attributes["matchId"] for card in screen.cards}
        for activity in alive:
            match_id = cards.get(activity["id"])
            if match_id and activity["updateToken"]:
                self.seen[device, match_id] = activity["id"]
                await self._news(device, "update", activity["updateToken"], match_id)
        for (owner, match_id), activity_id in list(self.seen.items()):
            if owner == device and activity_id not in cards:
                del self.seen[owner, match_id]
                await self.dismiss(device, match_id)

    async def _news(self, device: str, what: str, token: str, match_id: str | None = None) -> None:
        if self.said.get((device, what, match_id)) != token:
            await self.token(device, what, token, match_id)
