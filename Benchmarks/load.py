#!/usr/bin/env python3
"""Pushes per second of `pushpit load` compared with h2load: same server, connections, streams, headers and payload, in
the same minutes.

The server is pinned to one core, both clients to the other. Rounds alternate between the two clients. The comparison is
of the rate that each reports, and of the client's processor time for a push.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
from pathlib import Path

from bench_common import BINARY, BODY_BYTES, UPDATES, Load, Pushpit, need, pushpit, scratch, update_tokens

CASES = {(1, 1): 10_000, (8, 10): 200_000, (8, 100): 400_000}
LIMIT_CASE, LIMIT = (8, 100), 0.8
TOPIC = "com.example.app.push-type.liveactivity"


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rounds", type=int, default=5, help="measured rounds per client and case (default 5)")
    parse.add_argument("--scale", type=float, default=1.0, help="multiplies the number of pushes")
    parse.add_argument("--fleet", type=int, default=10_000)
    parse.add_argument("--server-core", type=int, default=0)
    parse.add_argument("--load-core", type=int, default=1)
    arguments = parse.parse_args()
    need("h2load", "taskset")
    with scratch() as name:
        folder = Path(name)
        pin = ("taskset", "-c", str(arguments.server_core))
        with pushpit(folder / "state", **UPDATES, fleet=arguments.fleet, before=pin) as server:
            measure(arguments, folder, server)


def measure(arguments: argparse.Namespace, folder: Path, server: Pushpit) -> None:
    tokens = [token for token, _ in update_tokens(server)]
    (folder / "tokens").write_text("".join(f"{token}\n" for token in tokens))
    h2load = Load.of(folder, server, tokens)
    clients = {
        "h2load": lambda c, s, n: h2load.run(c, s, n, arguments.load_core),
        "load": lambda c, s, n: ours(arguments, folder, server, c, s, n),
    }
    print(f"{len(tokens)} update tokens; body {BODY_BYTES} bytes; {arguments.rounds} rounds\n")
    print(f"{'connections x streams':<22}{'pushes':>8}  {'h2load /s, µs':>18}  {'load /s, µs':>18}  ratio (min … max)")
    verdict = None
    for (connections, streams), full in CASES.items():
        pushes = max(connections * streams * 10, int(full * arguments.scale))
        rates: dict[str, list[float]] = {client: [] for client in clients}
        costs: dict[str, list[float]] = {client: [] for client in clients}
        for number in range(arguments.rounds + 1):
            for client in list(clients) if number % 2 == 0 else list(clients)[::-1]:
                before = processor_time()
                rate = clients[client](connections, streams, pushes)
                if number > 0:  # the first round warms both up
                    rates[client].append(rate)
                    costs[client].append((processor_time() - before) / pushes * 1e6)
        ratios = [ours / theirs for ours, theirs in zip(rates["load"], rates["h2load"])]
        ratio = statistics.median(ratios)
        if (connections, streams) == LIMIT_CASE:
            verdict = ratio
        cells = [
            f"{statistics.median(rates[client]):.0f}, {statistics.median(costs[client]):.1f}" for client in clients
        ]
        print(
            f"{f'{connections}x{streams}':<22}{pushes:>8}  {cells[0]:>18}  {cells[1]:>18}  "
            f"{ratio:.2f} ({min(ratios):.2f} … {max(ratios):.2f})",
            flush=True,
        )
    print(
        f"\nEvery answer was 200. At {LIMIT_CASE[0]}x{LIMIT_CASE[1]}: {verdict:.2f} times the rate of h2load; the "
        f"limit is {LIMIT}: {'kept' if verdict >= LIMIT else 'BROKEN'}."
    )
    raise SystemExit(0 if verdict >= LIMIT else 1)


def ours(
    arguments: argparse.Namespace, folder: Path, server: Pushpit, connections: int, streams: int, pushes: int
) -> float:
    command = ["taskset", "-c", str(arguments.load_core), str(BINARY), "load", "--json", "--no-ids"]
    command += ["--state", str(folder / "state"), "--admin", server.url, "--tokens", str(folder / "tokens")]
    command += ["--kind", "live-activity", "--topic", TOPIC, "--priority", "10"]
    command += ["--payload", str(folder / "body.json"), "--count", str(pushes)]
    command += ["--connections", str(connections), "--streams", str(streams)]
    done = subprocess.run(command, capture_output=True, text=True)
    result = json.loads(done.stdout) if done.stdout else {}
    if done.returncode != 0 or result["answers"] != [{"status": 200, "reason": None, "count": pushes}]:
        sys.exit(f"not every answer was 200:\n{done.stdout}{done.stderr}")
    return result["perSecond"]


def processor_time() -> float:
    """Seconds of the clients that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
