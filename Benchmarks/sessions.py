#!/usr/bin/env python3
"""Measures what open sessions cost a push: instructions per request under callgrind, with none open and with many. The
fleet's devices are divided among the sessions, so that every push belongs to one. As instructions.py does, each case
runs twice with different numbers of requests, and the difference leaves start-up and handshakes out.
"""

import argparse
import random
from pathlib import Path

from bench_common import UPDATES, Load, Pushpit, grind, need, pushpit, scratch, update_tokens
from instructions import collected

LIMIT = 1.25


def open_sessions(server: Pushpit, count: int, devices: list[str]) -> None:
    for number in range(count):
        server.admin.post("/v1/sessions", {"name": f"bench {number}", "devices": devices[number::count]})


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
        flags = {**UPDATES, "fleet": arguments.fleet}
        with pushpit(folder / "state", **flags) as server:
            rows = update_tokens(server)
        tokens, devices = [t for t, _ in rows], list(dict.fromkeys(d for _, d in rows))
        random.Random(1).shuffle(tokens)
        for sessions in arguments.sessions:
            totals = []
            for requests in (arguments.small, arguments.large):
                run = f"{sessions}-{requests}"
                with pushpit(folder / "state", **flags, before=grind(folder, run), timeout=600) as server:
                    open_sessions(server, sessions, devices)
                    Load.of(folder, server, tokens).run(8, 100, requests, None)
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
