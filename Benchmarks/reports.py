#!/usr/bin/env python3
"""Reports of 10,000 apps that are launched at once, alone and beside a push fan-out, and memory when nobody answers.

The world's clock is manual: one step of it launches all. Every report that is due must arrive, however long it takes;
how many a second is printed, and the processor time of one is limited, because that depends less on the machine.
"""

import argparse
import select
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from bench_common import (
    BINARY,
    Load,
    Pushpit,
    cpu_nanoseconds,
    finish,
    megabytes,
    need,
    pid,
    pushpit,
    scratch,
)

APP = "com.sightscreen.app"
COST_LIMIT = 200.0
"""Processor microseconds of Pushpit for a report: launch, token, template, request, answer, ledger."""
MANY, MANY_LIMIT = 4, 1.6
"""With this many times the apps, a report may cost this much more: queues must not be searched."""
QUEUES, CONNECTIONS, LAUNCHES = (5_000, 20_000), 64, 4
CALL_LIMIT = 2.0
"""KB for each call that is open or waits, beyond what the same apps take with a backend that answers."""
GROWTH_LIMIT = 0.05
"""Share that launches may add once two have filled what remembers ended calls, and the allocator's own stores."""


def calls(server: Pushpit, end: str) -> float:
    return server.metrics().get(f'pushpit_app_calls_total{{end="{end}"}}', 0)


def tokens(server: Pushpit, kind: str) -> list[str]:
    return [row["token"] for row in server.admin.pages("/v1/tokens", "tokens", kind=kind, app=APP)]


def patient(folder: Path, in_order: bool = True) -> str:
    """The profile sightscreen, with apps that do not give up while a slow machine works on their reports."""
    text = subprocess.run([str(BINARY), "profile", "sightscreen"], capture_output=True, text=True, check=True).stdout
    changed = text.replace("  timeout: 10s\n", "  timeout: 1h\n" + ("" if in_order else "  inOrder: false\n"))
    assert changed != text
    (folder / "patient.yaml").write_text(changed)
    return str(folder / "patient.yaml")


def read_line(process: subprocess.Popen, timeout: float, what: str) -> str:
    deadline, line = time.monotonic() + timeout, b""
    while not line.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            process.kill()
            sys.exit(f"{what} was not ready within {timeout:.0f} s")
        byte = process.stdout.read1(65_536)
        if not byte:
            sys.exit(f"{what} ended with {process.wait()} before it was ready")
        line += byte
    return line.decode()


@contextmanager
def backend(mode: str):
    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("backend.py")), mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        yield process, int(read_line(process, 30, "the backend"))
    finally:
        finish(process)


def tell(process: subprocess.Popen, words: str, timeout: float = 600) -> int:
    process.stdin.write(f"{words}\n".encode())
    process.stdin.flush()
    return int(read_line(process, timeout, "the backend"))


def fleet(folder: Path, apps: int, port: int, settings: dict, **flags):
    return pushpit(
        folder / "state",
        fleet=apps,
        ideal=True,
        prompt="never",
        clock="manual",
        settings={"timing.immediate": "true", **settings},
        backend=f"http://127.0.0.1:{port}",
        token_requests_per_second=0,
        **flags,
    )


@contextmanager
def fan_out(folder: Path, server: Pushpit, targets: list[str]):
    """Pushes from h2load until the end of the block, which begins when the first have been answered."""
    load = Load.of(folder, server, targets, "fan-out").alerts(APP)
    (folder / "alert.json").write_text('{"aps":{"alert":{"title":"Wicket","body":"Kohli is out"}}}')
    command = [
        "h2load",
        "-D",
        "600",
        "-c",
        "8",
        "-m",
        "10",
        "-t",
        "1",
        "-d",
        str(folder / "alert.json"),
        "-i",
        str(load.uris),
        *load.headers,
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        until(lambda: pushed(server) >= 1000, "h2load does not push")
        yield
        if process.poll() is not None:
            sys.exit("h2load ended before the reports did")
    finally:
        finish(process)


def pushed(server: Pushpit) -> float:
    return server.metrics().get('pushpit_pushes_total{environment="sandbox",status="200",reason=""}', 0)


def launch(arguments, with_pushes: bool, apps: int | None = None) -> tuple[float, float, float, float]:
    """Reports a second, pushes a second, and microseconds of Pushpit and of the backend for each report."""
    apps = apps or arguments.apps
    with scratch() as name, backend("answer") as (receiver, port):
        folder = Path(name)
        settings = {"reports.opensWithin": "1s", "reports.queue": 2 * apps}
        with fleet(folder, apps, port, settings, profile=patient(folder)) as server:
            devices = tokens(server, "device")
            # What is followed, whether updates may be frequent, the device token; from iOS 17.2 on the start token.
            due = 3 * len(devices) + len(tokens(server, "pushToStart"))

            def measured() -> tuple[float, float, float, float]:
                processes = (pid(server), receiver.pid)
                cpu = [cpu_nanoseconds(process) for process in processes]
                pushes, began = pushed(server), time.monotonic_ns()
                server.clock.advance("2s")
                seconds = (tell(receiver, f"expect {due}") - began) / 1e9
                ours, theirs = (cpu_nanoseconds(process) - at for process, at in zip(processes, cpu))
                return due / seconds, (pushed(server) - pushes) / seconds, ours / due / 1000, theirs / due / 1000

            if with_pushes:
                with fan_out(folder, server, devices):
                    result = measured()
            else:
                result = measured()
            until(lambda: calls(server, "answered") >= due, f"not all of {due} reports have ended")
            if tell(receiver, "count") != due:
                sys.exit(f"{due} reports were due, and {tell(receiver, 'count')} came")
            return result


def until(holds, otherwise: str) -> None:
    """Polls counters, because nothing announces their changes."""
    deadline = time.monotonic() + 60
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(otherwise)
        time.sleep(0.02)


def pushes_alone(arguments) -> float:
    with (
        scratch() as name,
        fleet(Path(name), arguments.apps, 9, {"reports.opensWithin": "never"}, profile="sightscreen") as server,
        fan_out(Path(name), server, tokens(server, "device")),
    ):
        pushes, began = pushed(server), time.monotonic()
        time.sleep(arguments.seconds)  # the span that is measured
        return (pushed(server) - pushes) / (time.monotonic() - began)


def launches(arguments, mode: str, queue: int) -> tuple[list[float], int]:
    """Megabytes before and after each launch of all apps, and how many calls found the queue full."""
    with scratch() as name, backend(mode) as (receiver, port):
        folder = Path(name)
        settings = {"reports.opensWithin": "never", "reports.queue": queue, "reports.connections": CONNECTIONS}
        with fleet(folder, arguments.apps, port, settings, profile=patient(folder, in_order=False)) as server:
            due = 3 * len(tokens(server, "device")) + len(tokens(server, "pushToStart"))
            sizes = [megabytes(pid(server))]
            for count in range(1, LAUNCHES + 1):
                # Ends the process, and with it the calls of the launch before.
                server.admin.post("/v1/actions", {"do": "terminate", "where": {}})
                server.admin.post("/v1/actions", {"do": "open", "where": {}})
                if mode == "answer":
                    until(
                        lambda ended=count * due: calls(server, "queueFull") + calls(server, "answered") >= ended,
                        "not all reports have ended",
                    )
                else:
                    beyond = count * max(0, due - queue - CONNECTIONS)
                    until(
                        lambda beyond=beyond: calls(server, "queueFull") >= beyond,
                        "calls beyond the queue are not given up",
                    )
                    tell(receiver, f"expect {count * CONNECTIONS}")
                sizes.append(megabytes(pid(server)))
            return sizes, int(calls(server, "queueFull"))


def stall(arguments) -> bool:
    """Memory when the backend reads and never answers, beside one that answers the same."""
    print(
        f"A backend that never answers beside one that does; {arguments.apps:,} apps with all reports out at once, "
        f"{CONNECTIONS} connections:"
    )
    kept = True
    for queue in QUEUES:
        (calm, _), (stalled, full) = launches(arguments, "answer", queue), launches(arguments, "stall", queue)
        each = max(0.0, max(stalled) - max(calm)) * 1024 / (queue + CONNECTIONS)
        growth = max(stalled[3:]) / stalled[2] - 1
        holds = each <= CALL_LIMIT and growth <= GROWTH_LIMIT
        kept = kept and holds

        def line(sizes: list[float]) -> str:
            return " → ".join(f"{size:.0f}" for size in sizes)

        print(
            f"  queue {queue:,}: answered {line(calm)} MB, stalled {line(stalled)} MB, ratio "
            f"{max(stalled) / max(calm):.2f}; {full:,} calls found no room"
        )
        print(
            f"    {each:.1f} KB for each call that may be open or wait (limit {CALL_LIMIT:.0f}); launches after the "
            f"second add {growth:.1%} "
            f"(limit {GROWTH_LIMIT:.0%}): {'kept' if holds else 'BROKEN'}",
            flush=True,
        )
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

    def ratio(above, below) -> float:
        return statistics.median(above) / statistics.median(below)

    reports = [row[0] for row in alone], [row[0] for row in beside]
    fanned = [row[1] for row in beside]
    print(f"{arguments.apps:,} apps launched at once, {arguments.rounds} rounds, median (min … max):")
    print(f"  {'':<22}{'alone':>26}  {'beside the other':>26}  {'ratio':>6}")
    print(
        f"  {'reports a second':<22}{cell(reports[0]):>26}  {cell(reports[1]):>26}  "
        f"{ratio(reports[1], reports[0]):>6.2f}"
    )
    print(f"  {'pushes a second':<22}{cell(pushes):>26}  {cell(fanned):>26}  {ratio(fanned, pushes):>6.2f}")
    cost, backends = (statistics.median(row[n] for row in alone) for n in (2, 3))
    many = launch(arguments, with_pushes=False, apps=MANY * arguments.apps)[2]
    is_cheap = cost <= COST_LIMIT and many / cost <= MANY_LIMIT
    print(
        f"  {cost:.0f} µs of processor a report, alone (its backend: {backends:.0f}), limit {COST_LIMIT:.0f}; of "
        f"{MANY * arguments.apps:,} apps "
        f"{many:.0f}, ratio {many / cost:.2f}, limit {MANY_LIMIT}: {'kept' if is_cheap else 'BROKEN'}. None was "
        f"lost.\n",
        flush=True,
    )
    is_bounded = stall(arguments)
    raise SystemExit(0 if is_cheap and is_bounded else 1)


if __name__ == "__main__":
    main()
