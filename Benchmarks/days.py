#!/usr/bin/env python3
"""The cost of days of simulated time: 100 days of 2,000 phones whose start tokens are replaced daily, and a day of a
million devices that nothing has reached.

Processor time and resident memory of the server, from the order that moves its clock to the answer. With --before, the
same is measured for an older program, alternately.
"""

import argparse
import json
import sys
import urllib.request
from pathlib import Path

import bench_common
from bench_common import APP, cpu_nanoseconds, pushpit, scratch

# Seconds of processor time, and megabytes on top.
ROTATION_LIMIT, IDLE_LIMIT = (3.0, 50.0), (0.1, 4.0)


def ask(admin: str, path: str, body: dict) -> None:
    request = urllib.request.Request(
        admin + path, data=json.dumps(body).encode(), headers={"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=600) as response:
        response.read()


def megabytes(pid: int, name: str) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith(name)).split()[1]) / 1024


def days(folder: Path, count: int, opens: bool, *flags: str) -> tuple[float, float]:
    with pushpit(folder, "--config", str(APP), *flags) as (process, ready):
        if opens:
            # Apps that have been launched have tokens to replace.
            for do in ("terminate", "open"):
                ask(ready["admin"], "/v1/actions", {"do": do, "where": {}})
        before = cpu_nanoseconds(process.pid), megabytes(process.pid, "VmRSS:")
        ask(ready["admin"], "/v1/clock", {"advance": f"{count}d"})
        return (
            (cpu_nanoseconds(process.pid) - before[0]) / 1e9,
            # The peak, because memory that is freed at once counts too.
            megabytes(process.pid, "VmHWM:") - before[1],
        )


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--phones", type=int, default=2_000)
    parse.add_argument("--days", type=int, default=100)
    parse.add_argument("--fleet", type=int, default=1_000_000)
    parse.add_argument("--before", type=Path, help="an older program")
    arguments = parse.parse_args()
    if arguments.before and not arguments.before.exists():
        sys.exit(f"--before: there is no program {arguments.before}")
    programs = {"now": bench_common.BINARY}
    if arguments.before:
        programs["before"] = arguments.before
    kept = True
    for label, program in programs.items():
        bench_common.BINARY = program
        with scratch() as name:
            measured = (
                (
                    f"{arguments.days} days of {arguments.phones:,} phones, tokens replaced each day",
                    days(
                        Path(name) / "phones",
                        arguments.days,
                        True,
                        "--fleet",
                        str(arguments.phones),
                        "--set",
                        "startTokens.rotation=24h",
                    ),
                    ROTATION_LIMIT,
                ),
                (
                    f"a day of {arguments.fleet:,} devices that nothing has reached",
                    days(Path(name) / "fleet", 1, False, "--fleet", str(arguments.fleet)),
                    IDLE_LIMIT,
                ),
            )
        for what, (seconds, memory), limit in measured:
            print(
                f"{label:<7}{what}: {seconds:.2f} s of processor time (limit {limit[0]}), {memory:.0f} MB on top "
                f"(limit {limit[1]:.0f})"
            )
            if label == "now" and (seconds > limit[0] or memory > limit[1]):
                kept = False
    print("limits kept" if kept else "BROKEN")
    raise SystemExit(0 if kept else 1)


if __name__ == "__main__":
    main()
