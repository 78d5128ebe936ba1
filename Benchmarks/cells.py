#!/usr/bin/env python3
"""CPU microseconds per push: one process, and two cells behind Debian's HAProxy in HTTP mode and in TCP mode.

All servers run at once, and rounds alternate between the three ways, so that a slow phase of the machine affects all.
CPU time is from /proc/PID/task/*/schedstat, of Pushpit and of HAProxy apart.
"""

import argparse
import platform
import random
import statistics
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench_common import (
    APP,
    BINARY,
    SMOOTH,
    Load,
    Pushpit,
    cpu_nanoseconds,
    finish,
    free_port,
    need,
    pid,
    provider_token,
    pushpit,
    scratch,
    update_tokens,
    wait_for_port,
)

CELLS = 2


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=5, help="measured rounds of each way (default 5)")
    parse.add_argument("--requests", type=int, default=100_000, help="pushes in a round (default 100000)")
    parse.add_argument("--connections", type=int, default=8)
    parse.add_argument("--streams", type=int, default=100)
    parse.add_argument("--fleet", type=int, default=20_000)
    arguments = parse.parse_args()
    need("h2load", "haproxy")
    with scratch() as name, ExitStack() as stack:
        measure(arguments, Path(name), stack)


def measure(arguments, folder: Path, stack: ExitStack) -> None:
    flags = {**SMOOTH, "fleet": arguments.fleet, "config": APP}
    state = folder / "state"
    whole = stack.enter_context(pushpit(state, **flags))
    cells = []
    for number in range(CELLS):
        own = {"cell": f"{number}/{CELLS}", "relay": folder / f"{number}.sock"}
        cells.append(stack.enter_context(pushpit(state, **flags, **own)))
    front, passing = free_port(), [free_port() for _ in cells]
    relaying = stack.enter_context(haproxy(folder, "http", http(folder, state, front), front))
    bytes_only = stack.enter_context(haproxy(folder, "tcp", tcp(cells, passing), passing[0]))

    jwt, shuffled = provider_token(whole.key), random.Random(1)

    def load(name: str, url: str, servers: list[Pushpit]) -> Load:
        tokens = [token for server in servers for token, _ in update_tokens(server)]
        shuffled.shuffle(tokens)
        return Load.make(folder, name, url, "/", tokens, jwt)

    ways = {
        "one process": ([whole], None, [load("one", whole.apns(), [whole])]),
        "two cells, HAProxy in TCP mode": (
            cells,
            bytes_only,
            [load(f"tcp-{n}", f"https://127.0.0.1:{passing[n]}", [cells[n]]) for n in range(CELLS)],
        ),
        "two cells, HAProxy in HTTP mode": (cells, relaying, [load("http", f"https://127.0.0.1:{front}", cells)]),
    }
    print(f"{platform.machine()}, {arguments.connections} connections, {arguments.streams} streams")
    found = {name: ([], []) for name in ways}
    for round_number in range(arguments.rounds + 1):
        for name, (servers, proxy, loads) in ways.items():
            before = sum(cpu_nanoseconds(pid(s)) for s in servers), cpu_nanoseconds(proxy.pid) if proxy else 0
            each = arguments.requests // len(loads)
            for one in loads:
                one.run(arguments.connections, arguments.streams, each, None)
            after = sum(cpu_nanoseconds(pid(s)) for s in servers), cpu_nanoseconds(proxy.pid) if proxy else 0
            # The first round fills caches.
            if round_number:
                for kept, end, begin in zip(found[name], after, before, strict=True):
                    kept.append((end - begin) / 1000 / (each * len(loads)))
    base = statistics.median(found["one process"][0])
    print(f"{'microseconds of CPU per push':34}{'Pushpit':>9}{'HAProxy':>9}{'together':>10}{'to one':>8}")
    for name, (servers, proxy) in found.items():
        ours, theirs = statistics.median(servers), statistics.median(proxy)
        print(f"{name:34}{ours:9.2f}{theirs:9.2f}{ours + theirs:10.2f}{(ours + theirs) / base:8.2f}")


def printed(*flags: str) -> str:
    done = subprocess.run([str(BINARY), "cells", "haproxy", "--of", str(CELLS), *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def http(folder: Path, state: Path, port: int) -> str:
    pem = folder / "haproxy.pem"
    pem.write_text((state / "tls.pem").read_text() + (state / "tls-key.pem").read_text())
    return printed(
        *("--listen", str(port), "--socket", f"{folder}/{{cell}}.sock"),
        *("--certificate", str(pem), "--authority", str(state / "ca.pem")),
    )


def tcp(cells: list, ports: list[int]) -> str:
    """The printed configuration, with the ports that the system chose."""
    text = printed("--tcp", "--listen", "127.0.0.1:20000", "--port", "30000", "--step", "1")
    for number, cell in enumerate(cells):
        text = text.replace(f"127.0.0.1:{20000 + number}\n", f"127.0.0.1:{ports[number]}\n")
        text = text.replace(f"127.0.0.1:{30000 + number}\n", cell.ready["listeners"]["sandbox"] + "\n")
    return text


@contextmanager
def haproxy(folder: Path, name: str, text: str, port: int):
    path = folder / f"{name}.cfg"
    path.write_text(text)
    process = subprocess.Popen(["haproxy", "-db", "-f", str(path)], stderr=(folder / f"{name}.log").open("w"))
    try:
        wait_for_port(port, process, 30)
        yield process
    finally:
        finish(process)


if __name__ == "__main__":
    main()
