"""Starts `pushpit serve`, and asks its admin API."""

import asyncio
import json
import os
import shutil
from pathlib import Path

import aiohttp

REPOSITORY = Path(__file__).resolve().parents[2]
READY_WITHIN = 60.0
STOPPED_WITHIN = 30.0
ANY_PORT = [
    x
    for name in ("port", "production-port", "admin-port", "channels-port", "production-channels-port")
    for x in (f"--{name}", "0")
]


def binary() -> Path:
    named = os.environ.get("PUSHPIT_BINARY")
    places = [Path(named)] if named else [REPOSITORY / f".build/{build}/pushpit" for build in ("release", "debug")]
    for place in places:
        if os.access(place, os.X_OK):
            return place.absolute()
    raise SystemExit(f"There is no {' or '.join(map(str, places))}: run `make build`, or set PUSHPIT_BINARY.")


class Admin:
    """The admin API."""

    def __init__(self, url: str):
        self.session = aiohttp.ClientSession(url, timeout=aiohttp.ClientTimeout(120))

    async def close(self) -> None:
        await self.session.close()

    async def get(self, path: str, **query) -> dict:
        async with self.session.get(path, params=query) as answer:
            return await self._read(answer)

    async def post(self, path: str, **body) -> dict:
        async with self.session.post(path, json=body) as answer:
            return await self._read(answer)

    @staticmethod
    async def _read(answer: aiohttp.ClientResponse) -> dict:
        text = await answer.text()
        if answer.status >= 300:
            raise RuntimeError(f"{answer.method} {answer.url}: {answer.status} {text}")
        return json.loads(text)

    async def pages(self, path: str, field: str, **query):
        cursor = {}
        while True:
            page = await self.get(path, **query, limit=1000, **cursor)
            for row in page[field]:
                yield row
            if page["next"] is None:
                return
            cursor = {"cursor": page["next"]}

    async def now(self) -> float:
        return (await self.get("/v1/clock"))["unixMilliseconds"] / 1000

    async def advance(self, seconds: float) -> float:
        return (await self.post("/v1/clock", advance=f"{round(seconds * 1000)}ms"))["unixMilliseconds"] / 1000

    async def act(self, device: str, do: str, **fields) -> dict:
        return await self.post(f"/v1/devices/{device}/actions", do=do, **fields)

    async def pushes(self) -> list[dict]:
        """The ledger, oldest first."""
        return [push async for push in self.pages("/v1/pushes", "pushes")][::-1]

    async def metrics(self) -> dict[str, float]:
        async with self.session.get("/metrics") as answer:
            lines = (await answer.text()).splitlines()
        return {name: float(value) for name, _, value in (x.rpartition(" ") for x in lines if x and x[0] != "#")}


class Pushpit:
    """`pushpit serve` for as long as the context lasts."""

    def __init__(self, home: Path, *flags: str):
        self.home, self.flags = home, flags

    async def __aenter__(self) -> "Pushpit":
        self.log = (self.home / "pushpit.log").open("w")
        kept = {k: v for k, v in os.environ.items() if not k.startswith("PUSHPIT_")}
        self.process = await asyncio.create_subprocess_exec(
            str(binary()),
            "serve",
            "--state",
            str(self.home / "state"),
            *ANY_PORT,
            *self.flags,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=self.log,
            env=kept,
        )
        line = await asyncio.wait_for(self.process.stdout.readline(), READY_WITHIN)
        if not line:
            code = await self.process.wait()
            raise SystemExit(f"pushpit ended with {code}: {(self.home / 'pushpit.log').read_text()}")
        self.ready = json.loads(line)
        self.admin = Admin(self.ready["admin"])
        return self

    async def __aexit__(self, *_) -> None:
        await self.admin.close()
        if self.process.returncode is None:
            self.process.terminate()
        try:
            await asyncio.wait_for(self.process.wait(), STOPPED_WITHIN)
        except TimeoutError:
            self.process.kill()
            await self.process.wait()
        self.log.close()


def removed(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
