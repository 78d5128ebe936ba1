"""A session of either half."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

import pushpit
from pushpit import NoTokenError, Pushpit, PushpitError, aio


def test_a_session_that_its_test_has_forgotten_ends_without_a_word(server: Pushpit) -> None:
    with server.session() as session:
        session.forget()
    with pytest.raises(ZeroDivisionError), server.session() as session:
        session.forget()
        raise ZeroDivisionError

    async def play() -> None:
        async with (await aio.Pushpit.connect(server.url)).session() as session:
            await session.forget()

    asyncio.run(play())


@pytest.mark.parametrize("module", [pushpit, aio])
def test_a_session_whose_phones_cannot_be_cleared_is_closed(
    server: Pushpit, monkeypatch: pytest.MonkeyPatch, module: Any
) -> None:
    def clear(_: object) -> None:
        raise ZeroDivisionError

    def open_sessions() -> list[str]:
        return [row["name"] for row in server.admin.get("/v1/sessions", open=True)["sessions"]]

    async def play() -> None:
        await (await aio.Pushpit.connect(server.url)).session()

    before = open_sessions()
    monkeypatch.setattr(module.Phone, "clear", clear)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(play()) if module is aio else server.session()
    assert open_sessions() == before


def test_one_of_two_update_tokens_is_not_chosen(server: Pushpit) -> None:
    with server.session() as session:
        for _ in range(2):
            session.phone.do("startActivity")
        with pytest.raises(NoTokenError, match=rf"has 2 update tokens of {server.app}: take one from state\(\)"):
            session.phone.token("update")


def test_a_list_is_read_page_by_page(server: Pushpit) -> None:
    with server.session(phones=3) as session:
        sent = {phone.send("Goal!").apns_id for phone in session.phones}
        rows = list(server.admin.pages("/v1/pushes", "pushes", session=session.name, limit=2))
        assert len(rows) == 3 and {row["apnsId"] for row in rows} == sent

    async def devices() -> list[Any]:
        pushpit = await aio.Pushpit.connect(server.url)
        return [row["id"] async for row in pushpit.admin.pages("/v1/devices", "devices", limit=7)]

    assert asyncio.run(devices()) == [row["id"] for row in server.admin.get("/v1/devices", limit=1000)["devices"]]


def test_metrics_count_what_the_backend_does(server: Pushpit) -> None:
    before = server.metrics()
    with server.session() as session:
        session.phone.send("Goal!")
    after = server.metrics()
    grown = {name for name in after if after[name] > before.get(name, 0)}
    assert any(name.startswith("pushpit_pushes_total{") for name in grown), grown


@pytest.mark.parametrize("count", ["2", None, 2.0, math.nan])
def test_a_count_that_is_no_number_of_pushes_is_refused(server: Pushpit, count: Any) -> None:
    with server.session() as session:
        with pytest.raises(PushpitError, match="^count is a number of pushes, such as 2, and not "):
            session.expect(count)


@pytest.mark.parametrize("value", [math.nan, -math.inf, {1}])
def test_a_value_that_json_does_not_have_is_refused_with_its_name(server: Pushpit, value: Any) -> None:
    with server.session() as session:
        calls: dict[str, Callable[[], object]] = {
            "payload.list[1]": lambda: session.phone.send({"aps": {}, "list": [1, value]}),
            "then.delay": lambda: session.fault(delay=value),
            "advance": lambda: server.clock.advance(value),
            "expect[0].show.notifications": lambda: session.phone.expect(notifications=value),
        }
        for name, call in calls.items():
            with pytest.raises(PushpitError) as caught:
                call()
            assert caught.value.sentence == f"{name} cannot be {value!r}, because JSON has no such value."


@pytest.mark.parametrize("within", [math.nan, math.inf, "2s", None])
def test_a_wait_whose_time_is_no_number_is_refused(server: Pushpit, within: Any) -> None:
    with server.session() as session:
        waits = (
            lambda: session.expect(1, within=within),
            lambda: session.phone.expect(within=within, notifications=1),
            lambda: server.wait_for(lambda: False, within),
            lambda: asyncio.run(aio.wait_for(lambda: False, within)),
        )
        for wait in waits:
            with pytest.raises(PushpitError, match=f"^within is a number of seconds, such as 10, and not {within!r}"):
                wait()
