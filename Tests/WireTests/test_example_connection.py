"""The example backend's HTTP/2 connection: what aioapns leaves undone, and what a lost answer means."""

import asyncio

import pytest

from cricket.clock import HeldClock
from cricket.connection import Streams, Unserved, read
from cricket.outbox import KEY_WAIT, Outbox
from cricket.push import Outcome, Push
from example import Stage


def test_streams_wait_for_their_turn_in_order_and_below_a_limit_that_fell():
    async def story():
        streams, taken = Streams(2), []

        async def take(name):
            taken.append((name, await streams.acquire()))

        tasks = [asyncio.create_task(take(n)) for n in range(5)]
        await asyncio.sleep(0)
        assert taken == [(0, 1), (1, 3)] and streams.is_busy
        streams.bound = 1
        streams.release()
        await asyncio.sleep(0)
        assert len(taken) == 2, "one is open still, and one is all there may be"
        streams.bound = 3
        await asyncio.gather(*tasks[:4])
        assert taken == [(0, 1), (1, 3), (2, 5), (3, 7)]
        streams.destroy(Unserved("gone"))
        with pytest.raises(Unserved):
            await tasks[4]

    asyncio.run(story())


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", (None, None)),
        (b'{"reason":"Unregistered","timestamp":7}', ("Unregistered", 7)),
        (b"<html>", (None, None)),
        (b"[1]", (None, None)),
        (b"\xff", (None, None)),
    ],
)
def test_an_error_body_is_read_as_far_as_it_is_one(body, told):
    assert read(body) == told


async def one(stage: Stage) -> Outcome:
    """An alert to a phone."""
    token = await stage.phone("d0").token()
    return await stage.backend.pusher.send(Push(token, "alert", {"aps": {"alert": "Hello"}}, 10, "u", "m1"))


@pytest.mark.parametrize(
    ("then", "outcome"),
    [
        (
            {"answer": "BadDeviceToken", "split": [5, 3], "pause": "1ms", "ends": "apart"},
            Outcome(400, "BadDeviceToken"),
        ),
        ({"malformed": "<html>", "status": 503}, Outcome(503)),
        ({"withoutId": True}, Outcome(200)),
        ({"answer": "TooManyRequests", "retryAfter": 30}, Outcome(429, "TooManyRequests", retry_after=30)),
        ({"reset": "CANCEL"}, Outcome(0, "RST_STREAM 8", is_unknown=True)),
        ({"goAway": "NO_ERROR", "before": 1}, Outcome(200)),
        ({"reset": "REFUSED_STREAM"}, Outcome(200)),
        ({"abort": True}, None),
    ],
)
def test_what_a_struck_push_comes_to(tmp_path, then, outcome):
    async def story():
        async with Stage(tmp_path) as stage:
            assert (await one(stage)).ok
            await stage.pushpit.fault(limit=1, then=then)
            found = await one(stage)
            if outcome is None:
                assert (found.status, found.is_unknown) == (0, True)
            else:
                assert found == outcome
            assert (await one(stage)).ok, "the next is none the worse for it"

    asyncio.run(story())


def waited(what: str, outcome: Outcome) -> float | None:
    push = Push("aa", what, {"aps": {}}, 10, "u", "m1", attempts=1)
    return Outbox(None, None, HeldClock(0)).retry_after(push, outcome)


def test_a_refused_key_is_waited_for():
    """docs/behavior/failure-modes.md#mode-13"""
    for reason in ("BadEnvironmentKeyInToken", "InvalidProviderToken", "Reason of tomorrow"):
        assert waited("update", Outcome(403, reason)) == KEY_WAIT


def test_a_start_whose_answer_was_lost_is_not_sent_again_at_once_and_an_update_is():
    """docs/behavior/failure-modes.md#mode-19"""
    lost = Outcome(0, "no answer", is_unknown=True)
    assert waited("start", lost) is None and waited("update", lost) > 0
    assert waited("start", Outcome(0, "no connection")) > 0


def test_a_retry_waits_as_long_as_the_gateway_wishes():
    """docs/behavior/failure-modes.md#mode-18"""
    assert waited("update", Outcome(429, "TooManyRequests", retry_after=30)) == 30
    assert waited("update", Outcome(429, "TooManyRequests", retry_after=1)) > 1


def test_a_push_that_waits_for_a_busy_connection_opens_another_when_that_one_is_lost(tmp_path):
    async def story():
        async with Stage(tmp_path, phones=1) as stage:
            pusher, token = stage.backend.pusher, await stage.phone("d0").token()
            [connection] = pusher.pool.connections
            pusher.pool.max_connections, connection.free_channels.bound = 1, 0
            push = asyncio.create_task(pusher.send(Push(token, "alert", {"aps": {"alert": "A"}}, 10, "u", "m1")))
            await asyncio.sleep(0)
            connection.abort()
            assert (await asyncio.wait_for(push, 10)).ok

    asyncio.run(story())
