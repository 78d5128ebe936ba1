"""Each bug of the example backend is seen in Pushpit's records when it is on, and nothing is seen when it is off."""

import asyncio

import pytest

import failures
from cricket.bugs import BUGS
from cricket.findings import CHECKS, findings
from cricket.push import Push
from cricket.store import Card
from example import STARTS_IN, Stage


async def a_match(stage: Stage):
    await stage.whole_match()
    assert stage.bugs or stage.answered("end", 200) == 3


async def a_card_without_a_token(stage: Stage):
    """The app was swiped away: its card starts, its update token never comes up."""
    await stage.apps.report()
    await stage.phone("d0").do("forceQuit")
    await stage.everybody_follows()
    await stage.pass_time(STARTS_IN + 180)
    assert stage.backend.store.activity(Card("user-d0", "m1", "idfv-d0"))["state"] == "pending"


async def the_wrong_gateway(stage: Stage):
    await stage.kick_off()
    assert stage.answered("start", 400) == len(stage.phones)


async def a_rotation(stage: Stage):
    await stage.kick_off()
    before = stage.apps.said["d0", "update", "m1"]
    await stage.phone("d0").do("rotate", kind="update")
    await stage.pass_time(240)
    assert stage.apps.said["d0", "update", "m1"] != before


async def a_dismissal(stage: Stage):
    await stage.kick_off()
    await stage.phone("d0").do("swipe")
    await stage.pass_time(240)
    assert [r.device for r in stage.apps.reports if r.what == "dismissed"] == ["d0"]


async def a_dismissal_nobody_tells_of(stage: Stage):
    await stage.kick_off()
    stage.apps.silent.add("d0")
    await stage.phone("d0").do("swipe")
    await stage.pass_time(300)
    assert stage.answered("update", 410) >= 1


async def a_token_that_came_back(stage: Stage):
    await stage.kick_off()
    stage.apps.silent.add("d0")
    await stage.phone("d0").do("swipe")
    token = stage.apps.said["d0", "update", "m1"]
    await stage.clock.advance_with(stage.pushpit.clock, 5)
    await stage.apps.token("d0", "update", token, "m1")
    await stage.pass_time(240)
    assert 1 <= stage.answered("update", 410) <= 240 / 30  # it rests for half a minute each time


async def a_busy_token(stage: Stage):
    await stage.kick_off()
    token = stage.apps.said["d0", "update", "m1"]
    for _ in range(300):
        push = Push(token, "update", {"aps": {"timestamp": 1, "event": "warm-up"}}, 5, "nobody", "m1")
        if (await stage.backend.pusher.send(push)).status == 429:
            break
    else:
        raise AssertionError("no 429 in 300 pushes in one instant")
    match = stage.backend.feed.matches["m1"]
    stage.backend.orchestrator.watches["m1"].due = 0
    stage.backend.orchestrator.watches[
        "m1"
    ].seen = match.starts_at  # so that there is something to tell in this instant
    await stage.backend.step()
    assert stage.answered("update", 429) >= 1
    await stage.pass_time(30, step=1)


async def a_dead_start_token(stage: Stage):
    await stage.everybody_follows()
    stage.apps.silent.add("d0")
    await stage.phone("d0").do("rotate", kind="pushToStart")
    await stage.pass_time(STARTS_IN + 200)
    assert (stage.answered("start", 410), stage.answered("silent", 200)) == (1, 1)


async def an_old_provider_token(stage: Stage):
    stage.jwt_ahead = -50 * 60
    await stage.kick_off()
    stage.jwt_ahead = 20 * 60
    await stage.pass_time(120)


STORIES = {
    "deletes-tokens-on-bad-device-token": (the_wrong_gateway, {"environment": "production"}),
    "trusts-old-410": (a_token_that_came_back, {"settings": {"lives.deadActivityAnswer": "1s"}}),
    "ignores-410": (a_dismissal_nobody_tells_of, {}),
    "ignores-rotation": (a_rotation, {}),
    "keeps-pushing-after-dismissal": (a_dismissal, {}),
    "never-renews-jwt": (an_old_provider_token, {}),
    "retries-429-at-once": (a_busy_token, {}),
    "resends-with-new-id": (a_busy_token, {}),
    "starts-at-every-poll": (a_card_without_a_token, {}),
    "no-layer-two": (a_dead_start_token, {"settings": {"lives.startTokenGrace": "0s"}}),
}
"""The story and the options that show a bug; a bug without an entry is shown by any match."""


def played(home, story, options, *bugs) -> dict[str, str]:
    async def play():
        async with Stage(home, *bugs, **options) as stage:
            await story(stage)
            return findings(await stage.evidence())

    return asyncio.run(play())


def test_every_bug_has_its_check():
    """Here, or as a scenario that fails with it."""
    assert set(CHECKS) | {case.bug for case in failures.ALL} == set(BUGS)


@pytest.mark.parametrize("bug", CHECKS)
def test_a_bug_is_found_when_it_is_on(tmp_path, bug):
    story, options = STORIES.get(bug, (a_match, {}))
    assert bug in played(tmp_path, story, options, bug)


@pytest.mark.parametrize(
    ("story", "options"),
    {story: (story, options) for story, options in [*STORIES.values(), (a_match, {})]}.values(),
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_without_bugs_nothing_is_found(tmp_path, story, options):
    assert played(tmp_path, story, options) == {}
