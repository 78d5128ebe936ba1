"""Live Activities of followers: starts, the fan-out, fallbacks, ends; and what the answers of APNs mean for tokens."""

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from cricket.bugs import Bugs
from cricket.content import ATTRIBUTES_TYPE, DISMISS_AFTER, Payloads
from cricket.events import HEARTBEAT, REFRESH, Telling
from cricket.match import Match, Status
from cricket.outbox import Outbox
from cricket.push import Mistake, Outcome, Push, Pusher
from cricket.store import Card, Store

log = logging.getLogger("cricket")

LAYER_TWO_AFTER = 60.0
"""Seconds that a silent push has to bring a fresh start token before the person is asked to tap."""
START_GOOD_FOR = 3600.0
CARD_LIVES = 8 * 3600.0
NO_TOKEN_AFTER = 180.0
"""Seconds after which a start that has brought no update token is looked into."""
MOST_STARTS = 3
UNFOLLOWED_ELSEWHERE = "unfollowed on another phone"
SHORT_REST = 30.0
"""Seconds, after a 410 that says nothing about the token as it is now."""
REST = 600.0
"""Seconds that a token is left alone after a refusal that does not say that it is dead."""
SUSPICIOUS_SHARE, SUSPICIOUS_COUNT = 0.2, 10
"""The share and the number of bad tokens in one fan-out that mean a wrong gateway, key or topic, not bad tokens."""


@dataclass
class Told:
    """The last content that was sent to the cards of a match."""

    status: Status
    content: dict


class Coordinator:
    def __init__(
        self,
        store: Store,
        pusher: Pusher,
        clock,
        bugs: Bugs = Bugs(),
        others: Mapping[str, Pusher] | None = None,
        mistakes: Mapping[Mistake, Pusher] | None = None,
    ):
        self.store, self.pusher, self.clock, self.bugs = store, pusher, clock, bugs
        self.others = others or {}
        """Pushers to other gateways, by the environment of a token."""
        self.mistakes, self.began = mistakes or {}, clock.now()
        self.payloads = Payloads(bugs)
        self.outbox = Outbox(self._send, self.settled, clock, bugs)
        self.told: dict[str, Told] = {}
        self.titles: dict[str, str] = {}
        self.results: Counter[str] = Counter()
        """Answers of the fan-out under way, by status and reason."""
        self.alarms: list[str] = []

    async def _send(self, push: Push) -> Outcome:
        outcome = await self._pusher(push.token).send(push)
        if outcome.reason == "ExpiredProviderToken":
            self.pusher.provider.refused()
        return outcome

    def _pusher(self, token: str) -> Pusher:
        """A token of one environment is unknown to the gateway of the other."""
        for mistake, pusher in self.mistakes.items():
            if mistake.reigns(self.clock.now() - self.began):
                return pusher
        if not self.others or "one-gateway-for-all" in self.bugs:
            return self.pusher
        return self.others.get(self.store.environment(token), self.pusher)

    # A match goes on

    def observe(self, match: Match, status: Status, content: dict) -> None:
        self.titles[match.match_id] = match.title
        self.told[match.match_id] = Told(status, content)

    def content(self, match_id: str, muted: int | bool = False) -> dict:
        """Returns the content of a card. An update replaces all of it, so each has what a button has chosen."""
        told = self.told[match_id].content
        return told | {"muted": True} if muted and "updates-forget-presses" not in self.bugs else told

    def content_of(self, card: Card) -> dict:
        row = self.store.activity(card)
        return self.content(card.match_id, row is not None and row["muted"])

    def is_on(self, match_id: str) -> bool:
        return match_id in self.told and self.told[match_id].status is not Status.finished

    def start_followers(self, match_id: str) -> None:
        """At every look at the fixtures, on those phones of followers that have had no start: the match has begun, it
        is followed since on another phone, or a start token has come."""
        for card in self.store.cards_to_start(match_id):
            self.start(card)
        if "starts-at-every-poll" in self.bugs:
            for row in self.store.all(
                "SELECT session, match_id, device_id FROM activities"
                " WHERE match_id = ? AND state = 'pending' AND route = 'push'",
                match_id,
            ):
                self.start(Card(*row))

    def look_into_starts(self, match_id: str) -> None:
        """Handles starts without an update token: a start whose answer was lost is sent again, and one that
        was answered 200 may have gone to a token that is dead without a word. A silent push has the app report which
        one it has now; where the app has no other, only its owner can bring one."""
        now = self.clock.now()
        for row in self.store.without_token(match_id, now - NO_TOKEN_AFTER):
            card = Card(*row[:3])
            if not row["confirmed"] and row["starts"] < MOST_STARTS:
                self.start(card)
            elif row["confirmed"] and not row["asked"] and "trusts-200" not in self.bugs:
                self.store.ask(card, now)
                self._to_device(card, "silent", self.payloads.silent(), 5)
            elif row["asked"] == 1 and row["asked_at"] <= now - LAYER_TWO_AFTER:
                self.store.ask(card, now)
                self._to_device(card, "alert", self.payloads.no_card(match_id, self.titles[match_id]), 10)

    def start(self, card: Card) -> None:
        now, match_id = self.clock.now(), card.match_id
        token = self.store.start_token_of(card, ATTRIBUTES_TYPE, now)
        if token is None:
            return  # layer three: when the app is opened it sends one, and start_token_arrived starts
        timestamp = self.store.start_timestamp(match_id, now)
        content, channel = self.content_of(card), self.store.channel(match_id)
        payload = self.payloads.start(timestamp, match_id, self.titles[match_id], content, channel)
        self.store.begin(card, "push", token, timestamp)
        self.outbox.put(Push(token, "start", payload, 10, *card.key, expires=now + START_GOOD_FOR))

    def tell(self, match_id: str, telling: Telling) -> None:
        """The fan-out. Two payloads for all, made once: for cards whose alerts are on, and off."""
        now = self.clock.now()
        # For nobody too: by it a token that comes later is known to have missed something.
        timestamp = self.store.next_timestamp(match_id, now)
        relevance = 10 if telling.priority == 10 else 5
        payloads = [
            self.payloads.update(timestamp, self.content(match_id, muted), None if muted else telling.alert, relevance)
            for muted in (False, True)
        ]
        stale = payloads[False]["aps"].get("stale-date")
        self._broadcast("update", payloads[False], telling.priority, match_id, stale)
        for target in self.store.targets(match_id):
            priority = 5 if telling.spare and not target.frequent else telling.priority
            self._update(payloads[target.muted], priority, target.card, target.token, target.rests_until)

    def idle(self, match_id: str) -> None:
        """Nothing has happened since the last look: a card that is right needs no push."""
        if "heartbeat-priority-10" in self.bugs:
            self.tell(match_id, HEARTBEAT)

    def suspend(self, match_id: str) -> None:
        """The flag in the content keeps the app's own check for old content from ending the card."""
        self.store.suspended(match_id, self.clock.now())
        self.tell(match_id, REFRESH)

    def resume(self, match_id: str) -> None:
        self.store.suspended(match_id, None)
        self.tell(match_id, REFRESH)

    def finish(self, match_id: str, telling: Telling | None) -> None:
        now = self.clock.now()
        timestamp = self.store.next_timestamp(match_id, now)
        alert = telling.alert if telling else None
        payloads = [
            self.payloads.end(timestamp, self.content(match_id, muted), None if muted else alert)
            for muted in (False, True)
        ]
        if "end-without-content" in self.bugs:
            self.tell(match_id, telling or REFRESH)
            later = self.store.next_timestamp(match_id, now)
            payloads = [self.payloads.end(later, {}) for _ in payloads]
            for payload in payloads:
                del payload["aps"]["content-state"]
        self._broadcast("end", payloads[False], 10, match_id)
        for target in self.store.targets(match_id):
            self._end(payloads[target.muted], target.card, target.token, target.rests_until)
        self.store.finish(match_id)

    def _broadcast(self, what: str, payload: dict, priority: int, match_id: str, expires: float | None = None) -> None:
        """Sends one request for all cards on the channel of the match, if it has one."""
        if channel := self.store.channel(match_id):
            expires = expires or self.clock.now() + CARD_LIVES
            self.outbox.put(Push(channel, what, payload, priority, "", match_id, expires=expires, is_broadcast=True))

    def _update(self, payload: dict, priority: int, card: Card, token: str, rests_until: float = 0.0) -> None:
        if "updates-by-silent-push" in self.bugs:
            self._to_device(card, "silent", self.payloads.silent(), 5)
            return
        if "everything-priority-10" in self.bugs:
            priority = 10
        expires = payload["aps"].get("stale-date")
        push = Push(token, "update", payload, priority, *card.key, expires=expires)
        self.outbox.put(push, max(0.0, rests_until - self.clock.now()))

    def _end(self, payload: dict, card: Card, token: str, rests_until: float = 0.0) -> None:
        push = Push(token, "end", payload, 10, *card.key, expires=self.clock.now() + CARD_LIVES)
        self.outbox.put(push, max(0.0, rests_until - self.clock.now()))

    def _end_one(self, card: Card, token: str, stays: int = DISMISS_AFTER) -> None:
        """Ends a card whose match goes on, or that has missed the end of it."""
        timestamp = self.store.next_timestamp(card.match_id, self.clock.now())
        self._end(self.payloads.end(timestamp, self.content_of(card), stays=stays), card, token)

    # What apps report

    def followed(self, card: Card) -> bool:
        """Follows a match, and returns true if the app is to start the card itself, at once: the match is on. The
        person's other phones get theirs by push, at the next look at the fixtures."""
        session, match_id = card.session, card.match_id
        again = [card] if self.store.follows(session, match_id) else self.store.cards_of(session, match_id)
        for ended in again:  # on another phone, a card that was swiped away stays away as long as the match is followed
            self.store.follow_again(ended)
        self.store.follow(session, match_id)
        if self.is_on(match_id) and self.store.activity(card) is None:
            self.store.begin(card, "local", timestamp=self.store.last_timestamp(match_id))
            return True
        return False

    def unfollowed(self, card: Card) -> None:
        """The app ends its card itself; those on the person's other phones are ended by push."""
        self.store.unfollow(card.session, card.match_id)
        self._stop(card, "ended", "unfollowed")
        if "unfollow-ends-one-phone" in self.bugs:
            return
        for other in self.store.cards_of(card.session, card.match_id):
            row = self.store.activity(other)
            if self._stop(other, "ended", UNFOLLOWED_ELSEWHERE) and row["token"] and card.match_id in self.told:
                self._end_one(other, row["token"], stays=0)

    def dismissed(self, card: Card) -> None:
        """Also comes when an ended card leaves the screen: then it was no wish of anybody's. A card of the same match
        on another phone stays."""
        all_of_them = "dismissal-ends-all-phones" in self.bugs
        for gone in self.store.cards_of(card.session, card.match_id) if all_of_them else [card]:
            self._stop(gone, "dismissed", "the person swiped it away")
        if "restarts-after-dismissal" in self.bugs:
            self.store.follow_again(card)

    def ended(self, card: Card) -> None:
        """The activity is over. Where nobody here has ended it, iOS did, and its follower has no card."""
        row = self.store.activity(card)
        if row is None or row["state"] != "active" or "ignores-ended-activity" in self.bugs:
            return
        self._stop(card, "ended", "iOS ended it")
        if self.is_on(card.match_id) and self.store.follows(card.session, card.match_id):
            self.store.follow_again(card)
            self.start(card)

    def pressed(self, card: Card, press: int) -> dict | None:
        """The button that turns the alerts of a card off and on. An app that has got no answer repeats its call: the
        same press changes nothing. Returns the content for the card; None if nothing here knows the card."""
        row = self.store.activity(card)
        if row is None or card.match_id not in self.told:
            return None
        if row["pressed"] != press or "turns-at-every-call" in self.bugs:
            self.store.press(card, press)
        muted = self.store.activity(card)["muted"]
        return self.told[card.match_id].content | {"muted": bool(muted)}

    def _stop(self, card: Card, state: str, why: str) -> bool:
        """Returns true if there was something to stop."""
        row = self.store.activity(card)
        if row is None or row["state"] in ("ended", "dismissed"):
            return False
        self.store.settle(card, state, why)
        for token in (row["token"], row["start_token"]):
            if token:
                self.outbox.drop(token, card.match_id)
        return True

    def token_arrived(self, card: Card, token: str) -> str:
        """An update token. What it answers goes into the log of the app."""
        row, match_id = self.store.activity(card), card.match_id
        if row is not None and row["state"] == "dismissed":
            return "dismissed"  # sent before the dismissal, overtaken by it
        if (row is None or (row["state"] == "ended" and self.is_on(match_id))) and not self.store.follows(
            card.session, match_id
        ):
            if row is not None and row["why"] == UNFOLLOWED_ELSEWHERE and row["token"] != token:
                self.store.activate(card, token, self.clock.now())
                self.store.settle(card, "ended", UNFOLLOWED_ELSEWHERE)
                self._end_one(card, token, stays=0)
            return "not followed"
        now = self.clock.now()
        if not self.is_on(match_id):
            return self._ends_late(card, token)
        if row is not None and row["token"] and row["token"] != token:
            self.outbox.drop(row["token"], match_id)
        if not self.store.activate(card, token, now):
            return "known"
        # The card shows what the start said, and the match has gone on meanwhile.
        if "late-token-waits" in self.bugs:
            return "active"
        if row is None or self.store.last_timestamp(match_id) > row["start_timestamp"]:
            rotated = row is not None and row["token"]  # this card may have had the last one already, by its old token
            timestamp = self.store.next_timestamp(match_id, now) if rotated else self.store.last_timestamp(match_id)
            payload = self.payloads.update(timestamp, self.content_of(card))
            self._update(payload, REFRESH.priority, card, token)
        return "active"

    def _ends_late(self, card: Card, token: str) -> str:
        """The match is over, and here is a card that nobody has ended: an app that had no runtime until now."""
        row = self.store.activity(card)
        if card.match_id not in self.told or row is None or row["token"] == token or "late-token-waits" in self.bugs:
            return "over"
        self.store.activate(card, token, self.clock.now())
        self.store.settle(card, "ended", "match over")
        self._end_one(card, token)
        return "over"

    def start_token_arrived(self, session: str, device_id: str, attributes_type: str, token: str) -> None:
        """Starts what has been waiting for it: layers one, two and three all end here."""
        self.store.start_token(session, device_id, attributes_type, token, self.clock.now())
        if attributes_type != ATTRIBUTES_TYPE:
            return
        for match_id in self.store.follows_of(session):
            if not self.is_on(match_id):
                continue
            card = Card(session, match_id, device_id)
            row = self.store.activity(card)
            if row is None or (
                row["state"] == "pending"
                and row["route"] == "push"
                and (row["fallback"] or row["start_token"] != token)
            ):
                self.start(card)

    # What APNs answers

    def settled(self, push: Push, outcome: Outcome) -> None:
        self.results[f"{outcome.status} {outcome.reason or ''}".strip()] += 1
        if outcome.ok:
            if push.what == "start":
                self.store.confirm(push.card)
                if self.store.channel(push.match_id):
                    self.store.settle(push.card, "active", "on the channel")  # which brings no token
            return
        log.info("%s for %s of %s: %s %s", push.what, push.session, push.match_id, outcome.status, outcome.reason)
        gone = outcome.status == 410
        registered = self.store.registered(push.token)
        is_old = outcome.timestamp is not None and registered is not None and outcome.timestamp < registered
        if gone and is_old and "trusts-old-410" not in self.bugs:
            # Registered since: alive as far as we know. Not hammered either.
            self.store.rest(push.token, self.clock.now() + SHORT_REST)
            self.outbox.again(push, SHORT_REST)
            return
        if gone and "ignores-410" not in self.bugs:
            self._gone(push, outcome)
        elif outcome.reason == "BadDeviceToken":
            self._bad(push)
        elif "forgets-token-at-any-refusal" in self.bugs and 400 <= outcome.status < 410:
            self.store.forget(push.token)

    def _gone(self, push: Push, outcome: Outcome) -> None:
        row = self.store.activity(push.card)
        self.store.forget(push.token)
        if push.what == "start":
            self._fall_back(push)
        elif row is not None and row["token"] == push.token and row["state"] == "active":  # its card has no other token
            self.store.settle(push.card, "ended", f"{outcome.status} {outcome.reason}")
            if outcome.reason == "ExpiredToken" and self.is_on(push.match_id):
                self.start(push.card)  # eight hours are over, the match is not

    def _bad(self, push: Push) -> None:
        """Never deleted: the mistake may be ours, and then it is all of them."""
        if "deletes-tokens-on-bad-device-token" in self.bugs:
            self.store.forget(push.token)
            return
        self.store.rest(push.token, self.clock.now() + REST)
        if push.what == "start":
            self._fall_back(push)

    def _fall_back(self, push: Push) -> None:
        """Layer one: a silent push, so that the app sends a fresh start token."""
        self.store.fell_back(push.card, 1, self.clock.now())
        self._to_device(push.card, "silent", self.payloads.silent(), 5)

    def ask_to_tap(self) -> None:
        """Layer two, where layer one has brought nothing."""
        if "no-layer-two" in self.bugs:
            return
        now = self.clock.now()
        for card in self.store.waiting_since(1, now - LAYER_TWO_AFTER):
            self.store.fell_back(card, 2, now)
            if self.is_on(card.match_id) and self.store.follows(card.session, card.match_id):
                payload = self.payloads.tap_to_follow(card.match_id, self.titles[card.match_id])
                self._to_device(card, "alert", payload, 10)

    def _to_device(self, card: Card, what: str, payload: dict, priority: int) -> None:
        now = self.clock.now()
        if token := self.store.push_token_of(card, now):
            self.outbox.put(Push(token, what, payload, priority, *card.key, expires=now + START_GOOD_FOR))

    async def deliver(self) -> None:
        """Sends what is due, and raises an alarm where too many tokens turn bad at once."""
        self.results.clear()
        await self.outbox.drain()
        bad, all_of_them = self.results["400 BadDeviceToken"], sum(self.results.values())
        if bad >= SUSPICIOUS_COUNT and bad >= SUSPICIOUS_SHARE * all_of_them:
            host = self.pusher.gateway.host
            alarm = f"{bad} of {all_of_them} tokens are BadDeviceToken at once: is {host} the right gateway?"
            self.alarms.append(alarm)
            log.error(alarm)
