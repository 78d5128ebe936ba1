#!/usr/bin/env python3
"""Measures what open sessions cost a push: instructions per request under callgrind, with none open and with many. The
fleet's devices are divided among the sessions, so that every push belongs to one. As instructions.py does, each case
runs twice with different numbers of requests, and the difference leaves start-up and handshakes out.
"""

import argparse
import json
import random
import urllib.request
from pathlib import Path

from bench_common import APP, SMOOTH, Load, finish, need, provider_token, pushpit, scratch, update_tokens
from instructions import collected

LIMIT = 1.25


def open_sessions(admin: str, count: int, devices: list[str]) -> None:
    for number in range(count):
        order = json.dumps({"name": f"bench {number}", "devices": devices[number::count]}).encode()
        request = urllib.request.Request(f"{admin}/v1/sessions", order, {"content-type": "application/json"})
        urllib.request.urlopen(request, timeout=120).close()


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--small", type=int, default=4_000, help="requests of the smaller run (default 4000)")
    parse.add_argument("--large", type=int, default=16_000, help="requests of the larger run (default 16000)")
    parse.add_argument(
        "--sessions", type=int, nargs="+", default=[0, 20], help="numbers of open sessions (default 0 20)"
    )
    parse.add_argument("--fleet", type=int, default=2_000)
    arguments = parse.parse_args()
    need("h2load", "valgrind")

    cost: dict[int, float] = {}
    with scratch() as name:
        folder = Path(name)
        flags = [
            *SMOOTH,
            "--fleet",
            str(arguments.fleet),
            "--config",
            str(APP),
            "--loops",
            "1",
            "--token-requests-per-second",
            "0",
        ]
        with pushpit(folder / "state", *flags) as (_, ready):
            rows = update_tokens(ready["admin"])
        tokens, devices = [t for t, _ in rows], list(dict.fromkeys(d for _, d in rows))
        random.Random(1).shuffle(tokens)
        for sessions in arguments.sessions:
            totals = []
            for requests in (arguments.small, arguments.large):
                run = f"{sessions}-{requests}"
                grind = (
                    "valgrind",
                    "--tool=callgrind",
                    f"--callgrind-out-file={folder}/callgrind.{run}",
                    "--error-limit=no",
                )
                with pushpit(folder / "state", *flags, before=grind, timeout=600) as (process, now):
                    open_sessions(now["admin"], sessions, devices)
                    load = Load.make(
                        folder,
                        "pushpit",
                        f"https://{now['listeners']['sandbox']}",
                        "/",
                        tokens,
                        provider_token(now["keys"][0]),
                    )
                    load.run(8, 100, requests, None)
                    finish(process)
                totals.append(collected(folder, run))
            cost[sessions] = (totals[1] - totals[0]) / (arguments.large - arguments.small)

    first = cost[arguments.sessions[0]]
    print(f"instructions per request at 8x100, {len(tokens)} tokens, 600-byte body:")
    for sessions, each in cost.items():
        print(f"  {sessions:>5} sessions {each:>10,.0f}   {each / first:.3f} of the first")
    worst = max(cost.values()) / first
    print(f"  limit {LIMIT}: {'kept' if worst <= LIMIT else 'BROKEN'}")
    raise SystemExit(0 if worst <= LIMIT else 1)


if __name__ == "__main__":
    main()
