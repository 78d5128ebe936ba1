#!/usr/bin/env python3
"""Measures what a push costs with 50 faults set that never strike, and with a tape, compared with the same without
them.

By default in instructions under callgrind, as instructions.py counts them: each server runs twice with two numbers of
requests, and the difference leaves start-up out. With --cpu in processor time of the whole process, as push_cpu.py has
it: the three servers run at once on one core, and rounds alternate between them. Either way the tape's own thread is in
it."""

import argparse
import random
import shutil
import statistics
from contextlib import ExitStack
from pathlib import Path

from bench_common import (
    UPDATES,
    Load,
    Pushpit,
    cpu_nanoseconds,
    grind,
    need,
    pid,
    pushpit,
    scratch,
    update_tokens,
)
from instructions import collected

CONNECTIONS, STREAMS = 8, 100
LIMITS = {"50 faults": 1.1, "tape": 1.25}
CASES = ["plain", *LIMITS]


def faults() -> list[dict]:
    """Fifty faults that match no push of the load, which sends updates of priority 10 to the sandbox; each condition in
    turn."""
    conditions = [
        {"environment": "production"},
        {"app": "com.example.store"},
        {"pushType": "alert"},
        {"priority": 5},
        {"event": "end"},
        {"tokenKind": "device"},
        {"devices": ["d0"], "pushType": "voip"},
        {"os": 16, "pushType": "voip"},
        {"connection": 4_000_000},
        {"share": "10%", "environment": "production"},
        {"event": "start", "share": "30%"},
        {
            "environment": "sandbox",
            "app": "com.example.app",
            "pushType": "liveactivity",
            "priority": 10,
            "tokenKind": "pushToStart",
        },
    ]
    return [
        {"name": f"fault {n}", "when": conditions[n % len(conditions)], "then": {"answer": "TooManyRequests"}}
        for n in range(50)
    ]


def set_faults(server: Pushpit) -> None:
    for fault in faults():
        server.admin.post("/v1/faults", fault)


def none_struck(server: Pushpit) -> None:
    struck = [fault for fault in server.faults() if fault["struck"] or fault["seen"]]
    assert not struck, f"faults met pushes that they are not for: {struck}"


def by_instructions(arguments, folder: Path, flags: dict) -> dict[str, list[float]]:
    with pushpit(folder / "state", **flags) as server:
        tokens = [t for t, _ in update_tokens(server)]
    random.Random(1).shuffle(tokens)
    cost: dict[str, dict[int, int]] = {case: {} for case in CASES}
    for requests in (arguments.small, arguments.large):
        for case in CASES:
            run = f"{case.replace(' ', '-')}-{requests}"
            own = {**flags, "tape": folder / "run.tape" if case == "tape" else None}
            with pushpit(folder / "state", **own, before=grind(folder, run), timeout=600) as server:
                if case == "50 faults":
                    set_faults(server)
                Load.of(folder, server, tokens).run(CONNECTIONS, STREAMS, requests, None)
                if case == "50 faults":
                    none_struck(server)
            cost[case][requests] = collected(folder, run)
            if case == "tape":
                sizes = getattr(arguments, "sizes", {})
                arguments.sizes = sizes | {requests: (folder / "run.tape").stat().st_size}
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        for profile in folder.glob("callgrind.*"):
            shutil.copy(profile, arguments.keep)
    span = arguments.large - arguments.small
    print(f"bytes of tape per push: {(arguments.sizes[arguments.large] - arguments.sizes[arguments.small]) / span:.0f}")
    return {case: [(runs[arguments.large] - runs[arguments.small]) / span] for case, runs in cost.items()}


def by_time(arguments, folder: Path, flags: dict) -> dict[str, list[float]]:
    pin = ("taskset", "-c", "0")
    cost: dict[str, list[float]] = {case: [] for case in CASES}
    with ExitStack() as stack:
        servers = {}
        for case in CASES:
            own = {**flags, "tape": folder / "run.tape" if case == "tape" else None}
            state = folder / f"state-{case.replace(' ', '-')}"
            servers[case] = stack.enter_context(pushpit(state, **own, before=pin))
        tokens = [t for t, _ in update_tokens(servers["plain"])]
        random.Random(1).shuffle(tokens)
        set_faults(servers["50 faults"])
        loads = {case: Load.of(folder, server, tokens, case.replace(" ", "-")) for case, server in servers.items()}
        for number in range(arguments.rounds + 1):
            for case in CASES if number % 2 == 0 else CASES[::-1]:
                before = cpu_nanoseconds(pid(servers[case]))
                loads[case].run(CONNECTIONS, STREAMS, arguments.requests, 1)
                if number > 0:  # the first round warms them up
                    cost[case].append((cpu_nanoseconds(pid(servers[case])) - before) / arguments.requests / 1000)
        none_struck(servers["50 faults"])
    sent = arguments.requests * (arguments.rounds + 1)
    print(f"bytes of tape per push: {(folder / 'run.tape').stat().st_size / sent:.0f}")
    return cost


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--cpu", action="store_true", help="processor time in place of instructions")
    parse.add_argument(
        "--small", type=int, default=8_000, help="requests of the smaller run under callgrind (default 8000)"
    )
    parse.add_argument("--large", type=int, default=40_000, help="requests of the larger run (default 40000)")
    parse.add_argument("--rounds", type=int, default=7, help="measured rounds per server with --cpu (default 7)")
    parse.add_argument("--requests", type=int, default=200_000, help="requests of a round with --cpu (default 200000)")
    parse.add_argument("--fleet", type=int, default=100_000)
    parse.add_argument("--keep", type=Path, help="folder to copy callgrind's profiles to, for callgrind_annotate")
    arguments = parse.parse_args()
    need("h2load", *(["taskset"] if arguments.cpu else ["valgrind"]))
    flags = {**UPDATES, "fleet": arguments.fleet}
    with scratch() as name:
        cost = (by_time if arguments.cpu else by_instructions)(arguments, Path(name), flags)
    unit = "µs" if arguments.cpu else "instructions"
    print(f"{unit} per push at {CONNECTIONS}x{STREAMS}, 600-byte body:")
    kept = True
    for case in CASES:
        ratio = statistics.median(own / plain for own, plain in zip(cost[case], cost["plain"]))
        limit = LIMITS.get(case)
        verdict = "" if limit is None else f"   limit {limit}: {'kept' if ratio <= limit else 'BROKEN'}"
        kept = kept and (limit is None or ratio <= limit)
        spread = f" ({min(cost[case]):,.2f} … {max(cost[case]):,.2f})" if arguments.cpu else ""
        print(f"  {case:<10} {statistics.median(cost[case]):>10,.2f}{spread}   ratio {ratio:.3f}{verdict}")
    raise SystemExit(0 if kept else 1)


if __name__ == "__main__":
    main()
