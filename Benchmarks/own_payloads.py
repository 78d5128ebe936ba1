"""A load of pushes that all have different payloads, which h2load cannot send: it has one body for all of its requests.

Otherwise it sends what h2load sends: the same fields, 600 bytes, the same number of streams at a time, one write for
all that a read has made room for. But h2load's connections all go through one list of tokens, so that the phones drop
all but the first of eight updates as old; here each connection has tokens of its own, and every update is newer and is
shown.
"""

import json
import selectors
import socket
import ssl
import sys
import time
import urllib.parse
from dataclasses import dataclass
from pathlib import Path

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, ResponseReceived, StreamEnded, StreamReset
from hpack import NeverIndexedHeaderTuple

from bench_common import BODY_BYTES, Load

DEADLINE = 1800
"""Seconds. Under callgrind a push takes about a millisecond."""
READ_BYTES = 1 << 16
TOKENS = 4000
"""Few, so that each phone has already had an update in the part of a run that counts."""
AGENT = "h2load nghttp2/1.52.0"


def payload(number: int, timestamp: int) -> bytes:
    """Differs from every other in its content."""
    aps = {
        "timestamp": timestamp,
        "event": "update",
        "content-state": {"home": 2, "away": 1, "minute": 61, "text": f"{number:08}"},
    }
    size = len(json.dumps({"aps": aps}))
    aps["content-state"]["text"] += "x" * (BODY_BYTES - size)
    return json.dumps({"aps": aps}).encode()


class Client:
    """A client with a connection and its share of the requests: paths and bodies."""

    def __init__(self, address: tuple[str, int], streams: int, requests: list[tuple[str, bytes]], fields: list):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(socket.create_connection(address, timeout=DEADLINE))
        self.socket.setblocking(False)
        self.connection = H2Connection(H2Configuration(client_side=True, header_encoding=None))
        self.connection.initiate_connection()
        self.streams, self.fields = streams, fields
        self.waiting = requests[::-1]
        self.open: set[int] = set()
        self.out = b""
        self.is_ready = False
        self.statuses: list[bytes] = []

    @property
    def is_done(self) -> bool:
        return not self.waiting and not self.open

    def read(self) -> None:
        while True:
            try:
                data = self.socket.recv(READ_BYTES)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            if not data:
                sys.exit(f"the server ended a connection with {len(self.open)} requests open")
            self.is_ready = True
            for event in self.connection.receive_data(data):
                match event:
                    case ResponseReceived():
                        self.statuses.append(dict(event.headers)[b":status"])
                    case DataReceived() if event.flow_controlled_length:
                        self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    case StreamEnded():
                        self.open.discard(event.stream_id)
                    case StreamReset():
                        sys.exit(f"the server reset a stream with {event.error_code}")

    def write(self) -> None:
        most = min(self.streams, self.connection.remote_settings.max_concurrent_streams)
        # The server's SETTINGS come first: they say how many streams it allows.
        while self.is_ready and self.waiting and len(self.open) < most:
            if self.connection.outbound_flow_control_window < BODY_BYTES:
                break
            path, body = self.waiting.pop()
            stream = self.connection.get_next_available_stream_id()
            # As nghttp2's clients do: a path is not added to the compression table.
            headers = [(b":method", b"POST"), NeverIndexedHeaderTuple(b":path", path.encode()), *self.fields]
            self.connection.send_headers(stream, headers)
            self.connection.send_data(stream, body, end_stream=True)
            self.open.add(stream)
        self.out += self.connection.data_to_send()
        while self.out:
            try:
                self.out = self.out[self.socket.send(self.out) :]
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return


@dataclass
class OwnPayloads:
    """Used as a Load is."""

    load: Load

    def run(self, connections: int, streams: int, requests: int, core: int | None = None) -> float:
        base = urllib.parse.urlsplit(self.load.base)
        fields = [
            (b":scheme", b"https"),
            (b":authority", base.netloc.encode()),
            (b"user-agent", AGENT.encode()),
            *(tuple(part.encode() for part in line.split(": ", 1)) for line in self.load.headers[1::2]),
        ]
        paths = [line.removeprefix(self.load.base) for line in Path(self.load.uris).read_text().split()]
        share, now = requests // connections, int(time.time()) + 60
        phones = min(TOKENS, len(paths)) // connections

        def push(place: int, number: int) -> tuple[str, bytes]:
            round_, phone = divmod(number, phones)
            return paths[phones * place + phone], payload(share * place + number, now + round_)

        clients = [
            Client((base.hostname, base.port), streams, [push(place, n) for n in range(share)], fields)
            for place in range(connections)
        ]
        began = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for client in clients:
                client.write()
                selector.register(client.socket, selectors.EVENT_READ, client)
            while not all(client.is_done for client in clients):
                if time.monotonic() > began + DEADLINE:
                    sys.exit(f"not every request was answered within {DEADLINE} s")
                for key, _ in selector.select(timeout=1):
                    client = key.data
                    client.read()
                    client.write()
                    selector.modify(
                        client.socket,
                        selectors.EVENT_READ | (selectors.EVENT_WRITE if client.out else 0),
                        client,
                    )
        statuses = [status for client in clients for status in client.statuses]
        if statuses != [b"200"] * (share * connections):
            sys.exit(f"not every answer of {self.load.base} was 200: {sorted(set(statuses))}")
        for client in clients:
            client.socket.close()
        return len(statuses) / (time.monotonic() - began)
