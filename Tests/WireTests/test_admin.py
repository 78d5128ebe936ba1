"""The admin API: every route, errors of one shape, paging, and who may ask."""

import json
import re
import resource
import select
import socket
import time
from datetime import datetime
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

import answers
from answers import assert_error
from program import ALERT, APP, LIVE_ACTIVITY, STORE, TEAM, address, live_activity
from wire import TIMEOUT


def instant(text: str) -> datetime:
    moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
    assert moment.tzinfo is not None, text
    return moment


# Small routes


def test_health(server):
    response = server.admin.get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_version(server):
    assert server.get("/version") == {"version": server.ready["version"], "name": "pushpit", "protocol": 1}


def test_the_front_page_names_the_routes(server):
    response = server.admin.get("/")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/")
    for method, path in answers.operations():
        assert re.search(rf"^{method.upper()} +{re.escape(path)} ", response.text, re.M), path


def test_the_document_is_the_one_that_is_kept(server):
    assert server.admin.get("/openapi.yaml").text == answers.DOCUMENT.read_text()


# Devices and tokens


def test_a_device_has_the_documented_shape(pushpit):
    server = pushpit("--fleet", "10", "--running-activities", "1")
    for device in server.pages("/v1/devices", "devices"):
        assert set(device) == {
            "id",
            "user",
            "os",
            "online",
            "locked",
            "screenOn",
            "unlockedSinceReboot",
            "dynamicIsland",
            "watch",
            "lowPower",
            "batteryLow",
            "thermalPressure",
            "charging",
            "focus",
            "timeSensitive",
            "standBy",
            "carPlay",
            "mac",
            "clockAhead",
            "allLiveActivities",
            "storedPushes",
            "apps",
        }
        assert re.match(r"^d\d+$", device["id"]) and re.match(r"^\d+\.\d+", device["os"])
        for switch in set(device) - {"id", "user", "os", "clockAhead", "storedPushes", "apps"}:
            assert type(device[switch]) is bool, switch
        for app in device["apps"]:
            assert set(app) == {
                "bundleId",
                "teamId",
                "environment",
                "installed",
                "state",
                "notifications",
                "liveActivities",
                "frequentUpdates",
                "backgroundRefresh",
                "updateBudget",
                "startsLeft",
                "deviceToken",
                "services",
                "pushToStart",
                "activities",
            }
            assert app["installed"] is True and re.match(r"^[0-9a-f]{64}$", app["deviceToken"])
            for starter in app["pushToStart"]:
                assert set(starter) == {"attributesType", "token"}
            for activity in app["activities"]:
                assert set(activity) == {
                    "id",
                    "attributesType",
                    "state",
                    "startedAt",
                    "endedAt",
                    "updateToken",
                    "startedBy",
                    "updatesLeft",
                }
                assert (activity["state"], activity["startedBy"], activity["endedAt"]) == ("active", "fleet", None)
                instant(activity["startedAt"])
        assert server.device(device["id"]) == device


def test_devices_can_be_filtered(server):
    devices = list(server.pages("/v1/devices", "devices"))
    online = list(server.pages("/v1/devices", "devices", online="true"))
    offline = list(server.pages("/v1/devices", "devices", online="false"))
    assert {d["online"] for d in online} == {True}
    assert len(online) + len(offline) == len(devices) == 300
    assert len(list(server.pages("/v1/devices", "devices", app=APP))) == 300
    major = devices[0]["os"].split(".")[0]
    chosen = list(server.pages("/v1/devices", "devices", os=devices[0]["os"]))
    assert devices[0]["id"] in {d["id"] for d in chosen} and {d["os"].split(".")[0] for d in chosen} == {major}


def test_tokens_can_be_filtered_and_have_the_documented_shape(server):
    for kind, topic in (("device", APP), ("pushToStart", APP + LIVE_ACTIVITY)):
        page = server.get("/v1/tokens", kind=kind, app=APP, environment="sandbox", live="true", limit=50)
        assert len(page["tokens"]) == 50
        for row in page["tokens"]:
            expected = {"token", "kind", "device", "app", "topic", "environment", "live", "given"}
            assert set(row) == expected | ({"attributesType"} if kind == "pushToStart" else set())
            assert (row["kind"], row["app"], row["topic"], row["environment"], row["live"], row["given"]) == (
                kind,
                APP,
                topic,
                "sandbox",
                True,
                False,
            )
    assert {t["environment"] for t in server.pages("/v1/tokens", "tokens", app=STORE)} == {"production"}


def test_a_dead_token_is_listed_as_not_live(pushpit):
    server = pushpit("--fleet", "10", "--clock", "manual")
    old = server.token("device")
    server.act(old.device, "uninstall", app=APP)
    server.push(old)
    server.advance("25h")
    assert server.push(old).status == 410
    assert old.text not in {t.text for t in server.tokens("device", live=True)}


@pytest.mark.parametrize("path", ["/v1/devices", "/v1/tokens"])
@pytest.mark.parametrize("limit", [1, 7, 100])
def test_paging_visits_everything_once(pushpit, path, limit):
    server = pushpit("--fleet", "23")
    field = path.rsplit("/", 1)[1]
    seen, cursor, pages = [], None, 0
    while True:
        page = server.get(path, limit=limit, cursor=cursor)
        assert set(page) == {field, "next"}
        assert len(page[field]) <= limit
        seen += [row.get("token") or row["id"] for row in page[field]]
        pages += 1
        cursor = page["next"]
        if cursor is None:
            break
        assert type(cursor) is str and len(page[field]) == limit
    assert len(seen) == len(set(seen))
    assert len(seen) == 23 if field == "devices" else len(seen) >= 46
    assert pages >= len(seen) / limit


def test_a_page_has_100_rows_unless_told_otherwise(server):
    assert len(server.get("/v1/devices")["devices"]) == 100
    assert len(server.get("/v1/devices", limit=1000)["devices"]) == 300


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/devices?limit=0", "limit"),
        ("/v1/devices?limit=1001", "limit"),
        ("/v1/devices?limit=-1", "limit"),
        ("/v1/devices?limit=many", "limit"),
        ("/v1/devices?state=asleep", "state"),
        ("/v1/devices?cursor=nonsense", "cursor"),
        ("/v1/tokens?kind=fax", "kind"),
        ("/v1/tokens?environment=moon", "environment"),
        ("/v1/tokens?live=maybe", "live"),
        ("/v1/tokens?limit=99999999999999999999", "limit"),
        ("/v1/pushes?status=ok", "status"),
        ("/v1/pushes?environment=moon", "environment"),
        ("/v1/pushes?limit=0", "limit"),
    ],
)
def test_an_invalid_query_is_400_naming_the_field(server, path, field):
    assert_error(server.admin.get(path), 400, field=field)


# Actions


def test_the_actions_do_what_they_say(pushpit):
    server = pushpit("--fleet", "40", "--clock", "manual")
    token, activity = server.start_activity()
    device = token.device
    assert server.act(device, "goOffline")["device"]["online"] is False
    assert server.act(device, "goOnline")["device"]["online"] is True
    result = server.act(device, "endActivity", app=APP, activity=activity["id"])
    assert set(result) == {"device", "events"} and result["device"]["id"] == device
    assert type(result["events"]) is list and result["events"]
    gone = next(a for a in server.act(device, "uninstall", app=APP)["device"]["apps"] if a["bundleId"] == APP)
    assert (gone["installed"], gone["deviceToken"], gone["pushToStart"]) == (False, None, [])
    back = next(a for a in server.act(device, "reinstall", app=APP)["device"]["apps"] if a["bundleId"] == APP)
    assert back["installed"] is True and back["deviceToken"]
    assert server.act(device, "reboot")["device"]["id"] == device


def test_an_activity_started_by_command_says_so(server):
    token, activity = server.start_activity()
    assert (activity["state"], activity["startedBy"], activity["attributesType"]) == (
        "active",
        "command",
        "MatchAttributes",
    )
    assert activity["updateToken"] == token.text


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        ({"do": "uninstall", "app": "com.unknown.app"}, (404, 422)),
        ({"do": "fly"}, (400, 422)),
        ({}, (400, 422)),
        ({"do": "endActivity", "app": APP, "activity": "nonsense"}, (404, 422)),
        ({"do": "startActivity", "app": APP, "attributesType": "Unknown"}, (422,)),
        ({"do": "reinstall", "app": APP}, (422,)),
        ({"do": 7}, (400, 422)),
        ([], (400, 422)),
    ],
    ids=[
        "unknown app",
        "unknown action",
        "no action",
        "unknown activity",
        "unknown type",
        "not uninstalled",
        "a number",
        "an array",
    ],
)
def test_an_action_that_is_not_possible_is_refused_with_a_sentence(server, body, statuses):
    device = server.get("/v1/devices", limit=1)["devices"][0]["id"]
    assert_error(server.admin.post(f"/v1/devices/{device}/actions", json=body), *statuses)


def test_an_unknown_device_is_404(server):
    assert_error(server.admin.get("/v1/devices/d999999999"), 404)
    assert_error(server.admin.get("/v1/devices/nonsense"), 404)
    assert_error(server.admin.post("/v1/devices/d999999999/actions", json={"do": "reboot"}), 404)


def test_one_order_reaches_many_devices(pushpit):
    server = pushpit("--fleet", "200", "--clock", "manual")

    def order(do: str, **where) -> dict:
        response = server.admin.post("/v1/actions", json={"do": do, "where": where})
        assert response.status_code == 200, response.text
        assert set(response.json()) == {"done", "refused", "firstRefusal", "next"}
        return response.json()

    def offline() -> set[str]:
        return {d["id"] for d in server.pages("/v1/devices", "devices", online="false")}

    order("goOnline", online=False)
    quarter = order("goOffline", share=0.25, name="tunnel")
    gone = offline()
    assert quarter["refused"] == 0 and quarter["done"] == len(gone) and 25 <= len(gone) <= 75
    assert order("goOffline", share=0.25, name="tunnel")["refused"] == len(gone)
    assert order("goOnline", share=0.25, name="tunnel")["done"] == len(gone) and not offline()
    assert order("goOffline", devices=["d3", "d4"])["done"] == 2 and offline() == {"d3", "d4"}
    assert_error(server.admin.post("/v1/actions", json={"do": "reboot"}), 422, field="where")
    assert_error(
        server.admin.post("/v1/actions", json={"do": "reboot", "where": {"devices": ["d200"]}}), 404, field="devices"
    )


def test_the_log_can_be_filtered_and_paged(pushpit):
    """S25, S26: the processes are those that Apple tells developers to look for, and the failing key is named."""
    server = pushpit("--fleet", "20", "--clock", "manual")
    token, activity = server.start_activity()
    server.advance("1m")
    assert server.push(token, live_activity(timestamp="soon")).verdict == (200, None)
    server.advance("1m")
    assert server.push(token, live_activity(timestamp=server.clock()["unixMilliseconds"] // 1000)).verdict == (
        200,
        None,
    )
    path = f"/v1/devices/{token.device}/log"
    whole = server.get(path, limit=1000)["lines"]
    assert [line["at"] for line in whole] == sorted((line["at"] for line in whole), reverse=True)
    assert list(server.pages(path, "lines", limit=1)) == list(server.pages(path, "lines", limit=3)) == whole
    for process, event in (("apsd", "delivered"), ("liveactivitiesd", "updated"), ("chronod", "rendered")):
        lines = server.get(path, process=process, limit=1000)["lines"]
        assert {line["process"] for line in lines} == {process} and lines == [
            line for line in whole if line["process"] == process
        ]
        assert event in {line["event"] for line in lines} or process == "chronod"
    dropped = [line for line in whole if line["event"] == "dropped"]
    assert [line["cause"] for line in dropped] == ["missing-timestamp"] and dropped[0]["activity"] == activity["id"]
    assert_error(server.admin.get(path + "?process=kernel"), 400, field="process")


# Errors


def test_an_unknown_route_is_404(server):
    for path in ("/v1/nowhere", "/v2/devices", "/healthy", "/v1"):
        assert_error(server.admin.get(path), 404)


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/health"), ("DELETE", "/v1/devices"), ("PUT", "/v1/clock"), ("POST", "/v1/pushes")]
)
def test_a_wrong_method_is_405(server, method, path):
    assert_error(server.admin.request(method, path, json={}), 405)


@pytest.mark.parametrize("body", [b"", b"{", b"nonsense", b"\xff\xfe"])
def test_a_body_that_is_not_json_is_400(server, body):
    response = server.admin.post("/v1/clock", content=body, headers={"content-type": "application/json"})
    assert_error(response, 400)


def raw(server, request: bytes) -> tuple[int, dict]:
    """Sends bytes and reads until the server closes; the answer must be the one shape of errors."""
    with socket.create_connection(address(server.admin_url.removeprefix("http://")), timeout=TIMEOUT) as plain:
        plain.sendall(request)
        answer = b"".join(iter(lambda: plain.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head.lower() and b"connection: close" in head.lower(), answer
    assert f"content-length: {len(body)}".encode() in head.lower(), answer
    problem = json.loads(body)
    assert set(problem) <= {"error", "code", "field", "path"} and len(problem["error"].split()) >= 3
    return int(head.split(b" ")[1]), problem


HOST = b"Host: localhost\r\n"
ORDER = b"POST /v1/clock HTTP/1.1\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status", "word"),
    [
        (ORDER + HOST + b"Content-Length: 1073741824\r\n\r\n", 413, "1048576"),
        (b"QUERY /health HTTP/1.1\r\n" + HOST + b"\r\n", 501, "method"),
        (b"BREW /pot HTTP/1.1\r\n" + HOST + b"\r\n", 501, "method"),
        (b"nonsense\r\n\r\n", 400, "HTTP/1.1"),
        (b"GET /health HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 20_000 + b"\r\n\r\n", 400, "16384"),
        (ORDER + HOST + b"Content-Length: 2\r\nContent-Length: 16\r\n\r\n{}", 400, "one Content-Length"),
        (ORDER + HOST + b"Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 501, "xchunked"),
        (ORDER + HOST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400, ""),
        (b"GET /health HTTP/1.1\r\nHost : localhost\r\n\r\n", 400, "host "),
        (b"GET /health HTTP/1.1\r\nHost: localhost\x00.evil.com\r\n\r\n", 400, "NUL byte"),
        (b"GET /health HTTP/1.1\nHost: localhost\n\n", 400, "CR LF"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n x\r\n\r\n", 400, "next line"),
        (ORDER + HOST + b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n", 400, "hexadecimal"),
    ],
)
def test_what_is_not_http_is_refused_in_the_shape_of_all_errors(server, request_bytes, status, word):
    found, problem = raw(server, request_bytes)
    assert (found, word in problem["error"]) == (status, True), problem
    assert server.get("/health") == {"status": "ok"}


@pytest.mark.parametrize("authority", ["evil.example", "localhost@evil.example", "10.0.0.256:2190"])
def test_a_request_line_for_another_host_is_400(server, authority):
    with socket.create_connection(address(server.admin_url.removeprefix("http://")), timeout=TIMEOUT) as plain:
        plain.sendall(
            f"GET http://{authority}/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
        )
        answer = b"".join(iter(lambda: plain.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 400 ") and authority.encode() in answer


def test_another_content_type_is_415(server):
    """Also what keeps a web page's form from being a command."""
    for content_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        response = server.admin.post("/v1/clock", content=b'{"advance":"1s"}', headers={"content-type": content_type})
        assert_error(response, 415, field="content-type")
        assert_error(server.admin.post("/v1/reset", headers={"content-type": content_type}), 415)
    assert_error(server.admin.post("/v1/clock", content=b'{"advance":"1s"}'), 415)


def test_what_a_browser_says_another_site_has_sent_is_403(server):
    for method, path in (("GET", "/v1/devices"), ("POST", "/v1/reset")):
        headers = {"sec-fetch-site": "cross-site"}
        assert_error(server.admin.request(method, path, headers=headers), 403, field="sec-fetch-site")


# Who may ask


def ask(server, host: str, path: str = "/health", **headers: str) -> int:
    return server.admin.get(path, headers={"host": host} | headers).status_code


def test_only_local_hosts_are_answered(server):
    """A page on the internet may point its own name at 127.0.0.1: its name gives it away."""
    port = server.admin_url.rsplit(":", 1)[1]
    for host in (
        "localhost",
        f"localhost:{port}",
        "127.0.0.1",
        f"127.0.0.1:{port}",
        "[::1]",
        f"[::1]:{port}",
        "LOCALHOST",
        "localhost:1",
    ):
        assert ask(server, host) == 200, host
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "10.0.0.256",
        "127.0.0.1@evil.example",
    ):
        assert ask(server, host) in (403, 421), host


def test_a_request_without_host_is_refused(server):
    with socket.create_connection(address(server.admin_url.removeprefix("http://")), timeout=15) as plain:
        plain.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        status = plain.makefile("rb").readline()
    assert re.match(rb"HTTP/1\.[01] (400|403|421) ", status), status


def test_requests_from_web_pages_elsewhere_are_refused(server):
    for origin in ("https://evil.example", "null", "http://localhost.evil.example", "https://10.0.0.1"):
        response = server.admin.get("/v1/devices", headers={"origin": origin})
        assert_error(response, 403)
        assert not [h for h in response.headers if h.lower().startswith("access-control-")]
    for origin, status in ((server.admin_url, 200), ("http://localhost:3000", 403), ("http://127.0.0.1", 403)):
        response = server.admin.get("/v1/devices", headers={"origin": origin})
        assert response.status_code == status, origin
        assert not [h for h in response.headers if h.lower().startswith("access-control-")]


def test_a_command_from_a_web_page_elsewhere_does_nothing(pushpit):
    server = pushpit("--fleet", "3", "--clock", "manual")
    before = server.clock()
    response = server.admin.post("/v1/clock", json={"advance": "1h"}, headers={"origin": "https://evil.example"})
    assert response.status_code == 403
    assert server.clock()["now"] == before["now"]


# The ledger


def test_a_push_is_recorded_with_everything_asked_and_answered(server):
    token = server.token("device")
    apns_id = "0B0E5E1C-0000-4000-8000-00000000c0de"
    with server.wire() as wire:
        stream = wire.begin(server.headers(token, apns_id=apns_id, priority="5", collapse_id="c"), ALERT)
        answer = wire.answer(stream)
    push = server.get(f"/v1/pushes/{apns_id}")
    assert set(push) == {
        "sequence",
        "receivedAt",
        "environment",
        "connection",
        "stream",
        "request",
        "answer",
        "sent",
        "apnsId",
        "apnsUniqueId",
        "reason",
        "provider",
        "device",
        "app",
        "tokenKind",
        "fault",
        "outcome",
        "causes",
        "fate",
        "final",
        "reaction",
        "content",
        "onScreen",
        "lint",
        "why",
        "story",
    }
    assert (push["environment"], push["stream"], push["apnsId"], push["reason"]) == ("sandbox", stream, apns_id, None)
    assert (push["device"], push["app"], push["tokenKind"]) == (token.device, APP, "device")
    assert push["answer"]["decision"] == "accepted"
    assert push["provider"] == {"keyId": server.key.key_id, "teamId": TEAM}
    request = push["request"]
    assert (request["method"], request["path"]) == ("POST", f"/3/device/{token}")
    assert (request["body"], request["bodyEncoding"], request["bodyBytes"]) == (ALERT.decode(), "utf8", len(ALERT))
    sent = {h["name"]: h["value"] for h in request["headers"]}
    assert (sent["apns-priority"], sent["apns-collapse-id"], sent["apns-topic"]) == ("5", "c", APP)
    assert push["answer"]["status"] == 200 and push["answer"]["body"] == ""
    assert {h["name"]: h["value"] for h in push["answer"]["headers"]}["apns-id"] == apns_id
    assert push["apnsUniqueId"] == answer.header("apns-unique-id")
    assert push["fate"].startswith("Received by APNs")
    instant(push["receivedAt"])


def test_a_provider_token_is_not_shown_whole(server):
    """The ledger is for looking at and pasting into issues; a signature has no business there."""
    answer = server.push(server.first_token())
    assert server.jwt.split(".")[2] not in server.admin.get(f"/v1/pushes/{answer.header('apns-id')}").text


def test_a_body_that_is_not_text_is_base64(server):
    import base64

    answer = server.push(server.first_token(), b"\xff\x00\xfe")
    request = server.recorded(answer)["request"]
    assert (request["bodyEncoding"], base64.b64decode(request["body"]), request["bodyBytes"]) == (
        "base64",
        b"\xff\x00\xfe",
        3,
    )


def test_pushes_come_newest_first_and_can_be_filtered(pushpit):
    server = pushpit("--fleet", "10", "--token-requests-per-second", "0")
    first, second = server.tokens()[:2]
    with server.wire() as wire:
        for token in (first, second, "00" * 32, first):
            server.push(token, wire=wire)
        server.push(first, wire=wire, authorization=None)
    production = server.token("device", STORE, "production")
    server.push(production, environment="production")
    everything = server.pushes()
    assert [p["answer"]["status"] for p in everything] == [200, 403, 200, 400, 200, 200]
    sequences = [p["sequence"] for p in everything]
    assert sequences == sorted(sequences, reverse=True) and len(set(sequences)) == 6
    assert [p["reason"] for p in server.pushes(status=400)] == ["BadDeviceToken"]
    assert [p["answer"]["status"] for p in server.pushes(reason="MissingProviderToken")] == [403]
    assert len(server.pushes(topic=APP)) == 5 and len(server.pushes(environment="production")) == 1
    assert [p["answer"]["status"] for p in server.pushes(device=second.device)] == [200]
    assert [p["sequence"] for p in server.pushes(apnsId=everything[3]["apnsId"])] == [everything[3]["sequence"]]
    assert [p["sequence"] for p in server.pages("/v1/pushes", "pushes")] == sequences
    page = server.get("/v1/pushes", limit=4)
    rest = server.get("/v1/pushes", limit=4, cursor=page["next"])
    assert [p["sequence"] for p in page["pushes"] + rest["pushes"]] == sequences and rest["next"] is None


def test_the_newest_push_of_an_id_is_shown(server):
    apns_id = "11111111-2222-4333-8444-555555555555"
    with server.wire() as wire:
        server.push(server.first_token(), wire=wire, apns_id=apns_id)
        server.push("00" * 32, wire=wire, apns_id=apns_id)
    assert server.get(f"/v1/pushes/{apns_id}")["reason"] == "BadDeviceToken"
    assert len(server.pushes(apnsId=apns_id)) == 2


def test_an_unknown_push_is_404(server):
    assert_error(server.admin.get("/v1/pushes/00000000-0000-0000-0000-000000000000"), 404)


def test_the_ledger_keeps_the_last_n(pushpit):
    server = pushpit("--fleet", "5", "--ledger", "5", "--token-requests-per-second", "0")
    with server.wire() as wire:
        for _ in range(20):
            server.push(server.first_token(), wire=wire)
    assert [p["sequence"] for p in server.pushes()] == [20, 19, 18, 17, 16]


def test_findings_need_the_setting_audit(pushpit):
    assert_error(pushpit("--fleet", "1").admin.get("/v1/findings"), 409)
    assert pushpit("--fleet", "1", "--audit").get("/v1/findings")["findings"] == []


# Metrics


def samples(server) -> dict[tuple, float]:
    response = server.admin.get("/metrics")
    assert response.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = list(text_string_to_metric_families(response.text))
    for family in families:
        assert family.name.startswith("pushpit_") and family.documentation, family.name
        assert family.type != "unknown", family.name
    found = [(s.name, tuple(sorted(s.labels.items())), s.value) for f in families for s in f.samples]
    assert len({f[:2] for f in found}) == len(found), "a sample appears twice"
    return {f[:2]: f[2] for f in found}


def test_metrics_are_good_prometheus_text_and_count_pushes(pushpit):
    server = pushpit("--fleet", "5", "--token-requests-per-second", "0")

    def counted(label: str) -> dict[str, float]:
        """Each counter's sum over the samples that carry this label value."""
        sums: dict[str, float] = {}
        for (name, labels), value in samples(server).items():
            if name.endswith("_total") and label in dict(labels).values():
                sums[name] = sums.get(name, 0) + value
        return sums

    assert not counted("BadDeviceToken") or set(counted("BadDeviceToken").values()) == {0}
    with server.wire() as wire:
        for token in [server.first_token()] * 7 + ["00" * 32] * 3:
            server.push(token, wire=wire)
    assert set(counted("200").values()) == {7}
    assert set(counted("BadDeviceToken").values()) == {3}


def test_counters_never_fall_and_connections_are_gauged(pushpit):
    server = pushpit("--fleet", "5")
    first = samples(server)
    with server.wire() as wire:
        server.push(server.first_token(), wire=wire)
        second = samples(server)
        assert any("connections" in name and second[name, labels] >= 1 for name, labels in second)
    for key, value in first.items():
        if key[0].endswith("_total"):
            assert second[key] >= value


# Connections, troubles, rules


def test_open_connections_are_listed(pushpit):
    server = pushpit("--fleet", "5")
    assert server.get("/v1/connections")["connections"] == []
    with server.wire() as one, server.wire("production") as two:
        server.push(server.first_token(), wire=one)
        two.ping()
        rows = server.get("/v1/connections")["connections"]
        assert sorted(r["environment"] for r in rows) == ["production", "sandbox"]


def test_troubles_say_why_a_client_could_not_connect(pushpit):
    """A wrong CA, HTTP/1.1 and a missing token are each a sentence on the server's side."""
    import ssl

    from wire import client_context

    server = pushpit("--fleet", "5")
    with socket.create_connection(server.address(), timeout=15) as plain:
        with pytest.raises(ssl.SSLCertVerificationError):
            ssl.create_default_context().wrap_socket(plain, server_hostname="localhost")
    with socket.create_connection(server.address(), timeout=15) as plain:
        with client_context(server.ca, alpn=["http/1.1"]).wrap_socket(plain, server_hostname="localhost") as tls:
            tls.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            while tls.recv(4096):
                pass
    server.push(server.first_token(), authorization=None)
    # The first client has not waited until the server had read its alert.
    deadline = time.monotonic() + TIMEOUT
    while len(troubles := server.get("/v1/troubles")["troubles"]) < 3:
        assert time.monotonic() < deadline, troubles
    for trouble in troubles:
        assert {"at", "kind", "peer", "sentence"} <= set(trouble)
        instant(trouble["at"])
    text = " ".join(t["sentence"] for t in troubles)
    assert re.search(r"\bCA\b|certificate", text), text
    assert "HTTP/1.1" in text, text
    assert re.search(r"authorization|provider token", text, re.I), text


# The clock


def test_the_clock_can_be_moved_and_stopped(pushpit):
    server = pushpit("--fleet", "3")
    clock = server.clock()
    assert set(clock) == {"mode", "now", "unixMilliseconds", "offsetMilliseconds", "nextDue"}
    assert (clock["mode"], clock["offsetMilliseconds"]) == ("wall", 0)
    assert abs(instant(clock["now"]).timestamp() * 1000 - clock["unixMilliseconds"]) < 1001
    moved = server.advance("8h")
    assert (moved["mode"], moved["offsetMilliseconds"]) == ("offset", 8 * 3_600_000)
    assert moved["unixMilliseconds"] - clock["unixMilliseconds"] >= 8 * 3_600_000
    still = server.admin.post("/v1/clock", json={"mode": "manual"}).json()
    assert still["mode"] == "manual"
    assert server.clock()["now"] == server.clock()["now"] == still["now"]
    assert server.advance("90s")["unixMilliseconds"] - still["unixMilliseconds"] == 90_000


def test_a_manual_clock_stands_still_from_the_start(pushpit):
    server = pushpit("--fleet", "3", "--clock", "manual")
    assert server.clock()["mode"] == "manual"
    first = server.clock()["now"]
    server.push(server.first_token())
    assert server.clock()["now"] == first


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"advance": "-1h"},
        {"advance": "soon"},
        {"advance": -8},
        {"advance": True},
        {"mode": "sundial"},
        {"advance": ""},
        {"advance": "99999999999999999h"},
    ],
    ids=str,
)
def test_an_invalid_time_is_refused(pushpit, server, body):
    before = server.clock()["mode"]
    assert_error(server.admin.post("/v1/clock", json=body), 400, 422)
    assert server.clock()["mode"] == before == "wall"


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("8h", 28_800_000), ("1h30m", 5_400_000), ("2d", 172_800_000)],
)
def test_durations_are_written_with_their_unit(pushpit, text, milliseconds):
    server = pushpit("--fleet", "1", "--clock", "manual")
    before = server.clock()["unixMilliseconds"]
    assert server.advance(text)["unixMilliseconds"] - before == milliseconds


def test_the_names_of_the_certificate_are_names_of_the_admin_api(pushpit):
    server = pushpit("--fleet", "1", "--host", "0.0.0.0", "--name", "box.test")
    url = server.admin_url.replace("0.0.0.0", "127.0.0.1")
    port = url.rsplit(":", 1)[1]
    for host, status in [("box.test", 200), (f"BOX.test:{port}", 200), ("localhost", 200), ("other.test", 403)]:
        assert httpx.get(url + "/health", headers={"host": host}, trust_env=False).status_code == status, host


def test_out_of_descriptors_the_admin_listener_rests_and_says_so_once(pushpit):
    server = pushpit("--fleet", "1", "--loops", "1")
    own = Path(f"/proc/{server.process.pid}/fd")
    server.admin.get("/health")  # this connection stays open, for asking

    limit = max(int(entry.name) for entry in own.iterdir()) + 4
    resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (limit, limit))
    visitors = [
        socket.create_connection(address(server.admin_url.removeprefix("http://")), timeout=TIMEOUT) for _ in range(20)
    ]
    deadline = time.monotonic() + TIMEOUT
    while not (troubles := server.admin.get("/v1/troubles").json()["troubles"]):
        assert time.monotonic() < deadline, server.log
    for visitor in visitors:
        visitor.close()
    assert server.client().get("/health").status_code == 200
    assert [t["kind"] for t in troubles] == ["outOfDescriptors"]
    assert [t["kind"] for t in server.get("/v1/troubles")["troubles"]] == ["outOfDescriptors"]
    server.stop()
    assert "[warn]" not in server.log
    assert server.log.count("no file descriptors left") == 1


def test_idle_connections_of_the_admin_api_take_no_descriptors_from_pushes(pushpit):
    """A client may open as many as it likes: those beyond the limit are refused, and pushes go on."""
    server = pushpit("--fleet", "1", "--loops", "1")
    token = server.first_token()
    server.admin.get("/health")  # this connection stays open, for asking
    own = Path(f"/proc/{server.process.pid}/fd")
    before = len(list(own.iterdir()))
    admin = address(server.admin_url.removeprefix("http://"))
    visitors = [socket.create_connection(admin, timeout=TIMEOUT) for _ in range(300)]
    poller = select.poll()  # nothing else is sent to them, so one that can be read is refused
    for visitor in visitors:
        poller.register(visitor, select.POLLIN)
    refused = next(visitor for visitor in visitors if visitor.fileno() in dict(poller.poll(TIMEOUT * 1000)))
    limit = int(re.search(r"already has (\d+) connections, the most", refused.recv(4096).decode())[1])
    seats = limit - 1  # beside the one for asking
    assert 0 < seats < 300
    deadline = time.monotonic() + TIMEOUT
    while len(poller.poll(100)) < 300 - seats:
        assert time.monotonic() < deadline, f"{len(poller.poll(0))} are closed"
    while len(list(own.iterdir())) > before + seats:
        assert time.monotonic() < deadline, f"{len(list(own.iterdir()))} descriptors are open, {before} before"
        time.sleep(0.01)
    assert server.push(token).verdict == (200, None)
    assert len(poller.poll(0)) == 300 - seats, "those within the limit stay open"
    troubles = server.admin.get("/v1/troubles").json()["troubles"]
    assert [trouble["kind"] for trouble in troubles] == ["tooManyAdminConnections"]
    for visitor in visitors:
        visitor.close()
    deadline = time.monotonic() + TIMEOUT
    while True:
        if server.client().get("/health").status_code == 200:
            break
        assert time.monotonic() < deadline, server.log


def test_connections_of_the_admin_api_do_not_mind_the_end(pushpit):
    """They are freed before the loop they are in: freed memory is overwritten here, so that its use would show."""
    server = pushpit("--fleet", "1", env={"MALLOC_PERTURB_": "165"})
    visitors = [
        socket.create_connection(address(server.admin_url.removeprefix("http://")), timeout=TIMEOUT) for _ in range(5)
    ]
    for visitor in visitors:
        visitor.sendall(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert visitor.recv(12) == b"HTTP/1.1 200"
    server.stop()
    for visitor in visitors:
        visitor.close()
