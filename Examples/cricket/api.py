"""The HTTP API that the app calls. Everything it answers fast: pushes that follow wait in the outbox."""

import json
import re

from aiohttp import web

from cricket.coordinator import Coordinator
from cricket.match import Feed
from cricket.store import Card, Store

DIGITS_64 = re.compile(r"[0-9a-f]{64}")
TOKEN = re.compile(r"(?:[0-9a-f]{2}){8,200}")
"""Hex, in any length: Apple has changed it before."""
KINDS = {str: "text", bool: "boolean", int: "whole number"}
ENVIRONMENTS = ("sandbox", "production")
BODY_LIMIT = 16 * 1024
STORE, COORDINATOR, FEED = web.AppKey("store", Store), web.AppKey("coordinator", Coordinator), web.AppKey("feed", Feed)


class Refused(Exception):
    def __init__(self, status: int, sentence: str):
        self.status, self.sentence = status, sentence


@web.middleware
async def answers(request: web.Request, handler):
    try:
        answer = await handler(request)
        return answer if isinstance(answer, web.StreamResponse) else web.json_response(answer)
    except Refused as refused:
        return web.json_response({"error": refused.sentence}, status=refused.status)


def session(request: web.Request) -> str:
    """Who asks. A real backend would look the session up; here it is the user."""
    scheme, _, value = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not value.strip():
        raise Refused(401, "authorization: Bearer SESSION is missing")
    return value.strip()


def card_of(request: web.Request) -> Card:
    """The card that a call of an app is about: that of the match on the phone that calls."""
    device_id = request.headers.get("x-device-id", "").strip()
    who, match_id = session(request), match_of(request)
    if not device_id:
        raise Refused(400, "x-device-id is missing: the deviceId that the app has registered")
    return Card(who, match_id, device_id)


async def body(request: web.Request, **fields: type) -> list:
    try:
        told = await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise Refused(400, "the body is not JSON") from None
    values = []
    for name, kind in fields.items():
        value = told.get(name) if isinstance(told, dict) else None
        if type(value) is not kind or value == "":
            raise Refused(400, f"{name} is missing or no {KINDS[kind]}")
        values.append(value)
    return values


def hexadecimal(request: web.Request, name: str, value: str) -> str:
    wanted = DIGITS_64 if "tokens-are-64-digits" in request.app[COORDINATOR].bugs else TOKEN
    if not wanted.fullmatch(value.lower()):
        raise Refused(400, f"{name} is no token: an even number of hex digits is wanted")
    return value.lower()


def keep_environment(request: web.Request, told: dict, token: str) -> None:
    """An app may say whether its build is of the sandbox or of production."""
    environment = told.get("environment")
    if environment is None:
        return
    if environment not in ENVIRONMENTS:
        raise Refused(400, "environment is sandbox or production")
    request.app[STORE].belongs(token, environment)


def match_of(request: web.Request) -> str:
    match_id = request.match_info["match"]
    if match_id not in request.app[FEED]:
        raise Refused(404, f"there is no match {match_id}")
    return match_id


async def devices(request: web.Request):
    device_id, token = await body(request, deviceId=str, pushToken=str)
    told = await request.json()
    coordinator = request.app[COORDINATOR]
    token = hexadecimal(request, "pushToken", token)
    keep_environment(request, told, token)
    coordinator.store.device(session(request), device_id, token, told.get("osVersion"), coordinator.clock.now())
    return {"registered": device_id}


async def start_token(request: web.Request):
    device_id, token, attributes_type = await body(request, deviceId=str, token=str, attributesType=str)
    token = hexadecimal(request, "token", token)
    keep_environment(request, await request.json(), token)
    request.app[COORDINATOR].start_token_arrived(session(request), device_id, attributes_type, token)
    return {"registered": attributes_type}


async def frequent_pushes(request: web.Request):
    device_id, enabled = await body(request, deviceId=str, enabled=bool)
    request.app[STORE].frequent(session(request), device_id, enabled)
    return {"enabled": enabled}


async def follow(request: web.Request):
    card, coordinator = card_of(request), request.app[COORDINATOR]
    if coordinator.followed(card):
        match = request.app[FEED].matches[card.match_id]
        return {"live": True, "title": match.title, "state": coordinator.told[card.match_id].content}
    return {"live": False}


async def unfollow(request: web.Request):
    request.app[COORDINATOR].unfollowed(card_of(request))
    return {"following": False}


async def activity_token(request: web.Request):
    [token] = await body(request, token=str)
    card = card_of(request)
    token = hexadecimal(request, "token", token)
    keep_environment(request, await request.json(), token)
    became = request.app[COORDINATOR].token_arrived(card, token)
    if became == "not followed":
        raise Refused(409, f"{card.match_id} is not followed")
    return {"activity": became}


async def alerts(request: web.Request):
    [press] = await body(request, press=int)
    content = request.app[COORDINATOR].pressed(card_of(request), press)
    if content is None:
        raise Refused(409, "there is no card of that match")
    return {"state": content}


async def activity_dismissed(request: web.Request):
    request.app[COORDINATOR].dismissed(card_of(request))
    return {"activity": "dismissed"}


async def activity_ended(request: web.Request):
    request.app[COORDINATOR].ended(card_of(request))
    return {"activity": "ended"}


async def content(request: web.Request):
    """The content that a card should show now, for an app that has runtime and asks."""
    coordinator, card = request.app[COORDINATOR], card_of(request)
    if not coordinator.is_on(card.match_id):
        return {"live": False}
    return {"live": True, "state": coordinator.content_of(card)}


async def health(request: web.Request):
    return {"status": "ok"}


async def follows(request: web.Request):
    return {"follows": request.app[STORE].follows_of(session(request))}


def application(coordinator: Coordinator, feed: Feed) -> web.Application:
    app = web.Application(middlewares=[answers], client_max_size=BODY_LIMIT)
    app[STORE], app[COORDINATOR], app[FEED] = coordinator.store, coordinator, feed
    app.add_routes(
        [
            web.get("/health", health),
            web.post("/devices", devices),
            web.post("/devices/push-to-start-token", start_token),
            web.post("/devices/frequent-pushes", frequent_pushes),
            web.get("/user/follows", follows),
            web.post("/matches/{match}/follow", follow),
            web.post("/matches/{match}/unfollow", unfollow),
            web.post("/matches/{match}/activity-token", activity_token),
            web.post("/matches/{match}/alerts", alerts),
            web.post("/matches/{match}/activity-dismissed", activity_dismissed),
            web.post("/matches/{match}/activity-ended", activity_ended),
            web.get("/matches/{match}/card", content),
        ]
    )
    return app
