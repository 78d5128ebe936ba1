"""The backend by itself, in real time: point it at Pushpit or, with your own key, at Apple."""

import argparse
import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cricket.backend import Backend, bound
from cricket.bugs import Bugs, listed
from cricket.child import Surroundings, Ticker
from cricket.clock import HeldClock, RealClock
from cricket.match import INNINGS_BREAK, Feed, Match
from cricket.push import ANSWER_WITHIN, Gateway, Mistake


class UnknownKey(Exception):
    pass


def span(text: str) -> tuple[float, float]:
    begins, _, ends = text.partition("-")
    try:
        if float(begins) < float(ends):
            return float(begins), float(ends)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"{text!r} must be two numbers of seconds, the smaller first, such as 120-240")


def wrong_key(text: str) -> tuple[str, float, float]:
    key_id, _, seconds = text.partition(":")
    if not key_id or not seconds:
        raise argparse.ArgumentTypeError(f"{text!r} must be the id of a key and seconds, such as ABCDE12345:120-240")
    return key_id, *span(seconds)


def arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m cricket", description=__doc__)
    parser.add_argument(
        "--pushpit", type=Path, metavar="FILE", help="the line that `pushpit serve` printed, or - for standard input"
    )
    parser.add_argument("--port", type=int, default=8080, help="of the HTTP API (%(default)s)")
    parser.add_argument("--database", default=":memory:", metavar="FILE")
    parser.add_argument("--bundle-id", default="com.sightscreen.app")
    parser.add_argument(
        "--starts-in", type=float, default=60, metavar="SECONDS", help="until the first ball (%(default)s)"
    )
    parser.add_argument("--overs", type=int, default=20)
    parser.add_argument("--no-rain", action="store_true")
    parser.add_argument("--innings-break", type=float, default=INNINGS_BREAK, metavar="SECONDS", help="(%(default)s)")
    parser.add_argument(
        "--answer-within",
        type=float,
        default=ANSWER_WITHIN,
        metavar="SECONDS",
        help="before a connection that is silent is given up (%(default)s)",
    )
    parser.add_argument(
        "--child",
        action="store_true",
        help="started by `pushpit run`: the environment says where Pushpit "
        "and the port are, POST /tick what time it is",
    )
    parser.add_argument(
        "--wrong-gateway",
        type=span,
        metavar="FROM-TO",
        help="push to production between these seconds, whatever the tokens are for",
    )
    parser.add_argument(
        "--wrong-key", type=wrong_key, metavar="ID:FROM-TO", help="sign with that key between these seconds"
    )
    parser.add_argument("--broadcast", action="store_true", help="a channel for each match; its cards have no tokens")
    parser.add_argument("--bug", action="append", default=[], metavar="NAME", help="bring back a real bug; repeatable")
    parser.add_argument("--list-bugs", action="store_true")
    return parser.parse_args(argv)


def gateway(ready: dict, bundle_id: str, environment: str = "sandbox", key_id: str | None = None) -> Gateway:
    """From the line that Pushpit prints when it is ready."""
    host, _, port = ready["listeners"][environment].rpartition(":")
    key = next((key for key in ready["keys"] if key_id in (None, key["keyId"])), None)
    if key is None:
        known = ", ".join(key["keyId"] for key in ready["keys"])
        raise UnknownKey(f"--wrong-key: Pushpit has no key {key_id}; it has {known}")
    channels = ready["listeners"]["channels" if environment == "sandbox" else "productionChannels"]
    return Gateway(
        host,
        int(port),
        Path(key["p8"]).read_text(),
        key["keyId"],
        key["teamId"],
        bundle_id,
        Path(ready["ca"]),
        int(channels.rpartition(":")[2]),
    )


def others(ready: dict, bundle_id: str) -> dict[str, Gateway]:
    """Builds from TestFlight and the App Store have tokens of production, those from Xcode of the sandbox."""
    return {"production": gateway(ready, bundle_id, "production")}


def mistakes(options: argparse.Namespace, ready: dict) -> list[Mistake]:
    found = []
    if options.wrong_gateway:
        found.append(Mistake(gateway(ready, options.bundle_id, "production"), *options.wrong_gateway))
    if options.wrong_key:
        key_id, *seconds = options.wrong_key
        found.append(Mistake(gateway(ready, options.bundle_id, key_id=key_id), *seconds))
    return found


def fixture(options: argparse.Namespace, now: float, seed: int = 1) -> Feed:
    return Feed(
        [
            Match(
                "m1",
                ("MI", "CSK"),
                now + options.starts_in,
                seed,
                options.overs,
                not options.no_rain,
                options.innings_break,
            )
        ]
    )


def on_signals(stop: Callable[[], None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop)


async def serve(options: argparse.Namespace, bugs: Bugs) -> None:
    text = sys.stdin.readline() if str(options.pushpit) == "-" else options.pushpit.read_text()
    ready, clock = json.loads(text), RealClock()
    async with Backend(
        gateway(ready, options.bundle_id),
        fixture(options, clock.now()),
        clock,
        bugs,
        options.database,
        port=options.port,
        answer_within=options.answer_within,
        others=others(ready, options.bundle_id),
        mistakes=mistakes(options, ready),
        broadcasts=options.broadcast,
    ) as backend:
        print(f"listening on {backend.url}", file=sys.stderr)
        on_signals(backend.orchestrator.stop)
        await backend.orchestrator.run()


async def serve_child(options: argparse.Namespace, bugs: Bugs, around: Surroundings | None) -> None:
    listener, plays = bound(around.port), asyncio.Queue()
    on_signals(partial(plays.put_nowait, None))
    while around is not None:
        clock = HeldClock(around.now)
        backend = Backend(
            gateway(around.ready, options.bundle_id),
            fixture(options, around.now, around.seed),
            clock,
            bugs,
            options.database,
            clock.now,
            listener=listener.dup(),
            answer_within=options.answer_within,
            others=others(around.ready, options.bundle_id),
            mistakes=mistakes(options, around.ready),
            broadcasts=options.broadcast,
        )
        ticker = Ticker(backend, clock, plays)
        async with backend:
            print(f"listening on {backend.url}", file=sys.stderr)
            around = await plays.get()
            await ticker.stop()


def main(argv: list[str]) -> int:
    options = arguments(argv)
    if options.list_bugs:
        print(listed())
        return 0
    try:
        bugs = Bugs.named(options.bug)
        around = Surroundings.read(os.environ) if options.child else None
        if around is None and options.pushpit is None:
            raise ValueError("--pushpit is missing: the file with the line that `pushpit serve` printed")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    try:
        asyncio.run(serve_child(options, bugs, around) if around else serve(options, bugs))
    except UnknownKey as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
