"""Real bugs of real backends, each off unless asked for. failure-modes.md has where each was seen."""

import difflib

BUGS = {
    "deletes-tokens-on-bad-device-token": "forgets a token at 400 BadDeviceToken; one wrong gateway empties the table",
    "trusts-old-410": "forgets a token at 410 though the app has registered it since the instant that 410 names",
    "ignores-410": "goes on pushing to a token that APNs has called gone",
    "ignores-rotation": "keeps the first update token of an activity and never takes the next",
    "keeps-pushing-after-dismissal": "hears that the card was swiped away, and pushes on",
    "new-jwt-per-push": "signs a provider token for every push",
    "never-renews-jwt": "signs one provider token and keeps it past its hour",
    "connection-per-push": "opens a TLS connection for every push",
    "retries-429-at-once": "answers 429 by sending the same again immediately",
    "resends-with-new-id": "gives a retry another apns-id, so that nobody can see that it is a retry",
    "milliseconds-timestamp": "puts milliseconds into aps.timestamp",
    "seconds-since-2001": "counts dates from 2001 as Swift does, where APNs counts from 1970",
    "timestamp-stands-still": "stamps every update with the minute, so that the second of a minute is dropped",
    "snake-case-content": "writes content-state as Python names things: match_display_state",
    "start-without-alert": "leaves the alert out of a start, as out of an update",
    "everything-priority-10": "sends every ball at priority 10 and uses up the phone's budget",
    "starts-at-every-poll": "starts an activity anew for whoever has sent no update token by the next poll",
    "no-layer-two": "sends the silent push when a start token is dead, and never the alert",
    "drops-what-goaway-cut-off": "takes pushes above the last stream of a GOAWAY for sent",
    "opens-streams-after-goaway": "does not hear GOAWAY, and goes on sending on that connection",
    "hangs-after-goaway": "waits for the gateway to close after GOAWAY, for as long as that takes",
    "keeps-dead-connection": "tries again after a timeout, on the connection that did not answer",
    "bursts-at-first": "opens all its streams at once on a new connection, and gives up those that are refused",
    "resends-the-batch": "sends a whole fan-out again when one push of it failed",
    "ignores-stream-limit": "opens as many streams at once as it has pushes",
    "renews-at-every-403": "signs another provider token whenever one is refused, however young it is",
    "resends-expired-for-ever": "answers ExpiredProviderToken by sending the same again, without end",
    "forgets-token-at-any-refusal": "takes every refusal that it does not know for a dead token",
    "tokens-are-64-digits": "takes only tokens of 64 hex digits",
    "keeps-sick-connection": "goes on with a connection on which everything is answered 500",
    "never-retries": "gives up a push at the first 429 or timeout",
    "restamps-retries": "gives a retry a new timestamp, so that the phone takes it for news and alerts again",
    "topic-without-suffix": "sends Live Activity pushes to the plain bundle id",
    "alerts-as-background": "sends its alerts with apns-push-type background, as its silent pushes",
    "trusts-200": "takes the 200 of a start for a card on the Lock Screen",
    "late-token-waits": "takes a token that comes late, and says nothing to it until something happens",
    "keeps-first-start-token": "keeps the first start token of a phone and never takes the next",
    "updates-by-silent-push": "has the app update its card at a silent push, and never pushes to the card",
    "ignores-ended-activity": "hears that iOS has ended an activity, and goes on pushing to its token, which is 200",
    "restarts-after-dismissal": "forgets a card that was swiped away, so that the next look at the fixtures starts it",
    "resends-unknown-starts": "sends a start again when its answer was lost, though the phone may have it",
    "one-gateway-for-all": "sends to one gateway, whichever build a token came from",
    "heartbeat-priority-10": "sends a score that has not changed again and again at priority 10",
    "one-token-per-user": "keeps only the newest update token of a person for a match, whatever phone it is of",
    "dismissal-ends-all-phones": "hears that a card was swiped away, and gives up those on the person's other phones",
    "unfollow-ends-one-phone": "leaves the cards on a person's other phones when a match is unfollowed",
    "drops-throttled-broadcasts": "gives up a broadcast that a channel was too busy for, however new its state is",
    "turns-at-every-call": "takes each call of a button for a press, also one that the app repeats as it got no answer",
    "updates-forget-presses": "leaves what a person has chosen by a button out of the next update, which replaces all",
    "no-expiration": "leaves out until when a push is of use, so that one to a phone that is offline may be lost",
    "end-without-content": "sends the last score and, in the same instant, an end that leaves it out",
    "keeps-first-stream-limit": "does not hear that the limit of streams has fallen, and gives up what is refused",
}


class Bugs(frozenset):
    """The names of the bugs that are on."""

    @classmethod
    def named(cls, names: list[str]) -> "Bugs":
        for name in names:
            if name not in BUGS:
                near = difflib.get_close_matches(name, BUGS, 1, 0.3)
                hint = f"did you mean {near[0]}?" if near else "--list-bugs has them all."
                raise ValueError(f"There is no bug called {name}; {hint}")
        return cls(names)


def listed() -> str:
    width = max(map(len, BUGS))
    return "\n".join(f"{name:<{width}}  {sentence}" for name, sentence in BUGS.items())
