#!/usr/bin/env python3
"""Measures what viewers of the event stream and a report cost a push: instructions under callgrind, at 8x100.

As instructions.py does, each case runs twice with different numbers of requests, and the difference leaves start-up and
handshakes out. A viewer asks for what the page's inbox asks for.

A viewer gets at most five messages a second with many events, however many pushes there are. Under callgrind there are
fewer pushes than without, so more messages for each of them. So what writing a message costs is measured apart, by a
run that collects nothing else, and counted for five messages a second at 5,000 pushes a second. The rest is for each
push.
"""

import argparse
import http.client
import random
import threading
import urllib.parse
from pathlib import Path

from bench_common import UPDATES, Load, grind, need, pushpit, scratch, update_tokens
from instructions import collected

RATE = 5_000
"""Pushes a second for which the limit is meant, as for the page."""
MESSAGES = 5
"""A second, to one viewer."""
VIEWERS = {"none": 0, "one": 1, "ten": 10, "report": 0}
LIMITS = {"one": 1.02, "ten": 1.4, "report": 1.5}
"""Of a push without viewers."""
WRITING = "*EventStream*write*"
"""The function that writes the messages, as the compiler names it."""


class Viewer(threading.Thread):
    """Reads the stream of the page's inbox and counts its messages."""

    def __init__(self, admin: str):
        super().__init__(daemon=True)
        self.messages = 0
        self.connection = http.client.HTTPConnection(urllib.parse.urlsplit(admin).netloc, timeout=600)
        self.connection.request("GET", "/v1/events?types=push,fate")
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        while self.answer.readline() != b"event: begin\n":
            pass
        self.start()

    def run(self) -> None:
        try:
            for line in self.answer:
                self.messages += line.startswith(b"event: ")
        except (OSError, http.client.HTTPException):
            pass  # The server has ended.


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--small", type=int, default=4_000, help="requests of the smaller run (default 4000)")
    parse.add_argument("--large", type=int, default=24_000, help="requests of the larger run (default 24000)")
    parse.add_argument("--fleet", type=int, default=2_000)
    parse.add_argument("--cases", nargs="+", choices=VIEWERS, default=list(VIEWERS))
    parse.add_argument("--keep", type=Path, help="folder to keep callgrind's profiles in")
    arguments = parse.parse_args()
    need("h2load", "valgrind")
    span = arguments.large - arguments.small
    with scratch() as name:
        folder = Path(name)
        profiles = arguments.keep or folder
        profiles.mkdir(parents=True, exist_ok=True)
        flags = {**UPDATES, "fleet": arguments.fleet}
        with pushpit(folder / "state", **flags) as server:
            tokens = [token for token, _ in update_tokens(server)]
        random.Random(1).shuffle(tokens)

        def run(case: str, requests: int, *collecting: str) -> tuple[int, int]:
            out = f"{case}{len(collecting)}-{requests}"
            report = folder / "report.html" if case == "report" else None
            before = grind(profiles, out, *collecting)
            with pushpit(folder / "state", **flags, report=report, before=before, timeout=600) as server:
                viewers = [Viewer(server.url) for _ in range(VIEWERS[case])]
                Load.of(folder, server, tokens).run(8, 100, requests, None)
            for viewer in viewers:
                viewer.join(60)
            return collected(profiles, out), sum(viewer.messages for viewer in viewers)

        cost: dict[str, float] = {}
        messages: dict[str, float] = {}
        for case in arguments.cases:
            small, large = run(case, arguments.small), run(case, arguments.large)
            cost[case], messages[case] = ((large[place] - small[place]) / span for place in (0, 1))
        written, count = run("one", arguments.large, f"--toggle-collect={WRITING}")
    raise SystemExit(0 if tell(cost, messages, written / count) else 1)


def tell(cost: dict[str, float], messages: dict[str, float], writing: float) -> bool:
    """Prints the results; returns whether the limits were kept."""
    plain = cost["none"]
    print(f"instructions per request at 8x100, 600-byte body: {plain:,.0f} with nobody watching")
    print(f"writing a message: {writing:,.0f}")
    kept = True
    for case, limit in LIMITS.items():
        if case not in cost:
            continue
        more = cost[case] - plain
        line = f"  {case:>6} {cost[case]:>10,.0f} with {messages[case]:.4f} messages each"
        if VIEWERS[case]:
            looking = more - messages[case] * writing
            more = looking + VIEWERS[case] * MESSAGES / RATE * writing
            line += f", {looking:,.0f} besides writing; {plain + more:,.0f} at {RATE:,} pushes a second"
        ratio = 1 + more / plain
        kept = kept and ratio <= limit
        print(f"{line}: {ratio:.3f} of none, limit {limit} {'kept' if ratio <= limit else 'BROKEN'}")
    return kept


if __name__ == "__main__":
    main()
