"""docs/admin-api.md, and the requests that docs/features.md and docs/first-push.md name within their sentences."""

import json
import re
import subprocess

import httpx
import pytest

import guides


def orders() -> list[tuple[str, str]]:
    """Each JSON body that the table of the admin API shows, with the path of its row."""
    rows = re.findall(r"^\| ([^|]*`POST [^|]*) \| (.*) \|$", guides.read("docs/admin-api.md"), re.M)
    return [
        (re.search(r"`POST ([^`]+)`", route)[1], body)
        for route, words in rows
        for body in re.findall(r"`(\{[^`]*\})`", words)
    ]


@pytest.mark.parametrize("path, body", orders())
def test_orders_shown_in_the_table_are_taken(pushpit, path, body):
    server = pushpit("--fleet", "100")
    response = server.admin.post(path, content=body, headers={"content-type": "application/json"})
    assert response.status_code == 200, response.text
    if "share" in body:
        assert 1 <= response.json()["done"] <= 30


def test_there_are_orders_to_try():
    assert {"/v1/actions", "/v1/devices/d0/actions"} <= {path for path, _ in orders()}


def test_routes_named_in_the_table_answer(server):
    table = guides.read("docs/admin-api.md")
    routes = [r for r in re.findall(r"`(?:GET )?(/[a-z0-9/{}\-]*)`", table) if "{" not in r]
    assert len(routes) >= 8
    for route in routes:
        assert httpx.get(server.admin_url + route).status_code == 200, route


def inline_curls() -> list[str]:
    return re.findall(r"`(curl [^`]+)`", guides.read("docs/features.md") + guides.read("docs/first-push.md"))


@pytest.mark.parametrize("command", inline_curls())
def test_curl_lines_shown_succeed(pushpit, command):
    server = pushpit("--fleet", "3")
    answer = server.push(server.token("device"))
    command = command.replace("http://127.0.0.1:2190", server.admin_url).replace("<apns-id>", answer.header("apns-id"))
    done = subprocess.run(["bash", "-c", command + " -sS -f"], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_there_are_requests_to_send():
    assert len(inline_curls()) >= 2
