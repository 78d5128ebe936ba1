#!/usr/bin/env python3
"""Reports of 10,000 apps that are launched at once, alone and beside a push fan-out, and memory when nobody answers.

The world's clock is manual: one step of it launches all. Every report that is due must arrive, however long it takes;
how many a second is printed, and the processor time of one is limited, because that depends less on the machine.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

from bench_common import BINARY, Load, cpu_nanoseconds, finish, need, provider_token, pushpit, read_line, scratch

APP = "com.sightscreen.app"
COST_LIMIT = 250.0
"""Processor microseconds of Pushpit for a report: launch, token, template, request, answer, ledger."""
QUEUE, CONNECTIONS = 5_000, 64
STALL_LIMIT = 16.0
"""KB of memory for each app that waits for an answer that never comes, its own requests in it."""
ROUND_LIMIT = 0.05
"""Share of the memory by which further launches into the stall may add to it."""


def ask(url: str, body: dict | None = None) -> str:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as response:
        return response.read().decode()


def metric(admin: str, pattern: str) -> int:
    return sum(int(n) for n in re.findall(rf"^{pattern} (\d+)$", ask(f"{admin}/metrics"), re.M))


def tokens(admin: str, kind: str) -> list[str]:
    found, cursor = [], ""
    while cursor is not None:
        page = json.loads(ask(f"{admin}/v1/tokens?kind={kind}&app={APP}&limit=1000{cursor and '&cursor='}{cursor}"))
        found += [row["token"] for row in page["tokens"]]
        cursor = page["next"]
    return found


def resident_kilobytes(pid: int) -> int:
    return int(re.search(r"^VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.M)[1])


@contextmanager
def backend(mode: str):
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("backend.py")), mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield process, int(read_line(process, 30, "the backend"))
    finally:
        finish(process)


def tell(process: subprocess.Popen, words: str, timeout: float = 600) -> int:
    process.stdin.write(f"{words}\n".encode())
    process.stdin.flush()
    return int(read_line(process, timeout, "the backend"))


@contextmanager
def fleet(folder: Path, arguments, port: int, *flags: str):
    everything = [
        "--fleet", str(arguments.apps), "--ideal", "--prompt", "never", "--clock", "manual", "--set", "timing.immediate=true",
        "--backend", f"http://127.0.0.1:{port}", "--token-requests-per-second", "0", *flags,
    ]
    with pushpit(folder / "state", *everything) as (process, ready):
        yield process, ready["admin"], ready


@contextmanager
def fan_out(folder: Path, ready: dict, targets: list[str]):
    """Pushes from h2load until the end of the block, which begins when the first have been answered."""
    load = Load.make(folder, "fan-out", f"https://{ready['listeners']['sandbox']}", "/", targets, provider_token(ready["keys"][0]))
    headers = [h.replace(".push-type.liveactivity", "").replace("liveactivity", "alert").replace("com.example.app", APP) for h in load.headers]
    (folder / "alert.json").write_text('{"aps":{"alert":{"title":"Wicket","body":"Kohli is out"}}}')
    command = ["h2load", "-D", "600", "-c", "8", "-m", "10", "-t", "1", "-d", str(folder / "alert.json"), "-i", str(load.uris), *headers]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while pushed(ready["admin"]) < 1000:
            if time.monotonic() > deadline or process.poll() is not None:
                sys.exit("h2load does not push")
            time.sleep(0.02)  # nothing to await: counters are read, not sent
        yield
        if process.poll() is not None:
            sys.exit("h2load ended before the reports did")
    finally:
        finish(process)


def pushed(admin: str) -> int:
    return metric(admin, r'pushpit_pushes_total\{environment="sandbox",status="200",reason=""\}')


def launch(arguments, with_pushes: bool) -> tuple[float, float, float]:
    """Reports a second, microseconds of Pushpit for each, and pushes a second."""
    with scratch() as name, backend("answer") as (server, port):
        folder = Path(name)
        flags = ("--profile", "sightscreen", "--set", "reports.opensWithin=1s", "--set", f"reports.queue={2 * arguments.apps}")
        with fleet(folder, arguments, port, *flags) as (process, admin, ready):
            devices = tokens(admin, "device")
            # What is followed, whether updates may be frequent, the device token; from iOS 17.2 on the start token.
            due = 3 * len(devices) + len(tokens(admin, "pushToStart"))

            def measured() -> tuple[float, float, float]:
                cpu, pushes, began = cpu_nanoseconds(process.pid), pushed(admin), time.monotonic_ns()
                ask(f"{admin}/v1/clock", {"advance": "2s"})
                seconds = (tell(server, f"expect {due}") - began) / 1e9
                cpu, pushes = cpu_nanoseconds(process.pid) - cpu, pushed(admin) - pushes
                return due / seconds, cpu / due / 1000, pushes / seconds

            if with_pushes:
                with fan_out(folder, ready, devices):
                    result = measured()
            else:
                result = measured()
            settled(admin, due)
            if tell(server, "count") != due:
                sys.exit(f"{due} reports were due, and {tell(server, 'count')} came")
            return result


def settled(admin: str, due: int) -> None:
    deadline = time.monotonic() + 60
    while metric(admin, r'pushpit_app_calls_total\{end="answered"\}') < due:
        if time.monotonic() > deadline:
            sys.exit(f"not all of {due} reports have ended: {re.findall(r'^pushpit_app_calls_total.*', ask(f'{admin}/metrics'), re.M)}")
        time.sleep(0.02)  # nothing to await: counters are read, not sent


def pushes_alone(arguments) -> float:
    with scratch() as name, fleet(Path(name), arguments, 9, "--profile", "sightscreen", "--set", "reports.opensWithin=never") as (_, admin, ready):
        with fan_out(Path(name), ready, tokens(admin, "device")):
            pushes, began = pushed(admin), time.monotonic()
            time.sleep(arguments.seconds)  # the span that is measured
            return (pushed(admin) - pushes) / (time.monotonic() - began)


def stall(arguments) -> bool:
    """Memory when the backend reads and never answers, launch after launch."""
    with scratch() as name, backend("stall") as (server, port):
        folder = Path(name)
        text = subprocess.run([str(BINARY), "profile", "sightscreen"], capture_output=True, text=True, check=True).stdout
        # Nothing gives up while this is measured, and every app has all of its reports out at once.
        (folder / "stalled.yaml").write_text(text.replace("  timeout: 10s\n", "  timeout: 1h\n  inOrder: false\n"))
        flags = (
            "--profile", str(folder / "stalled.yaml"), "--set", "reports.opensWithin=never", "--set", f"reports.queue={QUEUE}",
            "--set", f"reports.connections={CONNECTIONS}",
        )
        with fleet(folder, arguments, port, *flags) as (process, admin, _):
            sizes = [resident_kilobytes(process.pid)]
            for round_number in range(arguments.rounds + 2):
                if round_number:
                    ask(f"{admin}/v1/actions", {"do": "terminate", "where": {}})
                ask(f"{admin}/v1/actions", {"do": "open", "where": {}})
                sizes.append(resident_kilobytes(process.pid))
            given_up = metric(admin, r'pushpit_app_calls_total\{end="queueFull"\}')
            seen = tell(server, "count")
    before, first, *more = sizes
    each = (first - before) / arguments.apps
    # The second launch is the first that also fills what remembers the calls that have ended.
    growth = max(more[1:]) / more[0] - 1
    kept = each <= STALL_LIMIT and growth <= ROUND_LIMIT and given_up > 0
    print(f"A backend that never answers; queue {QUEUE:,}, {CONNECTIONS} connections, {arguments.apps:,} apps with all reports out at once:")
    print(f"  resident {' → '.join(f'{size / 1024:.0f}' for size in sizes)} MB over {len(more) + 1} launches of all; "
          f"{seen:,} requests reached it, {given_up:,} found the queue full")
    print(f"  {each:.1f} KB an app (limit {STALL_LIMIT:.0f}); further launches add {growth:.1%} (limit {ROUND_LIMIT:.0%}): {'kept' if kept else 'BROKEN'}")
    return kept


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--apps", type=int, default=10_000)
    parse.add_argument("--rounds", type=int, default=3)
    parse.add_argument("--seconds", type=float, default=5, help="of pushes alone")
    arguments = parse.parse_args()
    need("h2load")
    alone, beside = [], []
    for _ in range(arguments.rounds):
        alone.append(launch(arguments, with_pushes=False))
        beside.append(launch(arguments, with_pushes=True))
    pushes = [pushes_alone(arguments) for _ in range(arguments.rounds)]

    def cell(values) -> str:
        return f"{statistics.median(values):,.0f} ({min(values):,.0f} … {max(values):,.0f})"

    ratio = lambda above, below: statistics.median(above) / statistics.median(below)
    reports = [row[0] for row in alone], [row[0] for row in beside]
    fanned = [row[2] for row in beside]
    print(f"{arguments.apps:,} apps launched at once, {arguments.rounds} rounds, median (min … max):")
    print(f"  {'':<22}{'alone':>26}  {'beside the other':>26}  {'ratio':>6}")
    print(f"  {'reports a second':<22}{cell(reports[0]):>26}  {cell(reports[1]):>26}  {ratio(reports[1], reports[0]):>6.2f}")
    print(f"  {'pushes a second':<22}{cell(pushes):>26}  {cell(fanned):>26}  {ratio(fanned, pushes):>6.2f}")
    cost = statistics.median(row[1] for row in alone)
    is_cheap = cost <= COST_LIMIT
    print(f"  {cost:.0f} µs of processor a report, alone; limit {COST_LIMIT:.0f}: {'kept' if is_cheap else 'BROKEN'}. None was lost.\n", flush=True)
    is_bounded = stall(arguments)
    raise SystemExit(0 if is_cheap and is_bounded else 1)


if __name__ == "__main__":
    main()
