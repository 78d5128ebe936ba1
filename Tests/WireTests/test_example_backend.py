"""The example backend's own promises: with a real Pushpit if a phone is involved, otherwise alone."""

import asyncio
import random

import aiohttp
import pytest

import provider_tokens
from cricket import orchestrator
from cricket.backend import Backend
from cricket.bugs import BUGS, Bugs
from cricket.clock import HeldClock, RealClock
from cricket.content import Payloads
from cricket.events import MATRIX, Detector, Event, Filter, Kind
from cricket.findings import findings, sent
from cricket.match import INNINGS_BREAK, Ball, Feed, Match, Score, Status
from cricket.outbox import ATTEMPTS, LONGEST_WAIT, Outbox
from cricket.push import RENEW_AFTER, Gateway, Outcome, ProviderToken, Push, Pusher
from cricket.store import Card, Store
from example import STARTS_IN, Stage
from example_apps import Apps


def staged(home, story, *bugs, **options):
    async def play():
        async with Stage(home, *bugs, **options) as stage:
            return await story(stage)

    return asyncio.run(play())


def ball(at=0.0, runs=0, wicket=False, number=1, over=0, striker="a", bowler="b", innings=1, last=False) -> Ball:
    return Ball(at, innings, over, number, runs, wicket, striker, bowler, last)


def kinds(balls) -> list[Kind]:
    detector = Detector()
    return [event.kind for b in balls for event in detector.events(b)]


# The feed


def test_a_match_is_the_same_for_the_same_seed():
    one, two, other = (Match("m1", ("MI", "CSK"), 0, seed) for seed in (1, 1, 2))
    assert one.balls == two.balls and one.balls != other.balls


@pytest.mark.parametrize("seed", range(20))
def test_any_match_keeps_the_laws_of_cricket(seed):
    match = Match("m1", ("MI", "CSK"), 1000.0, seed)
    for innings in (1, 2):
        mine = [b for b in match.balls if b.innings == innings]
        assert len(mine) <= 120 and sum(b.wicket for b in mine) <= 10
        assert [b.last_of_innings for b in mine].count(True) == 1 and mine[-1].last_of_innings
    first, second = ([b for b in match.balls if b.innings == n] for n in (1, 2))
    assert all(a.at < b.at for a, b in zip(match.balls, match.balls[1:]))
    assert second[0].at - first[-1].at >= INNINGS_BREAK
    assert sum(b.runs for b in second[:-1]) <= sum(b.runs for b in first)
    rain = match.rain
    assert rain is None or not any(rain[0] <= b.at < rain[1] for b in match.balls)


# Events, priorities, filters


def test_the_matrix_is_sightscreens():
    """S130: priority and alert by event."""
    assert {k: (r.priority, r.alert) for k, r in MATRIX.items()} == {
        Kind.dot: (5, False),
        Kind.run: (5, False),
        Kind.four: (5, False),
        Kind.six: (5, False),
        Kind.over: (5, False),
        Kind.refresh: (5, False),
        Kind.wicket: (10, True),
        Kind.fifty: (10, True),
        Kind.hundred: (10, True),
        Kind.innings_break: (10, True),
        Kind.result: (10, True),
        Kind.hat_trick: (10, True),
        Kind.on_hat_trick: (10, True),
        Kind.maiden: (10, True),
        Kind.batter_on_fire: (10, True),
        Kind.bowler_on_fire: (10, True),
    }
    assert list(MATRIX) == list(Kind)


@pytest.mark.parametrize(("runs", "kind"), [(0, Kind.dot), (1, Kind.run), (2, Kind.run), (4, Kind.four), (6, Kind.six)])
def test_a_ball_by_itself(runs, kind):
    assert kinds([ball(runs=runs)]) == [kind]


def test_three_wickets_in_three_balls_are_a_hat_trick():
    found = kinds([ball(wicket=True, number=n) for n in (1, 2, 3)])
    assert found.count(Kind.on_hat_trick) == 1 and found.count(Kind.hat_trick) == 1
    assert Kind.hat_trick not in kinds([ball(wicket=True), ball(runs=1), ball(wicket=True), ball(wicket=True)])


def test_an_over_without_a_run_is_a_maiden():
    assert kinds([ball(number=n) for n in range(1, 7)])[-2:] == [Kind.over, Kind.maiden]
    assert Kind.maiden not in kinds([ball(number=n, runs=n == 3) for n in range(1, 7)])


def test_fifty_and_hundred_are_told_once():
    found = kinds([ball(runs=4, number=1) for _ in range(40)])
    assert (found.count(Kind.fifty), found.count(Kind.hundred), found.count(Kind.batter_on_fire)) == (1, 1, 1)


def test_of_several_events_the_greatest_alerts():
    telling = Filter().telling([Event(0, Kind.wicket, "out"), Event(0, Kind.over, "over"), Event(0, Kind.four, "4")], 1)
    assert (telling.kind, telling.priority) == (Kind.wicket, 10)
    assert telling.alert == {"title": "Wicket!", "body": "out", "sound": "wicket.caf"}


def test_what_the_feed_tells_late_does_not_alert_but_its_score_goes_out():
    telling = Filter().telling([Event(0, Kind.wicket, "out")], 61)
    assert (telling.priority, telling.alert) == (5, None)


def test_an_alert_has_its_cooldown_and_the_next_greatest_steps_in():
    filter = Filter()
    maiden = lambda at: Event(at, Kind.maiden, "nothing")  # noqa: E731
    assert filter.telling([maiden(0)], 0).alert
    assert filter.telling([maiden(300)], 300).alert is None
    assert filter.telling([maiden(400), Event(400, Kind.wicket, "out")], 400).kind is Kind.wicket
    assert filter.telling([maiden(601)], 601).alert


def test_nothing_happened_nothing_is_told():
    assert Filter().telling([], 5) is None


# Payloads


def test_dates_are_seconds_since_1970_and_the_card_goes_after_a_quarter_of_an_hour():
    payloads = Payloads(Bugs())
    content = payloads.content(Status.live, Score("MI", 87, 6, 75))
    assert payloads.end(1000, content)["aps"]["dismissal-date"] == 1000 + 15 * 60
    assert content == {
        "matchDisplayState": "live",
        "compactLeading": {"teamAbbr": "MI", "score": "87/6"},
        "compactTrailing": {"overs": "12.3", "runRate": "6.96"},
        "suspended": False,
    }
    assert "stale-date" not in payloads.update(1000, content | {"suspended": True})["aps"]
    assert isinstance(payloads.start(1000, "m1", "MI v CSK", content)["aps"]["alert"], dict)


# Tables

CARD = Card("u", "m1", "idfv")


def test_timestamps_rise_even_when_time_does_not():
    store = Store()
    assert [store.next_timestamp("m1", now) for now in (100.2, 100.9, 90, 200)] == [100, 101, 102, 200]
    assert store.next_timestamp("m2", 50) == 50


def test_a_new_token_takes_the_place_of_the_old():
    store = Store()
    assert store.activate(CARD, "aa", 1) and not store.activate(CARD, "aa", 2) and store.activate(CARD, "bb", 3)
    assert [t.token for t in store.targets("m1")] == ["bb"]
    assert (store.registered("aa"), store.registered("bb")) == (None, 3)


def test_a_start_does_not_wipe_a_token_that_overtook_it():
    """docs/behavior/failure-modes.md#mode-24; S170."""
    store = Store()
    store.activate(CARD, "aa", 1)
    store.begin(CARD, "push", "bb", 2)
    assert store.activity(CARD)["state"] == "active" and [t.token for t in store.targets("m1")] == ["aa"]


def test_frequent_updates_are_a_phones_and_may_be_told_first():
    store = Store()
    store.frequent("u", "idfv", False)
    store.device("u", "idfv", "cc", "18.5", 1)
    store.activate(CARD, "aa", 1)
    assert [t.frequent for t in store.targets("m1")] == [False]


def test_the_tables_outlive_the_process(tmp_path):
    path = str(tmp_path / "cricket.sqlite")
    store = Store(path)
    store.follow("u", "m1")
    store.activate(CARD, "aa", 1)
    store.next_timestamp("m1", 500)
    store.close()
    again = Store(path)
    assert again.follows_of("u") == ["m1"] and again.next_timestamp("m1", 400) == 501
    assert [t.token for t in again.targets("m1")] == ["aa"]
    again.close()


# The provider token


@pytest.fixture
def provider(tmp_path):
    key = provider_tokens.ProviderKey.make(tmp_path / "key.p8", "ABCDE12345", "PUSHPIT001")

    def make(*bugs):
        clock = HeldClock(1_795_000_000)
        gateway = Gateway("127.0.0.1", 1, key.p8.read_text(), key.key_id, key.team_id, "com.sightscreen.app")
        return clock, ProviderToken(gateway, clock.now, Bugs(bugs))

    return make


def test_one_provider_token_serves_for_45_minutes(provider):
    clock, tokens = provider()
    first = tokens.get_header()
    clock.advance(RENEW_AFTER - 1)
    assert tokens.get_header() == first
    clock.advance(1)
    assert tokens.get_header() != first and 20 * 60 <= RENEW_AFTER <= 55 * 60
    assert tokens.made == 2


def test_a_refused_provider_token_is_renewed_unless_it_is_young(provider):
    clock, tokens = provider()
    first = tokens.get_header()
    tokens.refused()
    assert tokens.get_header() == first
    clock.advance(20 * 60)
    tokens.refused()
    assert tokens.get_header() != first


# Retries


class Script:
    """Answers in order, the last for ever."""

    def __init__(self, *outcomes: Outcome):
        self.outcomes, self.sent, self.settled = list(outcomes), [], []
        self.clock = HeldClock(0)
        self.outbox = Outbox(self.send, lambda push, outcome: self.settled.append((push, outcome)), self.clock)

    async def send(self, push: Push) -> Outcome:
        push.attempts += 1
        self.sent.append((self.clock.now(), push.apns_id, push.what))
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]

    def run(self) -> None:
        """Until nothing waits."""

        async def all_of_it():
            await self.outbox.drain()
            while self.outbox.due is not None:
                self.clock.move_to(self.outbox.due)
                await self.outbox.drain()

        asyncio.run(all_of_it())


def push(what="update", token="aa", **payload) -> Push:
    return Push(token, what, {"aps": payload}, 5, "u", "m1")


BUSY, FINE, BROKEN, GONE = (
    Outcome(429, "TooManyRequests"),
    Outcome(200),
    Outcome(503, "Shutdown"),
    Outcome(410, "Unregistered", 1),
)


@pytest.mark.parametrize("trouble", [BUSY, BROKEN, Outcome(500, "InternalServerError"), Outcome(0, "no answer")])
def test_a_retry_waits_longer_each_time_and_keeps_its_id(trouble):
    """docs/behavior/failure-modes.md#mode-18 and docs/behavior/failure-modes.md#mode-19"""
    script = Script(trouble, trouble, trouble, FINE)
    script.outbox.put(push())
    script.run()
    times = [at for at, _, _ in script.sent]
    gaps = [b - a for a, b in zip(times, times[1:])]
    assert len(gaps) == 3 and gaps == sorted(gaps) and gaps[0] >= 1
    assert len({apns_id for _, apns_id, _ in script.sent}) == 1
    assert [o for _, o in script.settled] == [FINE]


def test_retries_have_an_end():
    script = Script(BUSY)
    script.outbox.put(push())
    script.run()
    assert len(script.sent) == ATTEMPTS and script.sent[-1][0] < ATTEMPTS * LONGEST_WAIT * 1.2
    assert [o for _, o in script.settled] == [BUSY]


@pytest.mark.parametrize("refusal", [GONE, Outcome(400, "BadDeviceToken"), Outcome(413, "PayloadTooLarge")])
def test_what_no_retry_can_mend_is_not_retried(refusal):
    script = Script(refusal)
    script.outbox.put(push())
    script.run()
    assert len(script.sent) == 1 and [o for _, o in script.settled] == [refusal]


def test_an_expired_provider_token_is_tried_once_again():
    """docs/behavior/failure-modes.md#mode-11"""
    script = Script(Outcome(403, "ExpiredProviderToken"))
    script.outbox.put(push())
    script.run()
    assert len(script.sent) == 2


def test_an_expired_provider_token_is_tried_once_again_after_another_refusal_too():
    """Found by a hunt: an end that was answered 429, and then this, was given up."""
    script = Script(BUSY, Outcome(403, "ExpiredProviderToken"), FINE)
    script.outbox.put(push())
    script.run()
    assert [o for _, o in script.settled] == [FINE]


def test_too_many_provider_token_updates_are_waited_out():
    """docs/behavior/failure-modes.md#mode-8"""
    script = Script(Outcome(429, "TooManyProviderTokenUpdates"), FINE)
    script.outbox.put(push())
    script.run()
    assert script.sent[1][0] == 60


def test_a_newer_update_takes_the_place_of_one_that_waits():
    script = Script(BUSY, FINE)
    old, new = push(n=1), push(n=2)

    async def story():
        script.outbox.put(old)
        await script.outbox.drain()
        script.outbox.put(new)
        await script.outbox.drain()

    asyncio.run(story())
    assert [p for p, _ in script.settled] == [new] and script.outbox.due is None


def test_an_end_is_not_overtaken_by_an_update():
    script = Script(FINE)
    script.outbox.put(push("end"))
    script.outbox.put(push())
    script.run()
    assert [what for _, _, what in script.sent] == ["end"]


def test_two_matches_share_a_start_token_and_both_start():
    script = Script(FINE)
    script.outbox.put(Push("aa", "start", {}, 10, "u", "m1"))
    script.outbox.put(Push("aa", "start", {}, 10, "u", "m2"))
    script.run()
    assert len(script.sent) == 2


# Bugs


def test_an_unknown_bug_names_the_nearest():
    with pytest.raises(ValueError, match="did you mean milliseconds-timestamp"):
        Bugs.named(["millisecond-timestamps"])
    assert all(random.Random(0).sample(list(BUGS), 3))


# With phones


def test_a_match_from_follow_to_the_last_card(tmp_path):
    """S162 S164 S165 S144: record pending, then active; the same payload for all; cards go after 15 minutes."""

    async def story(stage: Stage):
        await stage.everybody_follows()
        store = stage.backend.store
        states = lambda: {r["state"] for r in store.all("SELECT state FROM activities")}  # noqa: E731
        await stage.clock.advance_with(stage.pushpit.clock, STARTS_IN + 30)
        await stage.backend.step()
        assert states() == {"pending"}
        await stage.pass_time(60)
        assert states() == {"active"}
        ends = stage.backend.feed.matches["m1"].ends_at
        await stage.pass_time(ends - stage.clock.now() + 10)
        assert states() == {"ended"} and store.follows_of("user-d0") == []
        cards = [(await stage.screen(phone))["lockScreen"] for phone in stage.phones]
        verdict = stage.backend.feed.matches["m1"].verdict()
        assert [[c["state"] for c in card] for card in cards] == [["ended"]] * 3
        assert {c["contentState"]["matchDisplayState"] for card in cards for c in card} == {verdict}
        await stage.pass_time(15 * 60, step=60)
        assert [(await stage.screen(phone))["lockScreen"] for phone in stage.phones] == [[]] * 3
        pushes = [sent(p) for p in await stage.pushes()]
        assert {p.status for p in pushes} == {200}
        bodies = {}
        for p in pushes:
            bodies.setdefault(p.aps["timestamp"], set()).add(p.body)
        assert all(len(b) == 1 for b in bodies.values())
        for token in {p.token for p in pushes}:
            stamps = [p.aps["timestamp"] for p in pushes if p.token == token]
            assert stamps == sorted(set(stamps))
        assert {(p.priority, "alert" in p.aps) for p in pushes if p.aps["event"] == "update"} <= {
            ("5", False),
            ("10", True),
        }

    staged(tmp_path, story)


def test_rain_is_told_and_watched_from_afar_and_the_resumption_is_a_refresh(tmp_path):
    async def story(stage: Stage):
        await stage.kick_off()
        watch, coordinator = stage.backend.orchestrator.watches["m1"], stage.backend.coordinator
        now = stage.clock.now()
        watch.match.rain = (now, now + 600)
        watch.match.balls[:] = [b for b in watch.match.balls if b.at <= now]
        watch.match.ends_at = now + 3600
        await stage.pass_time(30)
        assert watch.due - stage.clock.now() > 5
        assert stage.backend.store.activity(Card("user-d0", "m1", "idfv-d0"))["suspended_at"] is not None
        before = stage.answered("update", 200)
        await stage.pass_time(500, step=10)
        assert stage.answered("update", 200) == before
        [card] = (await stage.screen("d0"))["lockScreen"]
        assert card["contentState"]["suspended"]
        await stage.pass_time(240)
        [card] = (await stage.screen("d0"))["lockScreen"]
        assert not card["contentState"]["suspended"] and coordinator.told["m1"].status is Status.live
        assert stage.answered("update", 200) == before + 3
        assert sent((await stage.pushes())[-1]).priority == "5"
        assert stage.backend.store.activity(Card("user-d0", "m1", "idfv-d0"))["suspended_at"] is None

    staged(tmp_path, story)


def test_a_dead_start_token_goes_down_the_layers(tmp_path):
    """S169: 410, then the silent push, then the alert; the fresh token starts at once."""

    async def story(stage: Stage):
        await stage.everybody_follows()
        stage.apps.silent.add("d0")
        await stage.phone("d0").do("rotate", kind="pushToStart")
        await stage.pass_time(STARTS_IN + 200)
        mine = [sent(p) for p in await stage.pushes() if p["device"] == "d0"]
        assert [(p.push_type, p.status) for p in mine] == [("liveactivity", 410), ("background", 200), ("alert", 200)]
        assert mine[2].at - mine[1].at >= 60
        stage.apps.silent.clear()
        await stage.pass_time(30)
        assert len((await stage.screen("d0"))["lockScreen"]) == 1
        assert stage.backend.store.activity(Card("user-d0", "m1", "idfv-d0"))["state"] == "active"

    staged(tmp_path, story, settings={"lives.startTokenGrace": "0s"})


def test_a_silent_push_that_brings_a_token_needs_no_alert(tmp_path):
    """S169, layer one."""

    async def story(stage: Stage):
        await stage.everybody_follows()
        stage.apps.silent.add("d0")
        await stage.phone("d0").do("rotate", kind="pushToStart")
        await stage.pass_time(STARTS_IN + 35)
        stage.apps.silent.clear()
        await stage.pass_time(200)
        assert (stage.answered("silent", 200), stage.answered("alert", 200)) == (1, 0)
        assert stage.backend.store.activity(Card("user-d0", "m1", "idfv-d0"))["state"] == "active"

    staged(tmp_path, story, settings={"lives.startTokenGrace": "0s"})


def test_an_owner_whose_card_does_not_come_is_asked_once(tmp_path):
    """docs/behavior/failure-modes.md#mode-26: the start was 200, and neither it nor a silent push brings a token."""

    async def story(stage: Stage):
        await stage.phone("d0").do("updateSystem", os="27.0")
        await stage.phone("d0").do("unlock")
        await stage.everybody_follows()
        await stage.pass_time(STARTS_IN + 400)
        mine = [sent(p) for p in await stage.pushes() if p["device"] == "d0"]
        assert [(p.push_type, p.status) for p in mine] == [("liveactivity", 200), ("background", 200), ("alert", 200)]
        assert mine[1].at - mine[0].at >= 180 and mine[2].at - mine[1].at >= 60
        assert "Live Activities off and on" in mine[2].aps["alert"]["body"]
        assert stage.answered("alert", 200) == 1, "the others have their cards"

    settings = {"startTokens.afterSystemUpdate": "stale", "startTokens.rotatesOnMajorUpdate": "false"}
    staged(tmp_path, story, settings=settings)


def test_a_token_goes_to_the_gateway_of_its_build(tmp_path):
    """docs/behavior/failure-modes.md#mode-31"""

    async def story(stage: Stage):
        coordinator, production = stage.backend.coordinator, Pusher(stage.backend.pusher.gateway)
        coordinator.others = {"production": production}
        async with aiohttp.ClientSession(stage.backend.url, headers={"authorization": "Bearer u"}) as http:
            for token, environment in (("ab" * 32, "production"), ("cd" * 32, "sandbox"), ("ef" * 32, None)):
                told = {"deviceId": "x", "pushToken": token} | ({"environment": environment} if environment else {})
                async with http.post("/devices", json=told) as answer:
                    assert answer.status == 200
        pushers = [coordinator._pusher(token) for token in ("ab" * 32, "cd" * 32, "ef" * 32)]
        assert pushers == [production, stage.backend.pusher, stage.backend.pusher]

    staged(tmp_path, story, phones=1)


def test_who_follows_a_match_that_is_on_is_told_to_start_it(tmp_path):
    """S162: no start by push beside the app's own."""

    async def story(stage: Stage):
        await stage.kick_off()
        await stage.apps.post("d0", "/matches/m1/unfollow")
        assert stage.backend.store.activity(Card("user-d0", "m1", "idfv-d0"))["state"] == "ended"
        answer = await stage.apps.follow("d0", "m1")
        assert answer["live"] and answer["state"] == stage.backend.coordinator.told["m1"].content
        starts = stage.answered("start", 200)
        await stage.pass_time(60)
        assert stage.answered("start", 200) == starts

    staged(tmp_path, story)


def test_a_local_card_that_missed_a_ball_is_brought_up_to_date_and_another_is_left_alone(tmp_path):
    async def story(stage: Stage):
        await stage.kick_off()
        coordinator = stage.backend.coordinator
        tokens = {phone: stage.apps.said[phone, "update", "m1"] for phone in ("d0", "d1")}
        for phone in tokens:
            stage.apps.silent.add(phone)
            await stage.apps.post(phone, "/matches/m1/unfollow")
        assert (await stage.apps.follow("d0", "m1"))["live"]
        before = stage.answered("update", 200)
        await stage.apps.token("d0", "update", tokens["d0"], "m1")
        await coordinator.deliver()
        assert stage.answered("update", 200) == before
        assert (await stage.apps.follow("d1", "m1"))["live"]
        await stage.pass_time(60)
        before = stage.answered("update", 200)
        await stage.apps.token("d1", "update", tokens["d1"], "m1")
        await coordinator.deliver()
        assert stage.answered("update", 200) == before + 1

    staged(tmp_path, story)


def test_after_eight_hours_a_match_that_goes_on_gets_another_card(tmp_path):
    """Akin to docs/behavior/failure-modes.md#mode-22: 410 ExpiredToken ends a card, not the interest in it."""

    async def story(stage: Stage):
        await stage.kick_off()
        match, now = stage.backend.feed.matches["m1"], stage.clock.now()
        match.ends_at = now + 12 * 3600
        match.balls[:] = [b for b in match.balls if b.at <= now] + [ball(at=now + 8.1 * 3600, runs=4)]
        await stage.pass_time(8.2 * 3600, step=120)
        assert stage.answered("update", 410) == stage.answered("start", 200) - 3 == 3
        assert {r["state"] for r in stage.backend.store.all("SELECT state FROM activities")} == {"active"}
        assert "active" in [c["state"] for c in (await stage.screen("d0"))["lockScreen"]]

    staged(tmp_path, story)


def test_two_matches_are_two_cards(tmp_path):
    """S168: and one start token starts both."""

    async def story(stage: Stage):
        await stage.kick_off()
        cards = [c["attributes"]["matchId"] for c in (await stage.screen("d0"))["lockScreen"]]
        assert sorted(cards) == ["m1", "m2"]
        assert {r["state"] for r in stage.backend.store.all("SELECT state FROM activities")} == {"active"}

    staged(tmp_path, story, matches=("m1", "m2"))


def test_in_real_time_a_ball_reaches_the_phone_without_anybody_stepping(tmp_path, monkeypatch):
    monkeypatch.setattr(orchestrator, "POLL_EVERY", {Status.live: 0.1})
    monkeypatch.setattr(orchestrator, "FIXTURES_EVERY", 0.1)

    async def story(stage: Stage):
        clock = RealClock()
        match = Match("m1", ("MI", "CSK"), clock.now() - 28, overs=2)
        async with Backend(stage.backend.pusher.gateway, Feed([match]), clock) as backend:
            apps = Apps(stage.pushpit, backend.url, stage.apps.bundle_id, clock)
            started = asyncio.Event()
            backend.coordinator.outbox.settled = lambda push, outcome: started.set() if outcome.ok else None
            await apps.report()
            await backend.step()
            assert (await apps.follow("d0", "m1"))["live"]
            await stage.phone("d0").do("startActivity")
            await stage.pushpit.clock.advance(5)
            await apps.token("d0", "update", await stage.phone("d0").token("update"), "m1")
            running = asyncio.create_task(backend.orchestrator.run())
            await asyncio.wait_for(started.wait(), 60)
            assert backend.coordinator.outbox.counts["update", 5, "200", ""] >= 1
            backend.orchestrator.stop()
            await asyncio.wait_for(running, 10)
            await apps.close()

    staged(tmp_path, story)


def test_a_match_that_ended_while_the_backend_was_down_is_ended_when_it_is_back(tmp_path):
    async def story(stage: Stage):
        await stage.kick_off()
        ends = stage.backend.feed.matches["m1"].ends_at
        await stage.clock.advance_with(stage.pushpit.clock, ends - stage.clock.now() + 60)
        again = orchestrator.Orchestrator(stage.backend.feed, stage.backend.coordinator, stage.clock)
        await again.step()
        await again.step()
        assert stage.answered("end", 200) == 3 and again.over == {"m1"}

    staged(tmp_path, story)


def test_a_token_that_comes_after_the_match_gets_its_end(tmp_path):
    """docs/behavior/failure-modes.md#mode-24; S170."""

    async def story(stage: Stage):
        await stage.everybody_follows()
        stage.apps.silent.add("d0")
        await stage.whole_match_from_here()
        [card] = (await stage.screen("d0"))["lockScreen"]
        assert card["state"] in ("active", "stale")
        stage.apps.silent.clear()
        await stage.pass_time(10)
        [card] = (await stage.screen("d0"))["lockScreen"]
        assert card["state"] == "ended"

    staged(tmp_path, story)


def test_what_overtakes_a_dismissal_starts_nothing(tmp_path):
    """docs/behavior/failure-modes.md#mode-24; S170."""

    async def story(stage: Stage):
        await stage.kick_off()
        token = stage.apps.said["d0", "update", "m1"]
        stage.apps.silent.add("d0")
        await stage.apps.dismiss("d0", "m1")
        await stage.apps.token("d0", "update", token, "m1")
        before = len([p for p in await stage.pushes() if p["device"] == "d0"])
        await stage.pass_time(120)
        assert len([p for p in await stage.pushes() if p["device"] == "d0"]) == before

    staged(tmp_path, story)


def test_many_bad_tokens_at_once_raise_an_alarm_and_cost_nothing(tmp_path):
    """docs/behavior/failure-modes.md#mode-12"""

    async def story(stage: Stage):
        await stage.kick_off()
        assert "right gateway" in stage.backend.coordinator.alarms[0]
        assert len(stage.backend.store.tokens()["pushToStart"]) == len(stage.phones) == 12
        assert findings(await stage.evidence()) == {}

    staged(tmp_path, story, phones=12, environment="production")


def test_who_turned_frequent_updates_off_gets_the_lesser_alerts_at_priority_5(tmp_path):
    """S109: the same payload, another header."""

    async def story(stage: Stage):
        await stage.kick_off()
        stage.backend.store.frequent("user-d0", "idfv-d0", False)
        from cricket.events import Telling

        for kind in (Kind.maiden, Kind.wicket):
            rule = MATRIX[kind]
            stage.backend.coordinator.tell(
                "m1", Telling(kind, rule.priority, rule.spare, {"title": kind.value, "body": "x"})
            )
            await stage.backend.coordinator.deliver()
        last = [sent(p) for p in (await stage.pushes())[-6:]]
        by = {(p.device, p.aps["alert"]["title"]): p.priority for p in last}
        assert (by["d0", "maiden over"], by["d1", "maiden over"], by["d0", "wicket"], by["d1", "wicket"]) == (
            "5",
            "10",
            "10",
            "10",
        )
        assert len({p.body for p in last}) == 2

    staged(tmp_path, story)


# The API


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/devices", {"deviceId": "x"}, 400),
        ("POST", "/devices", {"deviceId": "x", "pushToken": "not hex"}, 400),
        ("POST", "/devices", {"deviceId": "x", "pushToken": "ab" * 32, "environment": "beta"}, 400),
        ("POST", "/matches/none/activity-ended", None, 404),
        ("GET", "/matches/none/card", None, 404),
        ("POST", "/matches/m1/alerts", {"press": 1}, 409),
        ("POST", "/matches/m1/alerts", {"press": "1"}, 400),
        ("POST", "/devices", [], 400),
        ("POST", "/devices/frequent-pushes", {"deviceId": "x", "enabled": "yes"}, 400),
        ("POST", "/matches/none/follow", None, 404),
        ("POST", "/matches/m1/activity-token", {"token": "ab" * 80}, 409),
        ("POST", "/devices", {"deviceId": "x", "pushToken": "ab" * 20_000}, 413),
        ("GET", "/nothing", None, 404),
    ],
)
def test_invalid_requests_are_refused(tmp_path, method, path, body, status):
    async def story(stage: Stage):
        headers = {"authorization": "Bearer u", "x-device-id": "x"}
        async with aiohttp.ClientSession(stage.backend.url) as http:
            async with http.request(method, path, json=body, headers=headers) as answer:
                assert answer.status == status
            async with http.get("/user/follows") as answer:
                assert (answer.status, await answer.json()) == (
                    401,
                    {"error": "authorization: Bearer SESSION is missing"},
                )
            async with http.get("/user/follows", headers=headers) as answer:
                assert await answer.json() == {"follows": []}

    staged(tmp_path, story, phones=1)
