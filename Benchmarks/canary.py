#!/usr/bin/env python3
"""Measures how long a push waits while the server does something large, compared with the same push to an idle server.

A canary is a client in its own process with one connection and a push every 50 ms. There is one for each of three
servers, all at the same time: one with a million devices and a full ledger, one with 2,000 devices whose start tokens
are replaced each hour, and one that is left alone. In turn: nothing happens; the first gives pages of 1,000 pushes and
searches its whole ledger for a topic; the clock of the second goes on by 100 days; all devices of the first start an
activity that subscribes to a channel, and get a broadcast; a fault sends them offline; the first evaluates 1,000
expectations about its whole ledger; and another program holds the lock of its state folder while a key is ordered.

The limit is the longest hold of the lock, by the processor time of the holder, as /metrics has it.
"""

import argparse
import fcntl
import json
import statistics
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from bench_common import APP, BINARY, SMOOTH, Load, Pushpit, finish, need, provider_token, pushpit, scratch
from pushpit import RefusedError

INTERVAL = 0.05
LONGEST_HOLD = 0.005


def canary(url: str, authority: str, token: str, jwt: str, seconds: float) -> None:
    """Writes when each push began (CLOCK_MONOTONIC) and how long it took."""
    import ssl

    import httpx

    context = ssl.create_default_context(cafile=authority)
    headers = {"authorization": f"bearer {jwt}", "apns-topic": "com.example.app", "apns-push-type": "alert"}
    with httpx.Client(http2=True, http1=False, verify=context, trust_env=False, timeout=120) as client:
        due = time.monotonic()
        end = due + seconds
        while due < end:
            begin = time.monotonic()
            response = client.post(f"{url}/3/device/{token}", headers=headers, content=b'{"aps":{"alert":"x"}}')
            took = time.monotonic() - begin
            assert response.status_code == 200, response.text
            print(f"{begin:.6f} {took:.6f}", flush=True)
            # Pushes that would have been sent while this one waited are not: one long wait is one long wait.
            due = max(due + INTERVAL, time.monotonic())
            time.sleep(max(0.0, due - time.monotonic()))


def many_expectations() -> list[dict]:
    """As many as a request may have. Half of them fail, and the ledger is searched for the reason."""

    def claim(number: int) -> dict:
        return {"name": f"e{number}", "all": {"status": 200 if number % 2 else 410}}

    by_device = [{**claim(number), "pushes": {"device": f"d{number}"}} for number in range(500)]
    return by_device + [{**claim(number), "pushes": {"app": "com.example.app"}} for number in range(500, 1000)]


@contextmanager
def held_lock(state: Path):
    """Holds the lock of a state folder, as another program does."""
    with (state / ".lock").open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def order_key(server: Pushpit) -> None:
    """The server may refuse it because it does not get the lock."""
    with suppress(RefusedError):
        server.admin.post("/v1/keys", timeout=60)


def lock(server: Pushpit) -> dict[str, float]:
    """Upper ends of the buckets, and how many holds were at most that long."""
    value = server.metrics()
    return {
        "longest": value["pushpit_lock_longest_microseconds"] / 1e6,
        "count": value["pushpit_lock_seconds_count"],
        "within": value[f'pushpit_lock_seconds_bucket{{le="{LONGEST_HOLD}"}}'],
    }


def command(server: Pushpit, *words: str) -> str:
    """Runs a command of the program against a server, and returns its output."""
    line = [str(BINARY), *words, "--state", str(server.server.state), "--admin", server.url]
    return subprocess.run(line, check=True, capture_output=True, text=True, timeout=600).stdout.strip()


def subscribe(server: Pushpit) -> str:
    """Starts an activity on each device that subscribes to a new channel; gives the id of the channel."""
    channel = command(server, "channels", "create", "--stores")
    order = {"do": "startActivity", "app": server.app, "pushType": "channel", "channel": channel, "where": {}}
    while (cursor := server.admin.post("/v1/actions", order)["next"]) is not None:
        order["cursor"] = cursor
    return channel


def broadcast(server: Pushpit, channel: str, device: int) -> None:
    """Publishes to a channel, until the card on the last of its phones has changed."""
    content = {"home": 3, "away": 1, "minute": 62, "text": "everybody"}
    aps = {"timestamp": int(time.time()) + 60, "event": "update", "content-state": content}
    command(server, "send", "--channel", channel, "--payload", json.dumps({"aps": aps}))
    server.phone(f"d{device}").expect(within=300, card={"contentState": content})


def row(times: list[float]) -> str:
    times = sorted(times)
    if not times:
        return f"{0:>6}"
    p99 = times[min(len(times) - 1, int(len(times) * 0.99))]
    return f"{len(times):>6} {statistics.median(times) * 1000:>9.2f} {p99 * 1000:>9.2f} {times[-1] * 1000:>9.2f}"


def fill(folder: Path, server: Pushpit, pushes: int) -> None:
    query = {"kind": "update", "app": server.app, "environment": "sandbox", "live": True, "limit": 1000}
    tokens = [row["token"] for row in server.admin.get("/v1/tokens", **query)["tokens"]]
    Load.of(folder, server, tokens, "fill").run(4, 50, pushes, None)


def main() -> None:
    if sys.argv[1:2] == ["--canary"]:
        url, authority, token, jwt, seconds = sys.argv[2:]
        return canary(url, authority, token, jwt, float(seconds))
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--fleet", type=int, default=1_000_000)
    parse.add_argument(
        "--phones", type=int, default=2_000, help="devices of the server whose clock is moved (default 2000)"
    )
    parse.add_argument("--days", type=int, default=100)
    parse.add_argument("--ledger", type=int, default=50_000, help="pushes in the full ledger (default 50000)")
    parse.add_argument("--seconds", type=float, default=10, help="length of each phase, at least (default 10)")
    parse.add_argument("--loops", type=int, default=1)
    arguments = parse.parse_args()
    need("h2load")

    rotation = {**SMOOTH["settings"], "startTokens.rotation": "1h"}
    with scratch() as name, ExitStack() as stack:
        folder = Path(name)

        def server(label: str, **own) -> Pushpit:
            flags = {**SMOOTH, "config": APP, "loops": arguments.loops, **own}
            return stack.enter_context(pushpit(folder / label, **flags))

        servers = {
            # Channels begin with iOS 18.
            "fleet": server("fleet", fleet=arguments.fleet, ledger=arguments.ledger, os="26.1:1"),
            "clock": server("clock", fleet=arguments.phones, settings=rotation),
            "idle": server("idle", fleet=10),
        }
        fleet = servers["fleet"]
        fill(folder, fleet, arguments.ledger)
        canaries, outputs = {}, {}
        for label, watched in servers.items():
            outputs[label] = folder / f"canary-{label}.txt"
            command = [
                sys.executable,
                __file__,
                "--canary",
                watched.apns(),
                watched.ca,
                watched.phone("d0").token(),
                provider_token(watched.key),
                "3600",
            ]
            canaries[label] = subprocess.Popen(command, stdout=outputs[label].open("w"))
            stack.callback(finish, canaries[label])
        time.sleep(2)
        phases: list[tuple[str, str, float, float]] = []
        over: list[int] = []
        stopped: list[str] = []

        def phase(title: str, busy: str, work) -> None:
            before, begin = lock(servers[busy]), time.monotonic()
            work(begin + arguments.seconds)
            phases.append((title, busy, begin, time.monotonic()))
            after = lock(servers[busy])
            over.append(round(after["count"] - after["within"] - before["count"] + before["within"]))
            time.sleep(1)

        def pages(until: float) -> None:
            while time.monotonic() < until:
                fleet.pushes(limit=1000)
                fleet.pushes(topic="none")

        def step(_: float) -> None:
            # Apps that have been launched have tokens to replace. The order is answered when the world has reached its
            # time.
            for do in ("terminate", "open"):
                servers["clock"].admin.post("/v1/actions", {"do": do, "where": {}})
            servers["clock"].clock.advance(f"{arguments.days}d")

        channels = []

        def activities(_: float) -> None:
            channels.append(subscribe(fleet))

        def message(_: float) -> None:
            broadcast(fleet, channels[0], arguments.fleet - 1)

        def fault(_: float) -> None:
            wave = fleet.fault("wave", devices={"do": "goOffline"})
            fleet.wait_for(lambda: wave.state()["pending"] == 0, within=600)

        def expectations(_: float) -> None:
            fleet.admin.post("/v1/verify", {"expect": many_expectations()})

        def folder_lock(_: float) -> None:
            order = threading.Thread(target=order_key, args=(fleet,))
            with held_lock(folder / "fleet"):
                order.start()
                for _ in range(20):
                    time.sleep(0.1)
                    try:
                        urllib.request.urlopen(fleet.url + "/health", timeout=2).close()
                    except OSError as problem:
                        stopped.append(str(problem))
                        break
            order.join()

        phase("nothing", "fleet", lambda until: time.sleep(until - time.monotonic()))
        phase("nothing", "clock", lambda until: time.sleep(until - time.monotonic()))
        phase("pages and searches", "fleet", pages)
        phase(f"{arguments.days} days of {arguments.phones} phones", "clock", step)
        phase(f"activities on {arguments.fleet} devices", "fleet", activities)
        phase(f"broadcast to {arguments.fleet} devices", "fleet", message)
        phase(f"fault on {arguments.fleet} devices", "fleet", fault)
        phase("1,000 expectations", "fleet", expectations)
        phase("lock of the state folder", "fleet", folder_lock)
        holds = {label: lock(watched) for label, watched in servers.items()}
        for label, process in canaries.items():
            assert process.poll() is None, f"the canary of {label} has died"
        seen = {
            label: [tuple(map(float, line.split())) for line in output.read_text().splitlines() if line.count(" ") == 1]
            for label, output in outputs.items()
        }

    print(f"{'milliseconds':<34} {'canary':<6} {'pushes':>6} {'p50':>9} {'p99':>9} {'max':>9}")
    for (title, busy, begin, end), holds_over in zip(phases, over):
        if holds_over:
            print(f"{holds_over} holds over {LONGEST_HOLD * 1000:.0f} ms while:")
        for label in (busy, "idle"):
            own = [took for at, took in seen[label] if begin <= at < end]
            print(f"{title + f' ({end - begin:.1f} s)':<34} {label:<6} {row(own)}")
    for problem in stopped:
        print(f"GET /health was not answered while another program held the lock of the state folder: {problem}")
    kept = not stopped
    for label, hold in holds.items():
        beyond = hold["count"] - hold["within"]
        print(
            f"holds of the lock, {label}: {hold['count']:.0f}, longest {hold['longest'] * 1000:.2f} ms, {beyond:.0f} "
            f"over {LONGEST_HOLD * 1000:.0f} ms"
        )
        kept = kept and beyond == 0
    raise SystemExit(0 if kept else 1)


if __name__ == "__main__":
    main()
