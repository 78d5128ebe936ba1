"""nghttp and h2load, the tools of Debian's nghttp2-client."""

import json
import re
import subprocess

import pytest

from faulting import fault, troubles
from program import ALERT, APP, BACKGROUND, LIVE_ACTIVITY, live_activity

LA_TOPIC = APP + LIVE_ACTIVITY


def header_flags(server, **headers: str) -> list[str]:
    fields = {"authorization": f"bearer {server.jwt}", "apns-topic": APP, "apns-push-type": "alert"}
    fields |= {k.replace("_", "-"): v for k, v in headers.items()}
    return [x for n, v in fields.items() for x in ("-H", f"{n}: {v}")]


def nghttp(server, tmp_path, token, body: bytes = ALERT, **headers) -> tuple[int, dict[str, str], str]:
    """Status, headers and body of one push."""
    data = tmp_path / "body.json"
    data.write_bytes(body)
    output = subprocess.run(
        [
            "nghttp",
            "-v",
            "--no-verify-peer",
            "-d",
            str(data),
            *header_flags(server, **headers),
            f"{server.url()}/3/device/{token}",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout
    output = re.sub(r"\x1b\[[0-9;]*m", "", output)
    received = dict(re.findall(r"recv \(stream_id=\d+(?:, sensitive)?\) ([\w:-]+): (.*)", output))
    error = re.search(r'^(\{"reason".*?\})', output, re.M)
    return int(received[":status"]), received, error.group(1) if error else ""


def h2load(
    server, tmp_path, tokens, requests: int, clients: int, streams: int, body: bytes = ALERT, **headers
) -> tuple[dict[str, int], dict[str, int]]:
    """Runs h2load, and returns its two lines of counts: requests, and status codes by class."""
    data, uris = tmp_path / "body.json", tmp_path / "uris.txt"
    data.write_bytes(body)
    uris.write_text("".join(f"{server.url()}/3/device/{t}\n" for t in tokens))
    run = subprocess.run(
        [
            "h2load",
            "-n",
            str(requests),
            "-c",
            str(clients),
            "-m",
            str(streams),
            "-d",
            str(data),
            "-i",
            str(uris),
            *header_flags(server, **headers),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    done = {k: int(n) for n, k in re.findall(r"(\d+) (\w+)", re.search(r"^requests: (.*)$", run.stdout, re.M).group(1))}
    status = {
        k: int(n) for n, k in re.findall(r"(\d+) (\dxx)", re.search(r"^status codes: (.*)$", run.stdout, re.M).group(1))
    }
    return done, status


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (ALERT, {}),
        (BACKGROUND, {"apns_push_type": "background", "apns_priority": "5"}),
        (b'{"call":1}', {"apns_push_type": "voip", "apns_topic": APP + ".voip"}),
    ],
    ids=["alert", "background", "voip"],
)
def test_nghttp_pushes_of_every_kind_are_accepted(arena, tmp_path, body, headers):
    token = arena.voip() if headers.get("apns_push_type") == "voip" else arena.device()
    status, received, error = nghttp(arena.server, tmp_path, token, body, **headers)
    assert (status, error) == (200, "")
    assert received["apns-id"]


def test_nghttp_sends_a_live_activity_update(arena, tmp_path):
    status, _, error = nghttp(
        arena.server, tmp_path, arena.activity(), live_activity(), apns_push_type="liveactivity", apns_topic=LA_TOPIC
    )
    assert (status, error) == (200, "")


@pytest.mark.parametrize(
    ("which", "status", "reason"),
    [
        ("unknown", 400, "BadDeviceToken"),
        ("no provider", 403, "InvalidProviderToken"),
        ("gone", 410, "Unregistered"),
        ("expired", 410, "ExpiredToken"),
        ("busy", 429, "TooManyRequests"),
    ],
)
def test_nghttp_reads_every_refusal(arena, tmp_path, which, status, reason):
    live = {"apns_push_type": "liveactivity", "apns_topic": LA_TOPIC}
    token, headers = {
        "unknown": ("0" * 64, {}),
        "no provider": ("0" * 64, {"authorization": "bearer x.y.z"}),
        "gone": (arena.gone, {}),
        "expired": (arena.expired, live),
        "busy": (arena.busy, live),
    }[which]
    got, received, error = nghttp(
        arena.server, tmp_path, token, live_activity() if headers is live else ALERT, **headers
    )
    assert (got, json.loads(error)["reason"]) == (status, reason)
    assert received["content-type"] == "application/json"
    assert ("timestamp" in json.loads(error)) == (status == 410)


@pytest.mark.parametrize(("requests", "clients", "streams"), [(1, 1, 1), (60, 1, 60), (2000, 8, 100), (2000, 64, 100)])
def test_h2load_gets_200_for_every_push(server, tmp_path, requests, clients, streams):
    """S16: also for a burst of 60 before the first SETTINGS."""
    tokens = server.tokens("device")[:200]
    done, status = h2load(server, tmp_path, tokens, requests, clients, streams)
    assert done == {
        "total": requests,
        "started": requests,
        "done": requests,
        "succeeded": requests,
        "failed": 0,
        "errored": 0,
        "timeout": 0,
    }
    assert status == {"2xx": requests, "3xx": 0, "4xx": 0, "5xx": 0}


def test_h2load_counts_refusals_and_loses_none(arena, tmp_path):
    """S17 S23: 400, 403, 410 and 429 are all answers, none is a broken stream."""
    live = {"apns_push_type": "liveactivity", "apns_topic": LA_TOPIC}
    for token, headers in (
        ("0" * 64, {}),
        ("0" * 64, {"authorization": "bearer x.y.z"}),
        (arena.gone, {}),
        (arena.expired, live),
        (arena.busy, live),
    ):
        done, status = h2load(arena.server, tmp_path, [token], 200, 2, 20, **headers)
        assert (done["done"], done["errored"]) == (200, 0)
        assert status == {"2xx": 0, "3xx": 0, "4xx": 200, "5xx": 0}


def test_clients_that_keep_to_a_lower_number_of_streams_lose_and_double_nothing(pushpit, tmp_path):
    """h2load and curl hold requests back while the announced number is reached. httpx cannot take part: httpcore waits
    for a stream to end inside the one reader that could see it end (`_receive_remote_settings_change`)."""
    server = pushpit("--fleet", "80", "--ideal")
    tokens = server.tokens("device")[:80]
    fault(server, {"streams": 1, "open": "finish"}, name="narrow", when={"skip": 5}, limit=1)
    done, status = h2load(server, tmp_path, tokens[:40], 40, 1, 10)
    assert (done["succeeded"], done["errored"], status["2xx"]) == (40, 0, 40)
    fault(server, {"streams": 1, "open": "finish"}, name="narrower", when={"skip": 5}, limit=1)
    assert curl_at_once(server, tmp_path, tokens[40:], 10) == ["200"] * 40
    struck = {f["name"]: f["struck"] for f in server.get("/v1/faults")["faults"]}
    assert struck == {"narrow": 1, "narrower": 1}
    shown = [len(server.get(f"/v1/devices/{t.device}/screen")["notifications"]) for t in tokens]
    assert shown == [1] * 80
    assert troubles(server, "streamRefused") == []


def curl_at_once(server, tmp_path, tokens, streams: int) -> list[str]:
    """Statuses of pushes that share one connection of curl, up to so many at a time."""
    lines = []
    for token in tokens:
        lines += [
            f'url = "{server.url()}/3/device/{token}"',
            f"data-binary = {json.dumps(ALERT.decode())}",
            'write-out = "%{http_code}\\n"',
        ]
        lines += [f'header = "{n}"' for n in header_flags(server)[1::2]]
        lines += [f'cacert = "{server.ca}"', "http2", "silent", "next"]
    config = tmp_path / "curl.txt"
    config.write_text("\n".join(lines[:-1]) + "\n")
    run = subprocess.run(
        ["curl", "--disable", "--parallel", "--parallel-max", str(streams), "--config", str(config)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()
