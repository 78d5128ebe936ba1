"""The fixtures for asyncio, in loops of pytest-asyncio, of anyio and of the test's own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pushpit import aio

TESTS = """
    import asyncio
    import pytest

    {mark}

    async def test_a_screen_is_awaited_while_the_loop_runs(pushpit_aio_phone):
        goal = asyncio.create_task(pushpit_aio_phone.expect(notification={{"body": "Goal!"}}))
        await asyncio.sleep(0.05)
        assert (await pushpit_aio_phone.send("Goal!")).status == 200
        assert len((await goal).notifications) == 1

    async def test_many_wait_at_the_same_time(pushpit_aio, pushpit_aio_session, pushpit_aio_phone):
        waiting = [asyncio.create_task(pushpit_aio_phone.expect(notifications=1)) for _ in range(30)]
        await asyncio.sleep(0.1)
        assert (await pushpit_aio_phone.send("Goal!")).status == 200
        await asyncio.gather(*waiting)
        assert len(await pushpit_aio_session.expect(1)) == 1
        assert len(await pushpit_aio.pushes(device=pushpit_aio_phone.device, limit=1)) == 1

    @pytest.mark.pushpit_fault(answer="TooManyRequests", limit=1)
    @pytest.mark.pushpit_expect({{"pushes": {{"status": 200}}, "count": 1}})
    async def test_marks_and_faults_work_as_elsewhere(pushpit_aio_session, pushpit_session):
        phone = pushpit_aio_session.phone
        assert (await phone.send("Goal!")).status == 429
        async with pushpit_aio_session.fault(answer="Shutdown") as fault:
            assert (await phone.send("Goal!")).status == 503
            assert await fault.struck() == 1
        assert (await phone.send("Goal!")).status == 200

    async def test_that_closes_its_session(pushpit_aio_session, pushpit_session):
        assert (await pushpit_aio_session.close()).passed is None
        assert pushpit_session.verdict is pushpit_aio_session.verdict is not None

    async def test_that_forgets_its_session(pushpit_aio_session):
        await pushpit_aio_session.forget()
"""


@pytest.mark.parametrize("mode", ["strict", "auto"])
def test_the_fixtures_work_with_pytest_asyncio(run: pytest.Pytester, mode: str) -> None:
    run.makepyfile(TESTS.format(mark="pytestmark = pytest.mark.asyncio" if mode == "strict" else ""))
    run.runpytest_subprocess("-o", f"asyncio_mode={mode}").assert_outcomes(passed=5)


def test_the_fixtures_work_with_anyio(run: pytest.Pytester) -> None:
    run.makepyfile(TESTS.format(mark="pytestmark = pytest.mark.anyio"))
    run.makeconftest("""
        import pytest

        @pytest.fixture
        def anyio_backend():
            return "asyncio"
    """)
    run.runpytest_subprocess("-p", "no:asyncio").assert_outcomes(passed=5)


def test_the_fixtures_work_in_any_loop(run: pytest.Pytester) -> None:
    run.makepyfile("""
        import asyncio
        from pushpit import aio

        def test_two_loops_one_after_the_other(pushpit_aio_phone):
            for _ in range(2):
                assert asyncio.run(pushpit_aio_phone.screen()).notifications == []

        def test_a_wait_lets_other_tasks_run():
            async def play():
                ticks = []
                async def tick():
                    while True:
                        ticks.append(None)
                        await asyncio.sleep(0)
                ticking = asyncio.create_task(tick())
                await aio.wait_for(lambda: len(ticks) > 5, within=5)
                ticking.cancel()
            asyncio.run(play())
    """)
    run.runpytest_subprocess().assert_outcomes(passed=2)


def test_a_server_is_started_and_stopped_in_a_loop(run: pytest.Pytester, program: Path) -> None:
    run.makepyfile(f"""
        import asyncio, pytest
        from pushpit import NoServerError
        from pushpit.aio import Pushpit

        async def play():
            async with Pushpit.start(fleet=2, program={str(program)!r}) as own, own.session() as session:
                await session.phone.send("Goal!")
            with pytest.raises(NoServerError, match="was stopped"):
                await own.clock.now()
            other = await Pushpit.start(fleet=2, clock="manual", program={str(program)!r})
            assert (await other.clock.advance("1h"))["mode"] == "manual"
            await other.stop()

        def test_it():
            asyncio.run(play())
    """)
    run.runpytest_subprocess().assert_outcomes(passed=1)


def test_more_may_wait_and_ask_than_the_server_has_connections(program: Path) -> None:
    async def play() -> None:
        async with aio.Pushpit.start(fleet=200, program=program) as own, own.session(phones=150) as session:
            waiting = [asyncio.create_task(phone.expect(notifications=1)) for phone in session.phones]
            await asyncio.sleep(0.5)
            await asyncio.gather(*(phone.send("Goal!") for phone in session.phones))
            assert {len(screen.notifications) for screen in await asyncio.gather(*waiting)} == {1}

    asyncio.run(play())
