"""Payloads of Live Activities, and of the two layers of fallback. Dates are seconds since 1970, keys camelCase as
Swift's JSONDecoder wants them."""

from cricket.bugs import Bugs
from cricket.match import Score, Status

ATTRIBUTES_TYPE = "MatchAttributes"
"""Letter by letter the name of the Swift struct: another spelling starts nothing, and APNs says 200."""
STALE_AFTER = 15 * 60
"""Seconds until the card says of itself that it may be out of date."""
DISMISS_AFTER = 15 * 60
SECONDS_1970_TO_2001 = 978_307_200


class Payloads:
    def __init__(self, bugs: Bugs):
        self.bugs = bugs

    def content(self, status: Status, score: Score, verdict: str | None = None) -> dict:
        content = {
            "matchDisplayState": verdict or status.value,
            "compactLeading": {"teamAbbr": score.team, "score": f"{score.runs}/{score.wickets}"},
            "compactTrailing": {"overs": score.overs, "runRate": score.run_rate},
            "suspended": status is Status.suspended,
        }
        if "snake-case-content" in self.bugs:
            content["match_display_state"] = content.pop("matchDisplayState")
        return content

    def start(self, timestamp: int, match_id: str, title: str, content: dict, channel: str | None = None) -> dict:
        aps = self._aps("start", timestamp, content) | {
            "attributes-type": ATTRIBUTES_TYPE,
            "attributes": {"matchId": match_id, "title": title},
            "alert": {"title": f"{title} is live", "body": "Follow it on your Lock Screen", "sound": "default"},
            "stale-date": self._date(timestamp + STALE_AFTER),
        }
        aps |= {"input-push-channel": channel} if channel else {"input-push-token": 1}
        if "start-without-alert" in self.bugs:
            del aps["alert"]
        return {"aps": aps}

    def update(self, timestamp: int, content: dict, alert: dict | None = None, relevance: int = 5) -> dict:
        aps = self._aps("update", timestamp, content) | {"relevance-score": relevance}
        if not content.get("suspended"):  # a card that waits for the rain to stop is not out of date
            aps["stale-date"] = self._date(timestamp + STALE_AFTER)
        if alert:
            aps["alert"] = alert
        return {"aps": aps}

    def end(self, timestamp: int, content: dict, alert: dict | None = None, stays: int = DISMISS_AFTER) -> dict:
        aps = self._aps("end", timestamp, content) | {"dismissal-date": self._date(timestamp + stays)}
        if alert:
            aps["alert"] = alert
        return {"aps": aps}

    def silent(self) -> dict:
        return {"aps": {"content-available": 1}}

    def tap_to_follow(self, match_id: str, title: str) -> dict:
        alert = {"title": f"{title} is live", "body": "Tap to follow it on your Lock Screen"}
        return {"aps": {"alert": alert, "sound": "default", "thread-id": match_id}, "matchId": match_id}

    def no_card(self, match_id: str, title: str) -> dict:
        body = "No score on your Lock Screen? Switch Live Activities off and on in Settings, then open the app."
        alert = {"title": f"{title} is live", "body": body}
        return {"aps": {"alert": alert, "sound": "default", "thread-id": match_id}, "matchId": match_id}

    def _aps(self, event: str, timestamp: int, content: dict) -> dict:
        if "milliseconds-timestamp" in self.bugs:
            timestamp *= 1000
        if "timestamp-stands-still" in self.bugs:
            timestamp -= timestamp % 60
        return {"timestamp": timestamp, "event": event, "content-state": content}

    def _date(self, seconds: int) -> int:
        return seconds - SECONDS_1970_TO_2001 if "seconds-since-2001" in self.bugs else seconds
