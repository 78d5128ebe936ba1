"""A backend with FastAPI that reminds drivers of the end of their parking time: docs/tick.md."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import uvicorn
from fastapi import FastAPI

import apns

REMINDER = 3.75 * 3600
due: list[tuple[float, str]] = []
client = httpx.AsyncClient(**apns.CLIENT)


@asynccontextmanager
async def every_second(_: FastAPI) -> AsyncIterator[None]:
    async def repeat() -> None:
        while True:
            await run_due()
            await asyncio.sleep(1)

    task = None if told else asyncio.create_task(repeat())
    yield
    if task:
        task.cancel()


app = FastAPI(lifespan=every_second)


@app.post("/parked", status_code=204)
async def parked(body: dict) -> None:
    due.append((now() + REMINDER, body["token"]))


async def run_due() -> None:
    while due and due[0][0] <= now():
        answer = await client.post(**apns.push(due[0][1], "Your parking ends in 15 minutes"))
        answer.raise_for_status()
        due.pop(0)


told = os.environ.get("PUSHPIT_NOW")  # set if a story tells the time


def now() -> float:
    return float(told or time.time())


async def tick(body: dict) -> None:
    global told
    told = body["now"]
    await run_due()


if told:
    app.post("/tick", status_code=204)(tick)

uvicorn.run(app, port=int(os.environ["PORT"]))
