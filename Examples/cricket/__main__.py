"""The backend by itself, in real time: point it at Pushpit or, with your own key, at Apple."""

import argparse
import asyncio
import json
import logging
import signal
import sys
from pathlib import Path

from cricket.backend import Backend
from cricket.bugs import Bugs, listed
from cricket.clock import RealClock
from cricket.match import Feed, Match
from cricket.push import Gateway


def arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m cricket", description=__doc__)
    parser.add_argument("--pushpit", type=Path, metavar="FILE", help="the line that `pushpit serve` printed, or - for standard input")
    parser.add_argument("--port", type=int, default=8080, help="of the HTTP API (%(default)s)")
    parser.add_argument("--database", default=":memory:", metavar="FILE")
    parser.add_argument("--bundle-id", default="com.sightscreen.app")
    parser.add_argument("--starts-in", type=float, default=60, metavar="SECONDS", help="until the first ball (%(default)s)")
    parser.add_argument("--overs", type=int, default=20)
    parser.add_argument("--bug", action="append", default=[], metavar="NAME", help="bring back a real bug; repeatable")
    parser.add_argument("--list-bugs", action="store_true")
    return parser.parse_args(argv)


def gateway(ready: dict, bundle_id: str, environment: str = "sandbox") -> Gateway:
    """From the line that Pushpit prints when it is ready."""
    host, _, port = ready["listeners"][environment].rpartition(":")
    key = ready["keys"][0]
    return Gateway(host, int(port), Path(key["p8"]).read_text(), key["keyId"], key["teamId"], bundle_id, Path(ready["ca"]))


async def serve(options: argparse.Namespace, bugs: Bugs) -> None:
    text = sys.stdin.readline() if str(options.pushpit) == "-" else options.pushpit.read_text()
    clock = RealClock()
    feed = Feed([Match("m1", ("MI", "CSK"), clock.now() + options.starts_in, overs=options.overs)])
    async with Backend(gateway(json.loads(text), options.bundle_id), feed, clock, bugs, options.database, port=options.port) as backend:
        print(f"listening on {backend.url}", file=sys.stderr)
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, backend.orchestrator.stop)
        await backend.orchestrator.run()


def main(argv: list[str]) -> int:
    options = arguments(argv)
    if options.list_bugs:
        print(listed())
        return 0
    if options.pushpit is None:
        print("--pushpit is missing: the file with the line that `pushpit serve` printed", file=sys.stderr)
        return 2
    try:
        bugs = Bugs.named(options.bug)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    asyncio.run(serve(options, bugs))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
