"""A backend with aiohttp that reminds drivers of the end of their parking time: docs/tick.md."""

import asyncio
import os
import time
from collections.abc import AsyncIterator

import httpx
from aiohttp import web

import apns

REMINDER = 3.75 * 3600
due: list[tuple[float, str]] = []
client = httpx.AsyncClient(**apns.CLIENT)
app = web.Application()


async def parked(request: web.Request) -> web.Response:
    due.append((now() + REMINDER, (await request.json())["token"]))
    return web.Response(status=204)


app.router.add_post("/parked", parked)


async def run_due() -> None:
    while due and due[0][0] <= now():
        answer = await client.post(**apns.push(due[0][1], "Your parking ends in 15 minutes"))
        answer.raise_for_status()
        due.pop(0)


async def every_second(_: web.Application) -> AsyncIterator[None]:
    async def repeat() -> None:
        while True:
            await run_due()
            await asyncio.sleep(1)

    task = asyncio.create_task(repeat())
    yield
    task.cancel()


told = os.environ.get("PUSHPIT_NOW")  # set if a story tells the time


def now() -> float:
    return float(told or time.time())


async def tick(request: web.Request) -> web.Response:
    global told
    told = (await request.json())["now"]
    await run_due()
    return web.Response(status=204)


if told:
    app.router.add_post("/tick", tick)
else:
    app.cleanup_ctx.append(every_second)

web.run_app(app, host="127.0.0.1", port=int(os.environ["PORT"]))
