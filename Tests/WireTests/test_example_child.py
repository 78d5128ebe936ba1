"""The example backend as a child of `pushpit run`: what it takes from its environment, /health and /tick."""

import asyncio
import json
import math
import os
import signal
import subprocess
import sys
from contextlib import asynccontextmanager

import aiohttp
import pytest

from cricket.backend import bound
from cricket.child import STEP_WITHIN
from cricket.findings import ledger
from example import BUNDLE, QUIET
from program import REPOSITORY
from pushpit.aio import Pushpit

COMMAND = [sys.executable, "-m", "cricket", "--child"]
WITHIN = 20
SOMEBODY = {"authorization": "Bearer somebody", "x-device-id": "idfv"}


def variables(**named) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k != "PORT" and not k.startswith("PUSHPIT_")}
    return kept | {"PYTHONPATH": str(REPOSITORY / "Examples")} | {k: str(v) for k, v in named.items()}


@asynccontextmanager
async def child(*arguments):
    """The backend beside a Pushpit whose clock stands; a session that asks it."""
    listener = bound()
    port = listener.getsockname()[1]
    async with Pushpit.start(**QUIET, fleet=3) as pushpit:
        now = await pushpit.clock.now()
        # Not earlier: Pushpit itself might have got the port.
        listener.close()
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            *arguments,
            stderr=asyncio.subprocess.PIPE,
            env=variables(**pushpit.environment(), PORT=port, PUSHPIT_NOW=now, PUSHPIT_SEED=1),
        )
        try:
            line = b"aioapns"
            while line.startswith(b"aioapns"):  # what its library logs of the first connection
                line = await asyncio.wait_for(process.stderr.readline(), WITHIN)
            assert line.startswith(b"listening on "), line
            async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
                yield pushpit, session, now, process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def ticked(session, now) -> int:
    async with session.post("/tick", json={"now": now}) as answer:
        return answer.status


async def reset(session, **told) -> int:
    async with session.post("/reset", json=told) as answer:
        assert answer.status == 400 or answer.headers["connection"] == "close"  # the next backend opens its own
        return answer.status


async def follow(pushpit, session) -> None:
    """A phone tells its start token, and its owner follows the match."""
    token = await pushpit.phone("d0").token("pushToStart", app=BUNDLE)
    told = {"deviceId": "idfv", "token": token, "attributesType": "MatchAttributes"}
    async with session.post("/devices/push-to-start-token", headers=SOMEBODY, json=told) as answer:
        assert answer.status == 200
    async with session.post("/matches/m1/follow", headers=SOMEBODY) as answer:
        assert await answer.json() == {"live": False}


def test_time_passes_by_ticks_and_provider_tokens_are_stamped_by_it():
    async def story():
        async with child("--starts-in", "30", "--overs", "1") as (pushpit, session, now, _):
            async with session.get("/health") as answer:
                assert answer.status == 200
            await follow(pushpit, session)
            assert await ticked(session, now + 25) == 204
            assert await ledger(pushpit) == []
            assert await ticked(session, now + 60) == 204
            [push] = await ledger(pushpit)
            assert json.loads(push["request"]["body"])["aps"]["event"] == "start"
            assert push["request"]["providerToken"]["claims"]["iat"] == int(now + 60)

    asyncio.run(story())


def test_an_invalid_tick_is_refused():
    async def story():
        async with child() as (_, session, now, _):
            assert await ticked(session, now + 10) == 204
            assert await ticked(session, now + 5) == 409
            for wrong in ("soon", None, True, math.nan):
                assert await ticked(session, wrong) == 400
            async with session.post("/tick", data=b"{") as answer:
                assert answer.status == 400 and "seconds since 1970" in (await answer.json())["error"]

    asyncio.run(story())


async def connections(pushpit) -> tuple[int, int]:
    """Returns how many connections to APNs are open, and how many were ever opened."""
    metrics = await pushpit.metrics()
    return int(metrics["pushpit_connections_open"]), int(metrics["pushpit_connections_opened_total"])


def test_a_reset_forgets_the_time_the_follows_and_the_tokens_also_of_a_database(tmp_path):
    async def story():
        flags = ("--starts-in", "30", "--overs", "1", "--database", str(tmp_path / "cricket.db"))
        async with child(*flags) as (pushpit, session, now, _):
            await follow(pushpit, session)
            assert await ticked(session, now + 25) == 204
            assert await reset(session, now=now, seed="2", scenario="another") == 204
            async with session.get("/user/follows", headers=SOMEBODY) as answer:
                assert await answer.json() == {"follows": []}
            async with session.post("/matches/m1/follow", headers=SOMEBODY) as answer:
                assert await answer.json() == {"live": False}
            assert await ticked(session, now + 10) == 204
            assert await ticked(session, now + 60) == 204
            assert await ledger(pushpit) == []

    asyncio.run(story())


@pytest.mark.parametrize("then", [{"silence": True}, {"goAway": "NO_ERROR", "last": True, "pings": True}])
def test_a_reset_in_the_middle_of_pushes_ends_them_and_their_connections(then):
    async def story():
        async with child("--starts-in", "30", "--overs", "1") as (pushpit, session, now, process):
            await follow(pushpit, session)
            await pushpit.fault(then=then)
            tick = asyncio.create_task(ticked(session, now + 60))
            while not await ledger(pushpit):
                assert not tick.done()
            async with asyncio.timeout(STEP_WITHIN / 2):
                assert await reset(session, now=now, seed="1", scenario="again") == 204
                assert await tick == 204
                while await connections(pushpit) != (1, 2):  # open, and opened
                    pass
            assert await ticked(session, now + 60) == 204
            assert len(await ledger(pushpit)) == 1
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), WITHIN) == 0

    asyncio.run(story())


def test_an_invalid_reset_is_refused_and_the_play_goes_on():
    async def story():
        async with child() as (pushpit, session, now, _):
            await follow(pushpit, session)
            for wrong in ({}, {"now": now}, {"seed": "1"}, {"now": now, "seed": "one"}):
                assert await reset(session, **wrong) == 400
            for wrong in ("soon", math.nan, math.inf):
                assert await reset(session, now=wrong, seed="1") == 400
            async with session.post("/reset", data=b"[]") as answer:
                assert answer.status == 400 and "now and seed" in (await answer.json())["error"]
            async with session.get("/user/follows", headers=SOMEBODY) as answer:
                assert await answer.json() == {"follows": ["m1"]}

    asyncio.run(story())


def test_it_ends_when_it_is_told_to():
    async def story():
        async with child() as (_, session, now, process):
            assert await ticked(session, now) == 204
            process.send_signal(signal.SIGTERM)
            assert await asyncio.wait_for(process.wait(), WITHIN) == 0

    asyncio.run(story())


@pytest.mark.parametrize(
    ("around", "sentence"),
    [
        ({}, "PUSHPIT_READY is missing: --child is for `pushpit run`"),
        (
            {"PORT": "1", "PUSHPIT_NOW": "1", "PUSHPIT_SEED": "1", "PUSHPIT_READY": "/nowhere"},
            "the environment makes no sense",
        ),
        (
            {"PORT": "eighty", "PUSHPIT_NOW": "1", "PUSHPIT_SEED": "1", "PUSHPIT_READY": "/dev/null"},
            "the environment makes no sense",
        ),
    ],
)
def test_without_its_environment_it_says_what_is_missing(around, sentence):
    done = subprocess.run(COMMAND, env=variables(**around), capture_output=True, text=True, timeout=WITHIN)
    assert done.returncode == 2 and sentence in done.stderr and "Traceback" not in done.stderr


@pytest.fixture
def played(fails, tmp_path):
    """Plays the short match with faults and another expectation."""

    def play(faults: list[str], expectation: str, seed: int):
        story = tmp_path / "match.yaml"
        text = (REPOSITORY / "Examples/cricket/match.yaml").read_text()
        text = text.replace("directory: ..", f"directory: {REPOSITORY / 'Examples'}").replace("python3", sys.executable)
        story.write_text(text + f"  - {expectation}\nfaults: [{', '.join(faults)}]\n")
        return fails("run", str(story), "--seed", str(seed))

    return play


def test_what_an_old_410_has_refused_is_sent_after_the_rest(played):
    """Found by a hunt: the end of a match that fell into the rest of a token was never sent."""
    fault = "{name: old, when: {event: update}, from: 8m20s, for: 20s, then: {answer: Unregistered, age: 30d}}"
    # With this seed, the last update is 15 s older than the end.
    result = played([fault], "{pushes: {fault: old}, count: 10..}", seed=173)
    assert result.returncode == 0, result.stdout


def test_a_late_410_for_a_token_that_was_replaced_does_not_end_the_card(played):
    """Found by a hunt: the card got nothing any more, though its new token had come meanwhile."""
    faults = [
        "{name: new, when: {devices: [d4, d5, d6]}, from: 1m40s, then: {devices: {do: rotate, kind: update}}}",
        "{name: gone, when: {event: update}, limit: 4, then: {answer: Unregistered, age: 30d}}",
        "{name: late, when: {event: update}, limit: 4, then: {delay: 21s}}",
    ]
    result = played(faults, "{pushes: {status: 410}, count: 4}", seed=1)
    assert result.returncode == 0, result.stdout
