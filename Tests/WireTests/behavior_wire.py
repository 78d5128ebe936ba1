"""The provider of a row of Tests/WireTests/behavior: its connections, keys, certificates and requests.

    {push: d0, kind: voip, …}                      # to the newest token of that kind; starts: `which: TYPE`
    {token: "00", …}                               # or to any text; `write: base64` spells a token in another way
    {request: POST /1/apps/…/channels, to: channels, keep: {match: apns-channel-id}, …}     # then {{match}} is its id
    {take: d0, kind: update, as: token}            # keeps the token that a phone has now

A request goes to the listener `to` (sandbox), on a connection of its own or `on` one with a name, with a provider token
of the settings' `key`, with `provider: {iat: -61m}` as its changes, or with the `certificate` that these arguments of
`pushpit certs provider` make. A header with a list is repeated. It is sent so many `times`, or all at once: `burst`.

Its answer must have `status` (200), `reason` and what `shows` says of headers and body. `announces` are the settings of
the server's frames, `refuses` the streams of a burst that are refused, `reset` the end of the stream; `goaway` comes
after the answer, `greeting` instead of one, and `handshake` is in what openssl says of a connection that fails.
"""

import base64
import json
import re
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import program
from program import APP, Pushpit, Token
from provider_tokens import ABSENT, ProviderKey
from wire import REFUSED_STREAM, TIMEOUT, Answer, Wire, client_context

SUFFIXES = {
    "pushToStart": (".push-type.liveactivity", "liveactivity"),
    "update": (".push-type.liveactivity", "liveactivity"),
    "voip": (".voip", "voip"),
    "widgets": (".push-type.widgets", "widgets"),
    "controls": (".push-type.controls", "controls"),
    "location": (".location-query", "location"),
    "pushToTalk": (".voip-ptt", "pushtotalk"),
    "complication": (".complication", "complication"),
    "fileProvider": (".pushkit.fileprovider", "fileprovider"),
}
"""The suffix of the topic and the push type for the tokens of each kind."""

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
MOMENT = re.compile(r"\{\{time\.unix(?: ([+-]) (\d+)([smhd]))?\}\}")
NAME = re.compile(r"\{\{([a-z]+)\}\}")
LENGTH = re.compile(r"\{\{(\d+) bytes\}\}")
TIMES = {"now as a fraction": time.time, "now as a string": lambda: str(int(time.time()))}
NOTATIONS = {
    "upper case": str.upper,
    "description": lambda text: "<" + " ".join(text[i : i + 8] for i in range(0, len(text), 8)) + ">",
    "base64": lambda text: base64.b64encode(bytes.fromhex(text)).decode(),
    "hex of hex": lambda text: text.encode().hex(),
}
"""The notations of a device token that senders use."""
MADE: dict[tuple[Path, str], Path] = {}
"""Certificates by the state folder of their server, and by how they were made."""


@dataclass
class Provider:
    """The requests of a row: connections that it names stay open until its end, and what it keeps has a name."""

    server: Pushpit
    connections: dict[str, Wire] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    """Provider tokens, by what is changed in them."""

    def __enter__(self) -> "Provider":
        return self

    def __exit__(self, *_) -> None:
        for wire in self.connections.values():
            wire.close()

    # What is sent

    PUSH = {"push", "token", "kind", "which", "app", "topic", "type", "write"}
    BOTH = {"headers", "payload", "raw", "bytes", "provider", "key", "form", "bearer", "certificate", "to", "on"}
    BOTH |= {"times", "burst", "status", "reason", "reset", "refuses", "announces", "keep", "shows", "goaway"}
    BOTH |= {"greeting", "handshake"}
    """Keys of a push, and of a push as of another request."""

    def push(self, request: dict) -> None:
        check_keys(request, self.PUSH | self.BOTH)
        kind, app = request.get("kind", "device"), request.get("app", APP)
        suffix, push_type = SUFFIXES.get(kind, ("", "alert"))
        topic = request.get("topic", app + suffix)
        text = self.filled(request["token"]) if "token" in request else self.newest(request["push"], request)
        text = NOTATIONS[request["write"]](text) if "write" in request else text
        token = Token(text, {"device": request.get("push"), "app": app, "topic": topic})
        headers = self.server.headers(token, self.jwt(request), push_type=request.get("type", push_type))
        self.send(request, dict(headers) | {"apns-topic": topic}, b"{}")

    def request(self, request: dict) -> None:
        """A broadcast, or a request about channels."""
        check_keys(request, {"request"} | self.BOTH)
        method, path = request["request"].split()
        headers = {":method": method, ":scheme": "https", ":authority": "localhost", ":path": path}
        self.send(request, headers | {"authorization": f"bearer {self.jwt(request) or self.server.jwt}"}, None)

    def take(self, request: dict) -> None:
        """Keeps the token that a phone has now."""
        check_keys(request, {"take", "kind", "which", "app", "as"})
        self.kept[request["as"]] = self.newest(request["take"], request)

    def newest(self, device: str, request: dict) -> str:
        """The newest token of that kind, or the push-to-start token of that attributes type."""
        kind, app, which = request.get("kind", "device"), request.get("app", APP), request.get("which")
        if which:
            starts = self.server.install(device, app)["pushToStart"]
            return next(start["token"] for start in starts if start["attributesType"] == which)
        found = [token.text for token in self.server.each_token(kind, app, None) if token.device == device]
        assert found, f"{device} has no token of {app} of the kind {kind}"
        return found[-1]

    def send(self, request: dict, usual: dict, empty: bytes | None) -> None:
        fields = usual | self.filled(request.get("headers", {}))
        if "certificate" in request and "authorization" not in request.get("headers", {}):
            del fields["authorization"]
        if scheme := request.get("bearer"):
            fields["authorization"] = scheme + fields["authorization"].removeprefix("bearer")
        each = {name: value if isinstance(value, list) else [value] for name, value in fields.items()}
        headers = [(name, str(text)) for name, texts in each.items() for text in texts if text is not None]
        body = self.body(request, empty)
        for number in range(request.get("times", 1)):
            self.send_once(request, headers, body, is_last=number == request.get("times", 1) - 1)

    def body(self, request: dict, empty: bytes | None) -> bytes | None:
        if "bytes" in request:
            return program.padded(request["bytes"]) if request["bytes"] else None
        if "raw" in request:
            return self.filled(request["raw"]).encode()
        return json.dumps(self.filled(request["payload"])).encode() if "payload" in request else empty

    def send_once(self, request: dict, headers: list, body: bytes | None, is_last: bool) -> None:
        if "handshake" in request:
            return self.check_handshake(request)
        name = request.get("on")
        wire = self.connections.get(name) or self.connect(request)
        if name:
            self.connections[name] = wire
        try:
            if "greeting" in request:
                self.check_goaway(request["greeting"], wire)
            elif "burst" in request:
                self.burst(request, headers, body, wire)
            else:
                answer = wire.request(headers, body)
                if is_last:
                    self.check(request, answer, wire)
        finally:
            if not name:
                wire.close()

    @staticmethod
    def burst(request: dict, headers: list, body: bytes, wire: Wire) -> None:
        """Opens many requests before anything from the server is read, and ends them later."""
        streams = [wire.open(headers) for _ in range(request["burst"])]
        wire.ping()
        for stream in streams:
            wire.body(stream, body)
        answers = [wire.answer(stream) for stream in streams]
        refused = [answer for answer in answers if answer.reset == REFUSED_STREAM]
        assert len(refused) == request["refuses"], len(refused)
        assert all(answer.verdict == (200, None) for answer in answers if answer.reset is None)

    def connect(self, request: dict) -> Wire:
        context = None
        if (certificate := request.get("certificate")) is not None:
            context = client_context(self.server.ca, certificate=self.certificate(certificate))
        return self.server.wire(request.get("to", "sandbox"), context=context)

    # What comes back

    def check(self, request: dict, answer: Answer, wire: Wire) -> None:
        if request.get("reset"):
            assert answer.reset is not None, answer
            return
        wanted = request.get("status", 200), request.get("reason")
        # Channels are listed with 200 and a body.
        assert (answer.status, answer.reason if answer.status >= 400 else None) == wanted, (request, answer)
        for name, text in request.get("keep", {}).items():
            self.kept[name] = answer.header(text)
        for name, pattern in request.get("shows", {}).items():
            value = answer.body.decode() if name == "body" else answer.header(name)
            found = value is None if pattern is None else re.search(self.filled(pattern, re.escape), value or "")
            assert found, (name, pattern, value)
        if "announces" in request:
            wire.ping()
            names = {name for settings in request["announces"] for name in settings}
            told = [{name: value for name, value in one.items() if name in names} for one in wire.server_settings()]
            assert told == request["announces"], told
        if "goaway" in request:
            self.check_goaway(request["goaway"], wire)

    @staticmethod
    def check_goaway(pattern: str, wire: Wire) -> None:
        wire.until_closed()
        assert wire.goaway and re.fullmatch(pattern, wire.goaway.additional_data.decode()), wire.goaway

    def check_handshake(self, request: dict) -> None:
        """Looks for the alert that ends the client's handshake."""
        host, port = self.server.address(request.get("to", "sandbox"))
        pem = self.certificate(request["certificate"])
        words = ["openssl", "s_client", "-connect", f"{host}:{port}", "-CAfile", str(self.server.ca), "-ign_eof"]
        words += ["-servername", "localhost", "-cert", str(pem), "-key", str(pem)]
        done = subprocess.run(words, input="", capture_output=True, text=True, timeout=TIMEOUT)
        assert request["handshake"] in done.stderr, done.stderr

    # Keys, certificates and times

    def jwt(self, request: dict) -> str | None:
        """A provider token with some claims and headers changed, the same for the same changes; None for the usual."""
        changed = {name: request[name] for name in ("provider", "key", "form") if name in request}
        if not changed:
            return None
        if isinstance(text := request.get("provider"), str):
            return text
        name = json.dumps(changed)
        if name not in self.tokens:
            self.tokens[name] = self.sign(request)
        return self.tokens[name]

    def sign(self, request: dict) -> str:
        key = self.key(request.get("key"))
        if request.get("form") == "a2":
            return key.a2_token()
        values = {name: ABSENT if value is None else value for name, value in request.get("provider", {}).items()}
        if isinstance(at := values.get("iat"), str):
            values["iat"] = TIMES[at]() if at in TIMES else int(time.time()) + int(at[:-1]) * UNITS[at[-1]]
        header = {name: values.pop(name) for name in ("alg", "kid", "typ", "crit") if name in values}
        return key.token(header, values, request.get("form", "raw"))

    def key(self, identifier: str | None) -> ProviderKey:
        row = next(row for row in self.server.ready["keys"] if identifier in (None, row["keyId"]))
        return ProviderKey(Path(row["p8"]), row["keyId"], row["teamId"])

    def certificate(self, words: str) -> Path:
        """The certificate that `pushpit certs provider` made with these arguments, and registered."""
        state = self.server.state
        if (state, words) not in MADE:
            done = program.run("certs", "provider", *words.split(), "--state", str(state), home=self.server.home)
            assert done.returncode == 0, done.stderr
            MADE[state, words] = Path(next(line for line in done.stdout.splitlines() if line.endswith(".pem")))
        return MADE[state, words]

    def filled(self, value, write: Callable[[str], str] = str):
        """The value with times for `{{time.unix + 5m}}`, with what was kept, and with long texts."""
        if isinstance(value, dict):
            return {key: self.filled(inner, write) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner, write) for inner in value]
        if not isinstance(value, str):
            return value
        now = self.server.clock()["unixMilliseconds"] // 1000
        if whole := MOMENT.fullmatch(value):
            return moment(whole, now)
        text = MOMENT.sub(lambda match: str(moment(match, now)), value)
        text = LENGTH.sub(lambda match: "x" * int(match[1]), text)
        return NAME.sub(lambda match: write(self.kept[match[1]]), text)


def moment(match: re.Match, now: int) -> int:
    return now + int(f"{match[1] or '+'}{match[2] or 0}") * UNITS[match[3] or "s"]


def check_keys(request: dict, keys: set[str]) -> None:
    assert set(request) <= keys, f"no such keys: {set(request) - keys}"
