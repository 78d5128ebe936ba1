"""A session of either half."""

from __future__ import annotations

import asyncio

import pytest

from pushpit import NoTokenError, Pushpit, aio


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


def test_one_of_two_update_tokens_is_not_chosen(server: Pushpit) -> None:
    with server.session() as session:
        for _ in range(2):
            session.phone.do("startActivity")
        with pytest.raises(NoTokenError, match=rf"has 2 update tokens of {server.app}: take one from state\(\)"):
            session.phone.token("update")
