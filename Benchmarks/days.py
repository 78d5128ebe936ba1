#!/usr/bin/env python3
"""The cost of days of simulated time: 100 days of 2,000 phones whose start tokens are replaced daily, and a day of a
million devices that nothing has reached.

Processor time and resident memory of the server, from the order that moves its clock to the answer. With --before, the
same is measured for an older program, alternately.
"""

import argparse
import sys
from pathlib import Path

from bench_common import APP, BINARY, cpu_nanoseconds, megabytes, pid, pushpit, scratch

# Seconds of processor time, and megabytes on top.
ROTATION_LIMIT, IDLE_LIMIT = (3.0, 50.0), (0.1, 4.0)


def days(folder: Path, count: int, opens: bool, **flags) -> tuple[float, float]:
    with pushpit(folder, config=APP, **flags) as server:
        if opens:
            # Apps that have been launched have tokens to replace.
            for do in ("terminate", "open"):
                server.admin.post("/v1/actions", {"do": do, "where": {}})
        before = cpu_nanoseconds(pid(server)), megabytes(pid(server))
        server.clock.advance(f"{count}d")
        return (
            (cpu_nanoseconds(pid(server)) - before[0]) / 1e9,
            # The peak, because memory that is freed at once counts too.
            megabytes(pid(server), "VmHWM") - before[1],
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
    programs = {"now": BINARY}
    if arguments.before:
        programs["before"] = arguments.before
    kept = True
    for label, program in programs.items():
        with scratch() as name:
            measured = (
                (
                    f"{arguments.days} days of {arguments.phones:,} phones, tokens replaced each day",
                    days(
                        Path(name) / "phones",
                        arguments.days,
                        True,
                        program=program,
                        fleet=arguments.phones,
                        settings={"startTokens.rotation": "24h"},
                    ),
                    ROTATION_LIMIT,
                ),
                (
                    f"a day of {arguments.fleet:,} devices that nothing has reached",
                    days(Path(name) / "fleet", 1, False, program=program, fleet=arguments.fleet),
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
