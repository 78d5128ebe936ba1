"""httpx 0.28 over HTTP/2, as many backends use it, with PyJWT."""

import asyncio
import ssl
import time

import httpx
import jwt
import pytest

from program import ALERT, APP, BACKGROUND, LIVE_ACTIVITY, live_activity

LA_TOPIC = APP + LIVE_ACTIVITY


@pytest.fixture
def client(arena):
    key = arena.server.key
    token = jwt.encode({"iss": key.team_id, "iat": int(time.time())}, key.p8.read_text(), "ES256", {"kid": key.key_id})
    with httpx.Client(
        http2=True,
        verify=ssl.create_default_context(cafile=str(arena.server.ca)),
        base_url=arena.server.url(host="localhost"),
        headers={"authorization": f"bearer {token}"},
        timeout=30,
        trust_env=False,
    ) as client:
        yield client


def push(client, token, body=ALERT, **headers) -> httpx.Response:
    headers = {"apns-topic": APP, "apns-push-type": "alert"} | {k.replace("_", "-"): v for k, v in headers.items()}
    response = client.post(
        f"/3/device/{token}", content=body, headers={k: v for k, v in headers.items() if v is not None}
    )
    assert response.http_version == "HTTP/2"
    assert response.headers["apns-id"]
    return response


def live(client, token, body=None, **headers) -> httpx.Response:
    return push(client, token, body or live_activity(), apns_topic=LA_TOPIC, apns_push_type="liveactivity", **headers)


def test_pushes_of_every_kind_are_accepted_on_one_connection(arena, client):
    """S16 S10: alert, background, voip and Live Activity."""
    responses = [
        push(client, arena.device(), apns_priority="10"),
        push(client, arena.device(), BACKGROUND, apns_push_type="background", apns_priority="5"),
        push(client, arena.voip(), b'{"call":1}', apns_topic=APP + ".voip", apns_push_type="voip"),
        live(client, arena.activity(), apns_priority="5"),
        live(client, arena.server.token("pushToStart"), live_activity("start"), apns_priority="10"),
    ]
    assert [(r.status_code, r.content) for r in responses] == [(200, b"")] * 5


@pytest.mark.parametrize(
    ("which", "status", "reason"),
    [
        ("unknown", 400, "BadDeviceToken"),
        ("gone", 410, "Unregistered"),
        ("expired", 410, "ExpiredToken"),
        ("busy", 429, "TooManyRequests"),
    ],
)
def test_errors_surface_with_their_reason(arena, client, which, status, reason):
    if which == "unknown":
        response = push(client, "0" * 64)
    elif which == "gone":
        response = push(client, arena.gone)
    else:
        response = live(client, getattr(arena, which))
    assert (response.status_code, response.json()["reason"]) == (status, reason)
    assert response.headers["content-type"] == "application/json"
    assert ("timestamp" in response.json()) == (status == 410)
    if status == 410:
        assert type(response.json()["timestamp"]) is int
        assert 0 < arena.server.clock()["unixMilliseconds"] - response.json()["timestamp"] < 48 * 3_600_000


@pytest.mark.parametrize(
    ("kind", "headers", "status", "reason"),
    [
        ("voip", {"apns_topic": APP + ".voip", "apns_push_type": "alert"}, 400, "InvalidPushType"),
        ("voip", {"apns_topic": APP + ".voip.voip", "apns_push_type": "voip"}, 400, "TopicDisallowed"),
        ("device", {"apns_topic": APP + ".voip", "apns_push_type": "voip"}, 400, "DeviceTokenNotForTopic"),
        ("device", {"apns_expiration": "1795780000.475"}, 400, "BadExpirationDate"),
        ("device", {"apns_push_type": "background", "apns_priority": "10"}, 200, None),
    ],
)
def test_mistakes_of_public_reports_surface_with_their_reason(arena, client, kind, headers, status, reason):
    response = push(client, arena.voip() if kind == "voip" else arena.device(), BACKGROUND, **headers)
    assert response.status_code == status
    assert response.content == b"" if reason is None else response.json() == {"reason": reason}


def test_ids_of_key_and_team_that_are_exchanged_are_403(arena, client):
    key = arena.server.key
    claims = {"iss": key.key_id, "iat": int(time.time())}
    exchanged = jwt.encode(claims, key.p8.read_text(), "ES256", {"kid": key.team_id})
    response = push(client, arena.device(), authorization=f"bearer {exchanged}")
    assert (response.status_code, response.json()) == (403, {"reason": "InvalidProviderToken"})


def test_missing_and_wrong_provider_tokens_are_403(arena, client):
    missing = httpx.Headers(client.headers)
    del client.headers["authorization"]
    assert push(client, arena.device()).json() == {"reason": "MissingProviderToken"}
    client.headers = missing
    client.headers["authorization"] = client.headers["authorization"][:-10]
    response = push(client, arena.device())
    assert (response.status_code, response.json()) == (403, {"reason": "InvalidProviderToken"})


def test_the_apns_id_is_echoed(arena, client):
    apns_id = "6b29fc40-ca47-1067-b31d-00dd010662da"
    assert push(client, arena.device(), apns_id=apns_id).headers["apns-id"] == apns_id
    assert push(client, "0" * 64, apns_id=apns_id).headers["apns-id"] == apns_id


def test_a_hundred_at_once_are_all_answered(arena):
    """S16: asynchronous, one connection."""
    import asyncio
    import ssl

    server = arena.server
    tokens = server.tokens("device")[-160:-60]  # nothing else here has pushed to them

    async def all_of_them():
        async with httpx.AsyncClient(
            http2=True,
            verify=ssl.create_default_context(cafile=str(server.ca)),
            timeout=60,
            trust_env=False,
            limits=httpx.Limits(max_connections=1),
        ) as client:
            return await asyncio.gather(
                *(
                    client.post(
                        f"{server.url()}/3/device/{t}",
                        content=ALERT,
                        headers={"authorization": f"bearer {server.jwt}", "apns-topic": APP, "apns-push-type": "alert"},
                    )
                    for t in tokens
                )
            )

    assert [r.status_code for r in asyncio.run(all_of_them())] == [200] * 100


def test_no_push_is_lost_when_one_stream_is_left_after_a_rejection(pushpit):
    server = pushpit("--fleet", "10", "--ideal", "--set", "wire.streamsAfterRejection=one")
    key = server.key
    token = jwt.encode({"iss": key.team_id, "iat": int(time.time())}, key.p8.read_text(), "ES256", {"kid": key.key_id})
    headers = {"authorization": f"bearer {token}", "apns-topic": APP, "apns-push-type": "alert"}

    async def statuses() -> list[list[int]]:
        options = {"http2": True, "verify": ssl.create_default_context(cafile=str(server.ca)), "trust_env": False}
        async with httpx.AsyncClient(base_url=server.url(host="localhost"), headers=headers, **options) as client:

            async def push(token: object) -> int:
                return (await client.post(f"/3/device/{token}", content=ALERT)).status_code

            groups = (server.tokens()[:1], ["0" * 64], server.tokens())
            return [await asyncio.gather(*map(push, group)) for group in groups]

    assert asyncio.run(statuses()) == [[200], [400], [200] * 10]
