#!/usr/bin/env python3
"""Instructions per request by callgrind: a number that does not drift with the machine.

Each server runs twice under valgrind, with two numbers of requests; the difference divided by the difference of the
counts leaves start-up, handshakes and the one signature check out. All of it is done twice: with h2load, whose pushes
have one body that a connection parses once, and with a payload of its own for each push.
"""

import argparse
import random
import re
import shutil
import subprocess
from pathlib import Path

from bench_common import (
    UPDATES,
    Load,
    finish,
    free_port,
    grind,
    leaf,
    need,
    nghttpd,
    provider_token,
    pushpit,
    scratch,
    update_tokens,
)
from own_payloads import OwnPayloads

LIMIT = 1.35
OWN_LIMIT = 1.55
RUNS = ("nghttpd", "pushpit", "locked", "nghttpd-own", "pushpit-own")
LOCKED_LIMIT = 0.15
"""Of a push's instructions, with all of the wire, TLS and HTTP/2."""
LOCKED = "*7GatewayC5serve*"
"""The function that does all work for a push under the lock, as the compiler names it."""


def collected(folder: Path, name: str) -> int:
    """The sum of callgrind's totals over the dumps of one run."""
    files = list(folder.glob(f"callgrind.{name}.*")) + list(folder.glob(f"callgrind.{name}"))
    return sum(
        int(n)
        for f in files
        for n in re.findall(r"^(?:summary|totals): (\d+)", f.read_text(errors="replace"), re.M)[:1]
    )


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--small", type=int, default=8_000, help="requests of the smaller run (default 8000)")
    parse.add_argument("--large", type=int, default=40_000, help="requests of the larger run (default 40000)")
    parse.add_argument("--connections", type=int, default=8)
    parse.add_argument("--streams", type=int, default=100)
    parse.add_argument("--fleet", type=int, default=100_000)
    parse.add_argument("--keep", type=Path, help="folder to copy callgrind's profiles to, for callgrind_annotate")
    arguments = parse.parse_args()
    need("h2load", "nghttpd", "valgrind")

    with scratch() as name:
        folder = Path(name)
        flags = {**UPDATES, "fleet": arguments.fleet}
        # The tokens follow from the seed, so they are listed by a run without valgrind.
        with pushpit(folder / "state", **flags) as server:
            tokens = [t for t, _ in update_tokens(server)]
            key, certificate = leaf(server.ready, folder)
            jwt = provider_token(server.key)
        random.Random(1).shuffle(tokens)

        cost: dict[str, dict[int, int]] = {name: {} for name in RUNS}

        def run(name: str, load: Load) -> None:
            sender = OwnPayloads(load) if name.endswith("own") else load
            sender.run(arguments.connections, arguments.streams, requests, None)

        for requests, name in ((requests, name) for requests in (arguments.small, arguments.large) for name in RUNS):
            out = f"{name}-{requests}"
            if name.startswith("nghttpd"):
                port = free_port()
                with nghttpd(folder, key, certificate, port, before=grind(folder, out), timeout=120) as process:
                    run(name, Load.make(folder, "nghttpd", f"https://127.0.0.1:{port}", "?", tokens, jwt))
                    finish_gently(process)
            else:
                before = grind(folder, out, *([f"--toggle-collect={LOCKED}"] if name == "locked" else []))
                with pushpit(folder / "state", **flags, before=before, timeout=600) as server:
                    run(name, Load.of(folder, server, tokens))
            cost[name][requests] = collected(folder, out)

        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
            for profile in folder.glob("callgrind.*"):
                shutil.copy(profile, arguments.keep)

    span = arguments.large - arguments.small
    each = {name: (runs[arguments.large] - runs[arguments.small]) / span for name, runs in cost.items()}
    print(
        f"instructions per request at {arguments.connections}x{arguments.streams}, {len(tokens)} tokens, 600-byte body:"
    )
    kept = True
    for title, pushes, other, limit in (
        ("one body for all", "pushpit", "nghttpd", LIMIT),
        ("a payload of its own for each", "pushpit-own", "nghttpd-own", OWN_LIMIT),
    ):
        ratio = each[pushes] / each[other]
        kept = kept and ratio <= limit
        print(
            f"{title}\n  nghttpd {each[other]:>10,.0f}\n  pushpit {each[pushes]:>10,.0f}\n"
            f"  ratio   {ratio:>10.2f}   limit {limit}: {'kept' if ratio <= limit else 'BROKEN'}"
        )
    share = each["locked"] / each["pushpit"]
    print(
        f"under the lock\n  pushpit {each['locked']:>10,.0f}\n"
        f"  share   {share:>10.1%}   limit {LOCKED_LIMIT:.0%}: {'kept' if 0 < share <= LOCKED_LIMIT else 'BROKEN'}"
    )
    raise SystemExit(0 if kept and 0 < share <= LOCKED_LIMIT else 1)


def finish_gently(process: subprocess.Popen) -> None:
    """nghttpd does not end cleanly by itself: SIGINT makes valgrind write its file."""
    import signal

    process.send_signal(signal.SIGINT)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        finish(process)


if __name__ == "__main__":
    main()
