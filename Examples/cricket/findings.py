"""The mistakes of a backend in Pushpit's records: one function, so that a test and a person read the same."""

import json
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from pushpit.aio import Pushpit

YEAR = 365 * 86_400
JWT_GOOD_FOR = 3600
LAYER_TWO_WITHIN = 180.0


@dataclass(frozen=True)
class Report:
    """Something that an app has told the backend, and that the backend has taken."""

    at: float
    device: str
    what: str
    """device, pushToStart, update or dismissed."""
    match_id: str | None
    token: str | None


@dataclass
class Evidence:
    pushes: list[dict]
    """Pushpit's ledger, oldest first."""
    live: set[str]
    """Tokens that lead to an app."""
    known: set[str]
    """Tokens that the backend has."""
    reports: list[Report]
    """The reports of the apps to the backend, in order."""
    connections: int
    """Opened in all."""
    now: float
    jwt_now: float


@dataclass(frozen=True)
class Sent:
    """A row of the ledger as the checks want it."""

    at: float
    token: str
    device: str | None
    status: int
    reason: str | None
    gone_since: float | None
    apns_id: str
    body: str
    aps: dict
    priority: str | None
    push_type: str | None
    iat: float | None
    cause: str | None


async def ledger(pushpit: Pushpit) -> list[dict]:
    """All pushes that Pushpit has kept, oldest first."""
    return [push async for push in pushpit.admin.pages("/v1/pushes", "pushes")][::-1]


def sent(push: dict) -> Sent:
    headers = {h["name"]: h["value"] for h in push["request"]["headers"]}
    body = push["request"]["body"]
    try:
        aps = json.loads(body)["aps"]
    except (ValueError, KeyError):
        aps = {}
    answer = json.loads(push["answer"]["body"] or "{}")
    claims = (push["request"].get("providerToken") or {}).get("claims") or {}
    return Sent(
        datetime.fromisoformat(push["receivedAt"]).timestamp(),
        push["request"]["path"].rpartition("/")[2],
        push["device"],
        push["answer"]["status"],
        push["reason"],
        answer["timestamp"] / 1000 if "timestamp" in answer else None,
        push["apnsId"],
        body,
        aps,
        headers.get("apns-priority"),
        headers.get("apns-push-type"),
        claims.get("iat"),
        (push.get("reaction") or {}).get("cause"),
    )


def findings(evidence: Evidence) -> dict[str, str]:
    """By the name of the bug, a sentence with the first case."""
    pushes = [sent(push) for push in evidence.pushes]
    found = {}
    for name, check in CHECKS.items():
        case = next(iter(check(pushes, evidence)), None)
        if case is not None:
            found[name] = case
    return found


def _of_token(pushes: list[Sent]) -> dict[str, list[Sent]]:
    rows = defaultdict(list)
    for push in pushes:
        rows[push.token].append(push)
    return rows


def counted(pushes: int) -> str:
    return "1 push" if pushes == 1 else f"{pushes:,} pushes"


def _short(token: str) -> str:
    return token[:8] + "…"


def _forgotten(pushes, evidence):
    for push in pushes:
        if push.reason == "BadDeviceToken" and push.token in evidence.live and push.token not in evidence.known:
            yield f"{_short(push.token)} leads to an app, but the backend forgot it after one BadDeviceToken"


def _old_gone(pushes, evidence):
    for push in (p for p in pushes if p.status == 410):
        told = [r.at for r in evidence.reports if r.token == push.token]
        if told and push.gone_since < max(told) and push.token not in evidence.known:
            yield f"{_short(push.token)} was registered after the instant its 410 names, and is forgotten"


def _after_gone(pushes, evidence):
    for token, rows in _of_token(pushes).items():
        first = next((p for p in rows if p.status == 410), None)
        if first is None:
            continue
        again = [r.at for r in evidence.reports if r.token == token and r.at > first.gone_since]
        later = [p for p in rows if p.at > first.at and not again]
        if later:
            yield f"{counted(len(later))} to {_short(token)} after its 410"


def _old_token(pushes, evidence):
    latest: dict[tuple, list[Report]] = defaultdict(list)
    for report in evidence.reports:
        if report.what == "update":
            latest[report.device, report.match_id].append(report)
    rows = _of_token(pushes)
    for (device, _), told in latest.items():
        for old, new in zip(told, told[1:]):
            if old.token != new.token and any(p.at > new.at for p in rows[old.token]):
                yield f"{device} has told of {_short(new.token)}, and {_short(old.token)} is still pushed to"


def _after_dismissal(pushes, evidence):
    tokens = {}
    rows = _of_token(pushes)
    for report in evidence.reports:
        if report.what == "update":
            tokens[report.device, report.match_id] = report.token
        elif report.what == "dismissed":
            token = tokens.get((report.device, report.match_id))
            again = [r.at for r in evidence.reports if r.token == token and r.at > report.at]
            later = [p for p in rows.get(token, []) if p.at > report.at and p.aps.get("event") == "update"]
            if later and not again:
                yield f"{counted(len(later))} to {report.device} after its dismissal was reported"


def _reason(reason):
    def check(pushes, evidence):
        count = sum(p.reason == reason for p in pushes)
        if count:
            yield f"{counted(count)} answered {reason}"

    return check


def _cause(cause):
    def check(pushes, evidence):
        count = sum(p.cause == cause for p in pushes)
        if count:
            yield f"phones dropped {counted(count)}: {cause}"

    return check


def _old_jwt(pushes, evidence):
    if pushes and pushes[-1].iat is not None and evidence.jwt_now - pushes[-1].iat > JWT_GOOD_FOR:
        yield f"the provider token of the last push is {(evidence.jwt_now - pushes[-1].iat) / 60:.0f} min old"


def _connections(pushes, evidence):
    if evidence.connections > max(4, len(pushes) / 10):
        yield f"{evidence.connections} connections for {counted(len(pushes))}"


def _at_once(pushes, evidence):
    last: dict[str, Sent] = {}
    for push in pushes:
        before = last.get(push.token)
        if before and before.status == 429 and before.body == push.body and push.at - before.at < 1:
            yield f"{_short(push.token)} was tried again {push.at - before.at:.1f} s after 429"
        last[push.token] = push


def _new_id(pushes, evidence):
    for token, rows in _of_token(pushes).items():
        for before, push in zip(rows, rows[1:]):
            if before.status in (429, 500, 503) and before.body == push.body and before.apns_id != push.apns_id:
                yield f"{_short(token)} was sent the same again under another apns-id"


def _milliseconds(pushes, evidence):
    for push in pushes:
        if isinstance(push.aps.get("timestamp"), int) and push.aps["timestamp"] > 10**11:
            yield f"timestamp {push.aps['timestamp']} is in milliseconds"


def _epoch(pushes, evidence):
    for push in pushes:
        for name in ("stale-date", "dismissal-date"):
            if name in push.aps and push.aps[name] < push.at - YEAR:
                yield f"{name} {push.aps[name]} lies {(push.at - push.aps[name]) / YEAR:.0f} years back"


def _priority(pushes, evidence):
    count = sum(p.aps.get("event") == "update" and p.priority == "10" and "alert" not in p.aps for p in pushes)
    if count:
        yield f"{counted(count)} to update a card without an alert, at priority 10"


def _again(pushes, evidence):
    counts = defaultdict(int)
    for push in pushes:
        if push.aps.get("event") == "start" and push.status == 200:
            counts[push.token, json.dumps(push.aps.get("attributes"))] += 1
    most = max(counts.values(), default=0)
    if most > 2:
        yield f"one start token was sent {most} starts of one match"


def _no_alert_after(pushes, evidence):
    for push in pushes:
        if (
            push.aps.get("event") != "start"
            or push.status not in (400, 410)
            or evidence.now - push.at < LAYER_TWO_WITHIN
        ):
            continue
        later = [p for p in pushes if p.device == push.device and p.at > push.at]
        fresh = any(r.what == "pushToStart" and r.device == push.device and r.at > push.at for r in evidence.reports)
        if not fresh and not any(p.push_type == "alert" for p in later):
            yield f"{push.device}'s start token is dead, and its owner was never asked to tap"


CHECKS = {
    "deletes-tokens-on-bad-device-token": _forgotten,
    "trusts-old-410": _old_gone,
    "ignores-410": _after_gone,
    "ignores-rotation": _old_token,
    "keeps-pushing-after-dismissal": _after_dismissal,
    "new-jwt-per-push": _reason("TooManyProviderTokenUpdates"),
    "never-renews-jwt": _old_jwt,
    "connection-per-push": _connections,
    "retries-429-at-once": _at_once,
    "resends-with-new-id": _new_id,
    "milliseconds-timestamp": _milliseconds,
    "seconds-since-2001": _epoch,
    "timestamp-stands-still": _cause("stale-timestamp"),
    "snake-case-content": _cause("content-state-decode"),
    "start-without-alert": _cause("no-alert-configuration"),
    "everything-priority-10": _priority,
    "starts-at-every-poll": _again,
    "no-layer-two": _no_alert_after,
}
