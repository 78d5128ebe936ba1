"""A backend with Flask that keeps the cards of a match up to date. With BUG=never_again a push that APNs did not take
is not sent again."""

import json
import os
import queue
import ssl
import threading
import time
from pathlib import Path

import httpx
import jwt
from flask import Flask, request
from werkzeug.serving import make_server

BUG = os.environ.get("BUG")
READY = json.loads(Path(os.environ["PUSHPIT_READY"]).read_text())
KEY = READY["keys"][0]
PATIENCE = 10.0

app = Flask(__name__)
due: queue.Queue[tuple[str, int]] = queue.Queue()
followers: dict[str, int] = {}
trust = ssl.create_default_context(cafile=READY["ca"])
url = f"https://{READY['listeners']['sandbox']}/3/device/"


@app.post("/followers")
def follow() -> tuple[str, int]:
    followers.clear()
    followers[request.json["token"]] = 0
    return "", 204


@app.post("/goals")
def goal() -> tuple[str, int]:
    for token in followers:
        followers[token] += 1
        due.put((token, followers[token]))
    return "", 204


def provider_token() -> str:
    claims = {"iss": KEY["teamId"], "iat": int(time.time())}
    return jwt.encode(claims, Path(KEY["p8"]).read_text(), "ES256", {"kid": KEY["keyId"]})


def work() -> None:
    client = httpx.Client(http2=True, verify=trust, trust_env=False, timeout=2)
    authorization = f"bearer {provider_token()}"
    timestamp = 0
    while True:
        token, home = due.get()
        # A phone ignores what is not newer, and two goals may fall in one second.
        timestamp = max(timestamp + 1, int(time.time()))
        until, pause = time.monotonic() + PATIENCE, 0.02
        while token in followers and time.monotonic() < until:
            aps = {"timestamp": timestamp, "event": "update", "content-state": {"home": home}}
            headers = {
                "authorization": authorization,
                "apns-topic": "com.example.app.push-type.liveactivity",
                "apns-push-type": "liveactivity",
                "apns-priority": "10",
            }
            try:
                answer = client.post(url + token, json={"aps": aps}, headers=headers)
                status = answer.status_code
            except httpx.HTTPError:
                status = None
            if status in (200, 400, 413) or BUG == "never_again":
                break
            if status == 403:
                authorization = f"bearer {provider_token()}"
            time.sleep(pause)
            pause = min(2 * pause, 0.3)


threading.Thread(target=work, daemon=True).start()
server = make_server("127.0.0.1", 0, app, threaded=True)
print(server.port, flush=True)
server.serve_forever()
