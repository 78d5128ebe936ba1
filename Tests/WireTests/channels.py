"""Channels and the broadcasts to them, over the wire."""

import json

from program import APP


def manage(server, wire, method: str, body: bytes | None = None, channel: str | None = None):
    headers = [(":method", method), (":scheme", "https"), (":authority", "localhost")]
    headers += [(":path", f"/1/apps/{APP}/channels"), ("authorization", f"bearer {server.jwt}")]
    return wire.request(headers + ([("apns-channel-id", channel)] if channel else []), body)


def create(server, stores: int = 1) -> str:
    with server.wire("channels") as wire:
        body = json.dumps({"message-storage-policy": stores, "push-type": "LiveActivity"}).encode()
        answer = manage(server, wire, "POST", body)
        assert answer.status == 201, answer.body
        return answer.header("apns-channel-id")


def headers(server, channel: str, expiration: int = 0) -> list[tuple[str, str]]:
    return [
        (":method", "POST"),
        (":scheme", "https"),
        (":authority", "localhost"),
        (":path", f"/4/broadcasts/apps/{APP}"),
        ("authorization", f"bearer {server.jwt}"),
        ("apns-channel-id", channel),
        ("apns-push-type", "liveactivity"),
        ("apns-priority", "10"),
        ("apns-expiration", str(expiration)),
    ]


def news(server, score: int) -> bytes:
    now = server.clock()["unixMilliseconds"] // 1000
    return json.dumps(
        {"aps": {"timestamp": now + score, "event": "update", "content-state": {"score": score}}}
    ).encode()
