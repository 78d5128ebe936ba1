"""The virtual apps of Pushpit's phones: has them do things, waits until they have said what they have to say, and reads
what that was."""

import asyncio
import json
from datetime import datetime

from cricket.findings import Report
from pushpit.aio import Pushpit

SETTLED_WITHIN = 60.0
"""Seconds of real time for the calls of one step."""
LOOK_AGAIN = 0.002
WHAT = {
    "deviceToken": "device",
    "pushToStartToken": "pushToStart",
    "silentPushHandled": "pushToStart",
    "activityToken": "update",
    "activityState.dismissed": "dismissed",
}


class Apps:
    def __init__(self, pushpit: Pushpit):
        self.pushpit = pushpit

    async def use(self, action: str, where: dict, **arguments) -> int:
        """Has people do something in the app; how many did."""
        order = {"do": "use", "action": action, "arguments": arguments, "where": where}
        return (await self.pushpit.admin.post("/v1/actions", order))["done"]

    async def settled(self) -> None:
        """Until every call has its answer. Time must stand meanwhile."""

        async def until_none_is_open() -> None:
            while (await self.pushpit.metrics())["pushpit_app_calls_open"]:
                await asyncio.sleep(LOOK_AGAIN)  # the library does not read the event stream

        await asyncio.wait_for(until_none_is_open(), SETTLED_WITHIN)

    async def calls(self) -> list[dict]:
        """Oldest first."""
        return [call async for call in self.pushpit.admin.pages("/v1/calls", "calls")][::-1]

    @staticmethod
    def reports(calls: list[dict]) -> list[Report]:
        """Of those that the backend has taken, what findings go by."""
        taken = []
        for call in calls:
            what = WHAT.get(call["event"].removesuffix(".rotated"))
            if what is None or call["status"] is None or not 200 <= call["status"] < 300:
                continue
            told = json.loads(call["body"] or "{}")
            parts = call["url"].split("/")
            match_id = parts[parts.index("matches") + 1] if "matches" in parts else None
            at = datetime.fromisoformat(call["endedAt"]).timestamp()
            taken.append(Report(at, call["device"], what, match_id, told.get("pushToken") or told.get("token")))
        return taken
