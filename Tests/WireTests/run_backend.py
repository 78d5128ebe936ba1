"""A backend as small as one can be, for `pushpit run` to start: it takes what apps report, receives the time, and
pushes over HTTP/2 to every device it knows. Its words say what is wrong with it."""

import http.server
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import httpx

from provider_tokens import ProviderKey

WRONG = set(sys.argv[1:])
READY = json.loads(Path(os.environ["PUSHPIT_READY"]).read_text())
KEY = READY["keys"][-1 if "last-key" in WRONG else 0]
SIGNER = ProviderKey(Path(KEY["p8"]), KEY["keyId"], KEY["teamId"])


def say(*words) -> None:
    """A line in one piece: requests are answered on threads of their own."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


KEEPS = next((Path(word.removeprefix("keeps=")) for word in WRONG if word.startswith("keeps=")), None)
"""The file of the tokens, for a backend that persists."""
AGAIN = KEEPS is not None and KEEPS.exists()
CERTIFICATE = next((word.removeprefix("certificate=") for word in WRONG if word.startswith("certificate=")), None)
"""The PEM file of a provider that uses no keys."""


class Backend:
    def __init__(self):
        # A story without a tick tells no time.
        self.now = float(os.environ.get("PUSHPIT_NOW") or time.time())
        self.lock = threading.Lock()
        self.tokens: dict[str, str] = json.loads(KEEPS.read_text()) if AGAIN else {}
        context = ssl.create_default_context(cafile=READY["ca"])
        if CERTIFICATE:
            context.load_cert_chain(CERTIFICATE)
        self.client = httpx.Client(http2=True, verify=context, timeout=30)
        self.token, self.stamped = "", 0.0
        self.refuses = 3 if "late" in WRONG else 0
        self.sends = True

    def keep(self, device: str, token: str) -> None:
        with self.lock:
            self.tokens[device] = token
            if KEEPS:
                KEEPS.write_text(json.dumps(self.tokens))

    def reset(self, now: float) -> None:
        """Another play begins, with another Pushpit."""
        global READY, AGAIN
        AGAIN = False
        if KEEPS:
            KEEPS.unlink(missing_ok=True)
        READY = json.loads(Path(os.environ["PUSHPIT_READY"]).read_text())
        self.client.close()
        self.__init__()
        self.now = now

    def authorization(self) -> str:
        """Stamped by the clock it is told, where it is told to be."""
        clock = self.now if "world-tokens" in WRONG else time.time()
        if not self.token or (clock - self.stamped > 2400 and "keeps-jwt" not in WRONG):
            self.token, self.stamped = SIGNER.token({}, {"iat": int(clock)}), clock
        return f"bearer {self.token}"

    def push(self) -> None:
        for token in list(self.tokens.values()):
            headers = {"apns-topic": "com.example.app", "apns-push-type": "alert"}
            if not CERTIFICATE:
                headers["authorization"] = self.authorization()
            try:
                answer = self.client.post(
                    f"https://{READY['listeners']['sandbox']}/3/device/{token}",
                    headers=headers,
                    content=json.dumps({"aps": {"alert": "Hello" if "greets" in WRONG else f"It is {self.now:.0f}"}}),
                )
            except httpx.TransportError as why:
                if not CERTIFICATE:
                    raise
                say("pushed", "failed", why)
            else:
                say("pushed", answer.status_code, answer.text)
                if "dies-at-429" in WRONG and answer.status_code == 429:
                    os._exit(7)
                if "hangs-at-429" in WRONG and answer.status_code == 429:
                    time.sleep(30)


BACKEND = Backend()


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def do_GET(self):
        BACKEND.refuses -= 1
        self.answer(503 if BACKEND.refuses >= 0 or "never-ready" in WRONG else 204)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if self.path == "/reset":
            say("reset", json.dumps(body))
            BACKEND.reset(body["now"])
            return self.answer(500 if "no-reset" in WRONG else 204)
        if self.path != "/tick":
            say("report", self.path, json.dumps(body))
            BACKEND.keep(body["device"], body["token"])
            return self.answer(204)
        say("tick", body["now"])
        BACKEND.now = body["now"]
        if "dies" in WRONG:
            say("a last word")
            os._exit(7)
        if "hangs" in WRONG:
            time.sleep(30)
        if "pushes" in WRONG:
            BACKEND.push()
        self.answer(500 if "fails" in WRONG else 204)

    def log_message(self, *_):
        pass


if "dies-again" in WRONG and AGAIN:
    sys.exit(5)
if "stubborn" in WRONG:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "unruly" in WRONG:
    # A child that ignores SIGTERM although its parent obeys.
    ignore = partial(signal.signal, signal.SIGTERM, signal.SIG_IGN)
    say("child", subprocess.Popen(["sleep", "600"], preexec_fn=ignore).pid)
if "family" in WRONG:
    say("child", subprocess.Popen(["sleep", "600"]).pid)
say("begins", os.environ.get("PUSHPIT_NOW", "-"), "words", *sys.argv[1:], "pid", os.getpid())
http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
