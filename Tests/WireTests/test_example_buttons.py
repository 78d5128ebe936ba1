"""The cricket backend and the button that turns the alerts of a card off and on.
docs/behavior/failure-modes.md#mode-38"""

import asyncio
from dataclasses import replace

from example import Stage


def staged(tmp_path, story, *bugs: str) -> None:
    async def played():
        async with Stage(tmp_path, *bugs) as stage:
            await stage.kick_off()
            await story(stage)

    asyncio.run(played())


async def press(stage: Stage, number: int) -> bool:
    """Presses the button of d0's card. Returns true if its alerts are off then, by the answer."""
    return (await stage.apps.post("d0", "/matches/m1/alerts", press=number))["state"]["muted"]


async def wicket(stage: Stage) -> None:
    """The next ball is a wicket, of which phones are told with an alert, and nothing happens after it."""
    match, now = stage.backend.feed.matches["m1"], stage.clock.now()
    following = next(b for b in match.balls if b.at > now)
    match.balls[:] = [b for b in match.balls if b.at <= now] + [replace(following, at=now + 5, wicket=True)]
    await stage.pass_time(30)


async def last_push(stage: Stage, device: str) -> dict:
    pushes = await stage.phone(device).pushes(limit=1)
    return pushes[0].payload["aps"]


def test_a_press_turns_and_the_same_press_again_does_not(tmp_path):
    async def story(stage: Stage):
        assert [await press(stage, number) for number in (1, 1, 2, 2, 3)] == [True, True, False, False, True]

    staged(tmp_path, story)


def test_updates_to_a_card_without_alerts_say_so_and_bring_none(tmp_path):
    async def story(stage: Stage):
        assert await press(stage, 1)
        await wicket(stage)
        quiet, loud = [await last_push(stage, device) for device in ("d0", "d1")]
        assert quiet["content-state"] == loud["content-state"] | {"muted": True}
        assert "alert" in loud and "alert" not in quiet

    staged(tmp_path, story)


def test_the_last_update_too_has_what_was_chosen(tmp_path):
    async def story(stage: Stage):
        assert await press(stage, 1)
        await stage.whole_match_from_here()
        [card] = (await stage.screen("d0"))["lockScreen"]
        assert card["state"] == "ended" and card["contentState"]["muted"]

    staged(tmp_path, story)


def test_with_a_turn_at_each_call_a_repeated_call_turns_back(tmp_path):
    async def story(stage: Stage):
        assert await press(stage, 1) and not await press(stage, 1)

    staged(tmp_path, story, "turns-at-every-call")


def test_with_updates_that_forget_presses_the_next_one_rings(tmp_path):
    async def story(stage: Stage):
        assert await press(stage, 1)
        await wicket(stage)
        assert "muted" not in (await last_push(stage, "d0"))["content-state"]

    staged(tmp_path, story, "updates-forget-presses")
