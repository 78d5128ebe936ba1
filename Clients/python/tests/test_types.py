"""Mistakes that mypy finds in a user's tests. `warn_unused_ignores` makes each line fail that it would let pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

if TYPE_CHECKING:
    from pushpit import Phone, Pushpit, Session, aio

    def wrong_words(phone: Phone, session: Session, pushpit: Pushpit) -> None:
        phone.token("pigeon")  # type: ignore[arg-type]
        phone.do("unistall")  # type: ignore[arg-type]
        phone.do("permit", notifications="no")  # type: ignore[arg-type]
        phone.send("Goal!", push_type="live")  # type: ignore[arg-type]
        phone.expect(notificatoins=1)  # type: ignore[call-arg]
        session.fault(answer="TooManyRequest")  # type: ignore[arg-type]
        session.fault(anwser="TooManyRequests")  # type: ignore[call-arg]
        session.pushes(reason="Bad")  # type: ignore[arg-type]
        Pushpit.start(fleeet=2)  # type: ignore[call-arg]
        Pushpit.start(clock="stopped")  # type: ignore[arg-type]
        pushpit.apns("test")  # type: ignore[arg-type]
        print(phone.send("Goal!").outcome == "shown")  # type: ignore[comparison-overlap]

    async def wrong_words_of_asyncio(phone: aio.Phone, session: aio.Session) -> None:
        await phone.token("pigeon")  # type: ignore[arg-type]
        async with session.fault(answer="TooManyRequest"):  # type: ignore[arg-type]
            await phone.expect(notificatoins=1)  # type: ignore[call-arg]

    def right_words(phone: Phone, session: Session) -> str:
        with session.fault(answer="TooManyRequests", limit=2, when={"pushType": "alert"}, for_="1m"):
            phone.do("startActivity", content_state={"score": 0})
        with Pushpit.start(fleet=2, clock="manual", app=["a", "b"], settings={"fleet.mix.offline": "5%"}) as pushpit:
            return pushpit.phone("d0").send({"aps": {}}, priority=5, collapse_id="a").story


def test_pushpit_types_are_importable_while_tests_run() -> None:
    from pushpit import types

    assert "TooManyRequests" in get_args(types.Reason)
