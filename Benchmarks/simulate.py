#!/usr/bin/env python3
"""The cost of a simulated push: `simulate` of the nine hours under callgrind with 50 and with 150 devices, difference
over difference, and its processor time with 1,000 devices. And how much sooner two threads have played 10,000 devices
than one.

With --before both are measured of an older program too, in the same run and alternately, and given as a ratio.
"""

import argparse
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench_common import BINARY, REPOSITORY, need, scratch

LIMIT = 12_500
"""Maximum instructions of a push. The aim is 6,000."""
LEAST_GAIN = 1.1
"""Minimum speed-up of two threads over one, if there are two processors."""

SCENARIO = REPOSITORY / "Benchmarks/Scenarios/nine-hours.yaml"


def scenario(folder: Path, devices: int) -> Path:
    text, wanted = SCENARIO.read_text(), f"fleet: {{devices: {devices},"
    found = text.replace("fleet: {devices: 10000,", wanted)
    assert wanted in found, "the number of devices is not where it was"
    path = folder / f"nine-hours-{devices}.yaml"
    path.write_text(found)
    return path


def pushes(output: str) -> int:
    return int(re.search(r": (\d+) pushes", output).group(1))


def instructions(folder: Path, binary: Path) -> float:
    """Instructions per push; the cost of a run without pushes cancels out."""
    runs = []
    for devices in (50, 150):
        command = [
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            str(binary),
            "simulate",
            str(scenario(folder, devices)),
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        runs.append((int(re.search(r"Collected : (\d+)", done.stderr).group(1)), pushes(done.stdout)))
    (less, few), (more, many) = runs
    return (more - less) / (many - few)


def seconds(folder: Path, binary: Path, devices: int, *flags: str) -> tuple[float, float]:
    """Seconds of processor time, and elapsed seconds."""
    began = time.monotonic()
    process = subprocess.Popen(
        [str(binary), "simulate", str(scenario(folder, devices)), *flags],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    # 1: an expectation failed, which says nothing of the time.
    if process.returncode not in (0, 1):
        sys.exit(f"{binary} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - began


def helped(binary: Path) -> str:
    return subprocess.run([str(binary), "help", "simulate"], capture_output=True, text=True, check=True).stdout


def gain(folder: Path, binary: Path, rounds: int) -> float:
    """The speed of two threads that play 10,000 devices, as a multiple of that of one; each round has both."""
    ratios = []
    for _ in range(rounds):
        (_, one), (_, two) = (seconds(folder, binary, 10_000, "--threads", count) for count in "12")
        ratios.append(one / two)
    print(f"two threads play 10,000 phones {statistics.median(ratios):.2f} times as fast as one")
    return statistics.median(ratios)


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--before", type=Path, help="an older program, to compare with")
    parse.add_argument(
        "--devices", type=int, default=1000, help="phones whose processor time is measured (default 1000)"
    )
    parse.add_argument("--rounds", type=int, default=5)
    arguments = parse.parse_args()
    need("valgrind", "strip")
    for program in (BINARY, arguments.before):
        if program and not program.is_file():
            sys.exit(f"{program} is not there; build it with: swift build -c release --product pushpit")
    with scratch() as name:
        folder = Path(name)
        programs: dict[str, Path] = {"now": folder / "now"} | (
            {"before": folder / "before"} if arguments.before else {}
        )
        # Valgrind 3.19 cannot read the debug sections of this compiler.
        for program, source in {"now": BINARY, "before": arguments.before}.items():
            if source:
                subprocess.run(["strip", "-g", "-o", str(programs[program]), str(source)], check=True)
        counts = {program: instructions(folder, path) for program, path in programs.items()}
        # Programs without the flag play with one thread.
        knows_threads = {program: "--threads" in helped(path) for program, path in programs.items()}
        times: dict[str, list[float]] = {program: [] for program in programs}
        for round_ in range(arguments.rounds):
            for program in sorted(programs, reverse=round_ % 2 == 0):
                flags = ("--threads", "1") if knows_threads[program] else ()
                times[program].append(seconds(folder, programs[program], arguments.devices, *flags)[0])
        faster = gain(folder, programs["now"], 3)
    for program in programs:
        spread = f"{min(times[program]):.2f} to {max(times[program]):.2f}"
        print(
            f"{program:<7} {counts[program]:>9,.0f} instructions a push; {statistics.median(times[program]):.2f} s "
            f"for {arguments.devices} phones ({spread})"
        )
    if arguments.before:
        ratios = [now / before for now, before in zip(times["now"], times["before"])]
        print(
            f"ratio   {counts['now'] / counts['before']:.3f} of the instructions, {statistics.median(ratios):.3f} of "
            f"the processor time"
        )
    if (os.cpu_count() or 1) > 1 and faster < LEAST_GAIN:
        sys.exit(f"BROKEN: two threads are not {LEAST_GAIN} times as fast as one")
    if counts["now"] > LIMIT:
        sys.exit(f"BROKEN: more than {LIMIT:,} instructions a push")


if __name__ == "__main__":
    main()
