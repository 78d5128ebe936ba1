"""The event stream of the admin API."""

import json
import time
from contextlib import contextmanager

from wire import TIMEOUT


class Reader:
    """Reads messages of a stream as a browser does (HTML standard, section 9.2.6)."""

    def __init__(self, response):
        self.lines = response.iter_lines()

    def message(self) -> dict:
        fields = {}
        for line in self.lines:
            if line.startswith(":"):
                fields["comment"] = True
            elif ": " in line:
                name, value = line.split(": ", 1)
                fields[name] = value
            if line == "" and ("data" in fields or "comment" in fields):
                if "data" in fields:
                    fields["data"] = json.loads(fields["data"])
                return fields
        raise AssertionError("the stream has ended")

    def until(self, *events: str) -> dict:
        while True:
            message = self.message()
            if message.get("event") in events:
                return message


@contextmanager
def watching(server, headers=None, **query):
    with server.admin.stream("GET", "/v1/events", params=query, headers=headers, timeout=20) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"] == "text/event-stream"
        yield Reader(response)


def after_events(server, look, what: str = "what was expected", **query):
    """Looks now and after each event of the stream, until it sees something true; returns that."""
    deadline = time.monotonic() + TIMEOUT
    with watching(server, **query) as reader:
        reader.until("begin")
        while not (seen := look()):
            assert time.monotonic() < deadline, f"{what} did not come; at last it was {seen!r}"
            reader.message()
        return seen
