"""The cricket backend and people with two phones: d0 and d1 belong to one person, d2 to another.
docs/behavior/failure-modes.md#mode-37"""

import asyncio
from dataclasses import replace

from example import STARTS_IN, Stage

OWNER = "user-d0"


def staged(tmp_path, story, *bugs: str) -> None:
    async def played():
        async with Stage(tmp_path, *bugs) as stage:
            stage.apps.users["d1"] = OWNER
            await stage.apps.report()
            await story(stage)

    asyncio.run(played())


async def states(stage: Stage, phone: str) -> list[str]:
    return [card["state"] for card in (await stage.screen(phone))["lockScreen"]]


async def shows_the_score(stage: Stage, phone: str) -> bool:
    [card] = (await stage.screen(phone))["lockScreen"]
    return card["contentState"] == stage.backend.coordinator.told["m1"].content


async def score(stage: Stage) -> None:
    """A wicket, which phones are told at priority 10, and time for it to arrive; nothing happens after it."""
    match, now = stage.backend.feed.matches["m1"], stage.clock.now()
    following = next(b for b in match.balls if b.at > now)
    match.balls[:] = [b for b in match.balls if b.at <= now] + [replace(following, at=now + 5, wicket=True)]
    await stage.pass_time(60)


async def kicked_off(stage: Stage) -> None:
    """Followed on one phone before the match, which is on now."""
    assert await stage.apps.follow("d0", "m1") == {"live": False}
    await stage.pass_time(STARTS_IN + 90)


def test_a_follow_on_one_phone_is_one_on_the_other_and_starts_cards_on_both(tmp_path):
    async def story(stage: Stage):
        await kicked_off(stage)
        assert [await states(stage, phone) for phone in stage.phones] == [["active"], ["active"], []]
        async with stage.apps.http.get("/user/follows", headers={"authorization": f"Bearer {OWNER}"}) as answer:
            assert await answer.json() == {"follows": ["m1"]}
        await score(stage)
        assert await shows_the_score(stage, "d0") and await shows_the_score(stage, "d1")
        assert stage.answered("start", 200) == 2

    staged(tmp_path, story)


def test_a_follow_during_the_match_starts_the_other_phones_card_by_push(tmp_path):
    async def story(stage: Stage):
        await stage.pass_time(STARTS_IN + 90)
        assert (await stage.apps.follow("d0", "m1"))["live"]
        assert not (await stage.apps.follow("d0", "m1"))["live"], "the same call again starts nothing"
        await stage.pass_time(60)
        assert [await states(stage, phone) for phone in stage.phones] == [[], ["active"], []]
        assert stage.answered("start", 200) == 1

    staged(tmp_path, story)


def test_a_dismissal_on_one_phone_leaves_the_other_phones_card_up_to_date(tmp_path):
    async def story(stage: Stage):
        await kicked_off(stage)
        await stage.apps.dismiss("d0", "m1")
        await score(stage)
        assert not await shows_the_score(stage, "d0") and await shows_the_score(stage, "d1")
        assert not (await stage.apps.follow("d1", "m1"))["live"], "it has its card"
        await stage.pass_time(60)
        assert stage.answered("start", 200) == 2, "what was swiped away stays away"

    staged(tmp_path, story)


def test_unfollowing_ends_the_other_phones_card_and_following_again_brings_both_back(tmp_path):
    async def story(stage: Stage):
        await kicked_off(stage)
        await stage.apps.post("d0", "/matches/m1/unfollow")
        await stage.pass_time(30)
        assert await states(stage, "d1") == []
        assert stage.answered("end", 200) == 1, "the app that unfollows ends its card itself"
        assert (await stage.apps.follow("d1", "m1"))["live"]
        await stage.pass_time(60)
        assert stage.answered("start", 200) == 3

    staged(tmp_path, story)


def test_a_card_whose_token_comes_after_the_match_was_unfollowed_on_the_other_phone_is_ended(tmp_path):
    async def story(stage: Stage):
        stage.apps.silent.add("d1")
        await kicked_off(stage)
        await stage.apps.post("d0", "/matches/m1/unfollow")
        await stage.pass_time(30)
        assert await states(stage, "d1") == ["active"]
        stage.apps.silent.remove("d1")
        await stage.pass_time(30)
        assert await states(stage, "d1") == [] and stage.answered("end", 200) == 1

    staged(tmp_path, story)


def test_with_one_token_for_each_person_the_other_phones_card_stands_still(tmp_path):
    async def story(stage: Stage):
        await kicked_off(stage)
        await score(stage)
        assert sorted([await shows_the_score(stage, phone) for phone in ("d0", "d1")]) == [False, True]

    staged(tmp_path, story, "one-token-per-user")


def test_with_a_dismissal_for_all_phones_the_other_phones_card_stands_still(tmp_path):
    async def story(stage: Stage):
        await kicked_off(stage)
        await stage.apps.dismiss("d0", "m1")
        await score(stage)
        assert not await shows_the_score(stage, "d1")

    staged(tmp_path, story, "dismissal-ends-all-phones")


def test_with_an_unfollow_for_one_phone_the_other_phones_card_goes_on(tmp_path):
    async def story(stage: Stage):
        await kicked_off(stage)
        await stage.apps.post("d0", "/matches/m1/unfollow")
        await score(stage)
        assert await shows_the_score(stage, "d1")

    staged(tmp_path, story, "unfollow-ends-one-phone")
