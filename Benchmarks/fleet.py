#!/usr/bin/env python3
"""Start time and resident memory of a fleet of a million devices, two apps each."""

import argparse
import statistics
import time
from pathlib import Path

from bench_common import megabytes, pid, pushpit, scratch

START_LIMIT, MEMORY_LIMIT = 3.0, 400


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--fleet", type=int, default=1_000_000)
    parse.add_argument("--runs", type=int, default=5)
    arguments = parse.parse_args()
    seconds, memories = [], []
    with scratch() as name:
        state = Path(name) / "state"
        with pushpit(state, fleet=1):
            pass  # makes the CA and the key, which are not what is measured
        for _ in range(arguments.runs):
            began = time.monotonic()
            with pushpit(state, fleet=arguments.fleet) as server:
                seconds.append(time.monotonic() - began)
                memories.append(megabytes(pid(server)))
                assert server.ready["fleet"]["devices"] == arguments.fleet
    start, memory = statistics.median(seconds), statistics.median(memories)
    print(f"{arguments.fleet:,} devices, two apps each, {arguments.runs} starts:")
    print(f"  ready after {start:.2f} s ({min(seconds):.2f} … {max(seconds):.2f}); limit {START_LIMIT} s")
    print(f"  resident    {memory:.0f} MB ({min(memories):.0f} … {max(memories):.0f}); limit {MEMORY_LIMIT} MB")
    raise SystemExit(0 if start < START_LIMIT and memory < MEMORY_LIMIT else 1)


if __name__ == "__main__":
    main()
