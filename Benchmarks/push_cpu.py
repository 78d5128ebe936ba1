#!/usr/bin/env python3
"""CPU microseconds per push: Pushpit beside nghttpd, under the same load, in the same minutes.

Both servers run at once, pinned to the same core; h2load is pinned to another. Rounds alternate between the two, so
that a slow phase of the machine affects both. The comparison is of CPU time from /proc/PID/task/*/schedstat.
"""

import argparse
import platform
import random
import statistics
from pathlib import Path

from bench_common import (
    UPDATES,
    Load,
    Pushpit,
    cpu_nanoseconds,
    free_port,
    leaf,
    need,
    nghttpd,
    pid,
    provider_token,
    pushpit,
    scratch,
    update_tokens,
)

CASES = {(1, 1): 20_000, (8, 10): 400_000, (8, 100): 800_000, (64, 100): 1_280_000}
LIMIT_CASE, LIMIT = (8, 100), 1.6


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=7, help="measured rounds per server and case (default 7)")
    parse.add_argument(
        "--scale", type=float, default=1.0, help="multiplies the number of requests; 0.05 for a quick look"
    )
    parse.add_argument("--fleet", type=int, default=100_000)
    parse.add_argument("--server-core", type=int, default=0)
    parse.add_argument("--load-core", type=int, default=1)
    arguments = parse.parse_args()
    need("h2load", "nghttpd", "taskset")
    pin = ("taskset", "-c", str(arguments.server_core))

    with scratch() as name:
        folder = Path(name)
        with pushpit(folder / "state", **UPDATES, fleet=arguments.fleet, before=pin) as server:
            key, certificate = leaf(server.ready, folder)
            port = free_port()
            with nghttpd(folder, key, certificate, port, before=pin) as theirs:
                measure(arguments, folder, server, theirs.pid, port)


def measure(arguments, folder: Path, server: Pushpit, theirs: int, port: int) -> None:
    rows = update_tokens(server)
    devices = len({device for _, device in rows})
    tokens = [token for token, _ in rows]
    random.Random(1).shuffle(tokens)
    print(
        f"{platform.processor() or platform.machine()}, Linux {platform.release()}; server on core "
        f"{arguments.server_core}, h2load on core "
        f"{arguments.load_core}; {len(tokens)} update tokens on {devices} devices; body 600 bytes; "
        f"{arguments.rounds} rounds\n"
    )

    jwt = provider_token(server.key)
    servers = {
        "nghttpd": (theirs, Load.make(folder, "nghttpd", f"https://127.0.0.1:{port}", "?", tokens, jwt)),
        "pushpit": (pid(server), Load.of(folder, server, tokens)),
    }
    print(
        f"{'connections x streams':<22}{'requests':>10}  {'nghttpd µs (min … max)':>26}  "
        f"{'pushpit µs (min … max)':>26}  {'ratio (min … max)':>22}"
    )
    verdict = None
    for (connections, streams), full in CASES.items():
        requests = max(connections * streams * 10, int(full * arguments.scale))
        cost: dict[str, list[float]] = {"nghttpd": [], "pushpit": []}
        for round_number in range(arguments.rounds + 1):
            order = list(servers) if round_number % 2 == 0 else list(servers)[::-1]
            for name in order:
                process, load = servers[name]
                before = cpu_nanoseconds(process)
                load.run(connections, streams, requests, arguments.load_core)
                if round_number > 0:  # the first round warms both up
                    cost[name].append((cpu_nanoseconds(process) - before) / requests / 1000)
        ratios = [o / t for o, t in zip(cost["pushpit"], cost["nghttpd"])]
        ratio = statistics.median(ratios)
        if (connections, streams) == LIMIT_CASE:
            verdict = ratio

        def cell(values: list[float]) -> str:
            return f"{statistics.median(values):.2f} ({min(values):.2f} … {max(values):.2f})"

        print(
            f"{f'{connections}x{streams}':<22}{requests:>10}  {cell(cost['nghttpd']):>26}  "
            f"{cell(cost['pushpit']):>26}  {cell(ratios):>22}",
            flush=True,
        )
    print(
        f"\nEvery answer was 2xx. At {LIMIT_CASE[0]}x{LIMIT_CASE[1]}: {verdict:.2f} times nghttpd; the limit is "
        f"{LIMIT}: "
        f"{'kept' if verdict <= LIMIT else 'BROKEN'}."
    )
    raise SystemExit(0 if verdict <= LIMIT else 1)


if __name__ == "__main__":
    main()
