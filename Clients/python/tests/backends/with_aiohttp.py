"""A backend with aiohttp that tells of goals by alerts. With BUG=throws_away it forgets a token after every 410, also
after one that is older than the token's registration."""

import asyncio
import json
import os
import ssl
import time
import uuid
from pathlib import Path

import anyio
import httpx
import jwt
from aiohttp import web

BUG = os.environ.get("BUG")
READY = json.loads(Path(os.environ["PUSHPIT_READY"]).read_text())
KEY = READY["keys"][0]
PATIENCE = 10.0

followers: dict[str, float] = {}
"""Tokens, and when they were registered, in milliseconds."""
running: set[asyncio.Task[None]] = set()
routes = web.RouteTableDef()
client = httpx.AsyncClient(
    http2=True,
    verify=ssl.create_default_context(cafile=READY["ca"]),
    trust_env=False,
    timeout=2,
    base_url=f"https://{READY['listeners']['sandbox']}/3/device",
)


@routes.post("/followers")
async def follow(request: web.Request) -> web.Response:
    followers.clear()
    followers[(await request.json())["token"]] = time.time() * 1000
    return web.Response(status=204)


@routes.post("/goals")
async def goal(request: web.Request) -> web.Response:
    text = (await request.json())["text"]
    for token in followers:
        task = asyncio.create_task(push(token, text))
        running.add(task)
        task.add_done_callback(running.discard)
    return web.Response(status=204)


def provider_token() -> str:
    claims = {"iss": KEY["teamId"], "iat": int(time.time())}
    return jwt.encode(claims, Path(KEY["p8"]).read_text(), "ES256", {"kid": KEY["keyId"]})


authorization = provider_token()


async def push(token: str, text: str) -> None:
    global authorization
    # The same for each attempt, so that a push whose answer was lost is shown once.
    identity = str(uuid.uuid4())
    until, pause = time.monotonic() + PATIENCE, 0.02
    while token in followers and time.monotonic() < until:
        headers = {
            "authorization": f"bearer {authorization}",
            "apns-id": identity,
            "apns-collapse-id": identity,
            "apns-topic": "com.example.app",
            "apns-push-type": "alert",
        }
        try:
            answer = await client.post(f"/{token}", json={"aps": {"alert": text}}, headers=headers)
        except (httpx.HTTPError, anyio.EndOfStream):  # the second for a connection that ends while a request is written
            answer = None
        if answer is not None:
            if answer.status_code in (200, 400, 413):
                return
            if answer.status_code == 403:
                authorization = provider_token()
            if answer.status_code == 410:
                died = answer.json()["timestamp"]
                if BUG == "throws_away" or died > followers[token]:
                    followers.pop(token, None)
        await asyncio.sleep(pause)
        pause = min(2 * pause, 0.3)


async def main() -> None:
    app = web.Application()
    app.add_routes(routes)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
