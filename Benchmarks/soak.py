#!/usr/bin/env python3
"""Measures how a server develops that runs for a long time: mixed pushes, faults, clock steps, connections that come
and go, and a slow backend of the apps, for ten minutes. Memory, descriptors, threads and the latency of a client
without faults are printed every ten seconds; after the first part of the time they must be flat.

The same with --pushes and --quiet is the load of `make sanitize`: that number of pushes, without a check of flatness.
"""

import argparse
import asyncio
import json
import multiprocessing
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench_common import REPOSITORY, Pushpit, finish, megabytes, pid, provider_token, pushpit, scratch

sys.path.insert(0, str(REPOSITORY / "Tests/WireTests"))
from pushpit import RefusedError
from wire import Wire

SAMPLE = 10.0
"""Seconds between two lines of the table."""
ANSWER = 4.0
"""Seconds that a client of the load waits for an answer; a fault may hold it back forever."""
LIMITS = {"rss": (0.05, 4.0), "descriptors": (0.1, 8.0), "threads": (0.0, 1.0), "p50": (0.5, 2.0)}
"""By how much a straight line through the later part may rise from its beginning to its end: a share of its level, or
an amount in its own unit (MB, descriptors, threads, milliseconds), whichever is more."""

BACKEND_SECONDS = 0.3
SIGHTSCREEN, CANARY = "com.sightscreen.app", "com.example.canary"
CONFIG = f"""
fleet:
  apps:
    - {{profile: sightscreen}}
    - {{bundleId: {CANARY}, environment: production}}
"""

FAULTS = [
    {"answer": "TooManyRequests", "retryAfter": 5},
    {"answer": "Unregistered", "age": "1h"},
    {"delay": {"from": "5ms", "to": "300ms"}},
    {"delay": {"median": "20ms", "p99": "1s"}},
    {"silence": True},
    {"lose": True},
    {"loseAnswer": "CANCEL"},
    {"reset": "REFUSED_STREAM"},
    {"malformed": '{"reas', "status": 400},
    {"withoutId": True},
    {"answer": "BadDeviceToken", "split": [5, 3], "pause": "20ms", "ends": "apart"},
    {"goAway": "NO_ERROR", "debug": "maintenance", "before": 1},
    {"goAway": "NO_ERROR", "twice": True, "closes": False},
    {"streams": 1, "back": 1000, "after": "2s"},
    {"streams": 10, "surplus": "REFUSED_STREAM"},
    {"window": 16, "withheld": False, "back": 65535, "after": "2s"},
    {"freeze": True, "pings": True},
    {"abort": True},
    {"close": True},
    {"halfClose": True, "goodbye": False},
    {"answerAll": "InternalServerError"},
    {"readSlowly": 2000},
    {"devices": {"do": "goOffline"}},
    {"devices": {"do": "forceQuit", "app": SIGHTSCREEN}, "heal": {"do": "open", "app": SIGHTSCREEN}},
    {"calls": "lose"},
    {"calls": {"delay": "3s"}},
    {"listener": "refuse"},
    {"listener": "slowHandshake", "after": "1s"},
]
BY_CONNECTION = ("goAway", "streams", "window", "freeze", "abort", "close", "halfClose", "answerAll", "readSlowly")


def attempt(call: Callable, *words, **query) -> None:
    """Makes a random call. What it names may no longer exist; any other refusal is a defect."""
    try:
        call(*words, **query)
    except RefusedError as refused:
        if refused.status not in (404, 409, 410, 422):
            raise SystemExit(f"{words} {query} was answered {refused.status}: {refused}") from None


def connected(url: str) -> Pushpit:
    server = Pushpit.connect(url)
    server.admin.timeout = 120
    return server


# The load


@dataclass
class Target:
    url: str
    addresses: dict[str, str]
    ca: str
    key: dict
    seed: int
    pushes: int
    done: "multiprocessing.Value"
    answered: "multiprocessing.Value"
    stop: "multiprocessing.Event"
    pause: float = 0.0
    """Maximum seconds that a client rests after a burst: a load that leaves the server idle now and then."""

    def address(self, environment: str) -> tuple[str, int]:
        host, _, port = self.addresses[environment].rpartition(":")
        return host.strip("[]"), int(port)

    def over(self) -> bool:
        return self.stop.is_set() or (self.pushes > 0 and self.done.value >= self.pushes)


class Book:
    """The current tokens and the world's time, updated every few seconds."""

    def __init__(self, target: Target):
        self.server, self.lock, self.at = connected(target.url), threading.Lock(), 0.0
        self.tokens: dict[str, list[dict]] = {}
        self.ahead, self.last = 0.0, 0.0
        self.channels: list[str] = []

    def make_channels(self, target: Target, jwt: str, count: int = 4) -> None:
        """Channels of the app; activities are started on them, and broadcasts go to them."""
        with Wire(target.address("channels"), target.ca) as wire:
            for _ in range(count):
                headers = [
                    (":method", "POST"),
                    (":scheme", "https"),
                    (":path", f"/1/apps/{SIGHTSCREEN}/channels"),
                    (":authority", "localhost"),
                    ("authorization", "bearer " + jwt),
                ]
                answer = wire.request(headers, b'{"message-storage-policy":1,"push-type":"LiveActivity"}')
                assert answer.status == 201, answer
                self.channels.append(answer.header("apns-channel-id"))

    def look(self) -> None:
        with self.lock:
            if time.monotonic() - self.at < 2:
                return
            for kind in ("device", "pushToStart", "update"):
                page = self.server.admin.get("/v1/tokens", kind=kind, app=SIGHTSCREEN, limit=300, live=True)
                self.tokens[kind] = page["tokens"]
            self.ahead = self.server.clock.now() - time.time()
            self.at = time.monotonic()

    def timestamp(self) -> float:
        with self.lock:
            self.last = max(self.last + 0.001, time.time() + self.ahead)
            return round(self.last, 3)


def a_push(dice: random.Random, book: Book) -> tuple[str, dict, dict]:
    """A token, header fields and an aps."""
    roll = dice.random()
    content = {
        "matchDisplayState": "live",
        "compactLeading": {"teamAbbr": "IND", "score": str(dice.randrange(400))},
        "compactTrailing": {"overs": "12.3", "runRate": "5.1"},
    }
    updates, starts = book.tokens.get("update") or [], book.tokens.get("pushToStart") or []
    if roll < 0.35 and updates:
        event = "end" if roll < 0.03 else "update"
        aps = {"timestamp": book.timestamp(), "event": event, "content-state": content}
        return dice.choice(updates), {"apns-push-type": "liveactivity", "apns-priority": dice.choice(["5", "10"])}, aps
    if roll < 0.42 and starts:
        aps = {
            "timestamp": book.timestamp(),
            "event": "start",
            "content-state": content,
            "attributes-type": "MatchAttributes",
            "attributes": {"matchId": str(dice.randrange(50))},
            "alert": {"title": "Toss", "body": "won"},
        }
        if dice.random() < 0.5:
            aps["input-push-channel"] = dice.choice(book.channels)
        return dice.choice(starts), {"apns-push-type": "liveactivity"}, aps
    devices = book.tokens["device"]
    if roll < 0.55:
        return dice.choice(devices), {"apns-push-type": "background", "apns-priority": "5"}, {"content-available": 1}
    aps = {
        "alert": {"title": "Wicket", "body": "x" * dice.choice([10, 100, 1000, 3000])},
        "sound": "wicket.caf",
        "badge": dice.randrange(9),
    }
    fields = {"apns-push-type": "alert"}
    if dice.random() < 0.3:
        fields["apns-collapse-id"] = f"c{dice.randrange(20)}"
    return dice.choice(devices), fields, aps


def provide(target: Target, book: Book, number: int, jwt: str) -> None:
    """Connects, sends bursts, and disconnects, cleanly or not, like a client."""
    dice = random.Random(f"{target.seed} client {number}")
    while not target.over():
        book.look()
        try:
            with Wire(target.address("sandbox"), target.ca) as wire:
                left = dice.choice([1, 20, 100, 400])
                burst = 1
                while left > 0 and not target.over():
                    # A connection's first push goes alone, because streams beside it would be refused.
                    streams = [begin(wire, dice, book, jwt) for _ in range(min(burst, left))]
                    left -= len(streams)
                    burst = dice.choice([1, 5, 30])
                    read(wire, streams, target, dice)
                    if wire.closed or wire.goaway:
                        break
                    book.look()
                    time.sleep(dice.random() * target.pause)
        except (OSError, AssertionError):
            time.sleep(0.1)


def begin(wire: Wire, dice: random.Random, book: Book, jwt: str) -> int:
    if dice.random() < 0.01:
        return broadcast(wire, dice, book, jwt)
    token, fields, aps = a_push(dice, book)
    headers = [
        (":method", "POST"),
        (":scheme", "https"),
        (":path", "/3/device/" + token["token"]),
        (":authority", "localhost"),
        ("authorization", "bearer " + jwt),
        ("apns-topic", token["topic"]),
        *fields.items(),
    ]
    stream = wire.begin(headers, json.dumps({"aps": aps}).encode())
    if dice.random() < 0.01:
        wire.cancel(stream)
        wire.answers[stream].ended = True
    return stream


def broadcast(wire: Wire, dice: random.Random, book: Book, jwt: str) -> int:
    headers = [
        (":method", "POST"),
        (":scheme", "https"),
        (":path", f"/4/broadcasts/apps/{SIGHTSCREEN}"),
        (":authority", "localhost"),
        ("authorization", "bearer " + jwt),
        ("apns-channel-id", dice.choice(book.channels)),
        ("apns-push-type", "liveactivity"),
        ("apns-priority", "10"),
        ("apns-expiration", "0"),
    ]
    aps = {"timestamp": book.timestamp(), "event": "update", "content-state": {"matchDisplayState": "all"}}
    return wire.begin(headers, json.dumps({"aps": aps}).encode())


def read(wire: Wire, streams: list[int], target: Target, dice: random.Random) -> None:
    answers = [wire.answers[stream] for stream in streams]
    try:
        wire.until(lambda: all(a.ended or a.reset is not None for a in answers), ANSWER)
    finally:
        with target.done.get_lock():
            target.done.value += len(answers)
        with target.answered.get_lock():
            target.answered.value += sum(1 for a in answers if a.status is not None)
        for stream in streams:
            wire.answers.pop(stream, None)
            wire.stream_windows.pop(stream, None)
        wire.frames.clear()


def load(target: Target, connections: int) -> None:
    book, jwt = Book(target), provider_token(target.key)
    book.make_channels(target, jwt)
    threads = [threading.Thread(target=provide, args=(target, book, number, jwt)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def canary(target: Target, latencies: "multiprocessing.Queue") -> None:
    """A push every 50 ms on a connection of its own, to the other environment, where no fault is set."""
    jwt = provider_token(target.key)
    tokens = connected(target.url).admin.get("/v1/tokens", kind="device", app=CANARY, limit=100)["tokens"]
    wire, count = None, 0
    while not target.stop.is_set():
        if wire is None or count % 500 == 0:
            if wire:
                wire.close()
            wire = Wire(target.address("production"), target.ca)
        token = tokens[count % len(tokens)]
        count += 1
        headers = [
            (":method", "POST"),
            (":scheme", "https"),
            (":path", "/3/device/" + token["token"]),
            (":authority", "localhost"),
            ("authorization", "bearer " + jwt),
            ("apns-topic", token["topic"]),
        ]
        began = time.perf_counter()
        answer = wire.request(headers, b'{"aps":{"alert":"canary"}}')
        took = time.perf_counter() - began
        if answer.verdict not in [(200, None), (410, "Unregistered")]:
            latencies.put(("wrong", f"the canary was answered {answer.verdict}"))
        latencies.put(("took", took * 1000))
        wire.frames.clear()
        target.stop.wait(max(0.0, 0.05 - took))


class Backend(threading.Thread):
    """Answers every call of the apps, late."""

    def __init__(self):
        super().__init__(daemon=True)
        self.loop, self.port, self.up = asyncio.new_event_loop(), 0, threading.Event()
        self.calls = 0

    def run(self) -> None:
        self.loop.run_until_complete(self.serve())
        self.loop.run_forever()

    async def serve(self) -> None:
        server = await asyncio.start_server(self.answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self.up.set()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = head.partition(b"content-length:")[2].split(b"\r\n")[0]
                await reader.readexactly(int(length or 0))
                self.calls += 1
                await asyncio.sleep(BACKEND_SECONDS)
                writer.write(
                    b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{"follows":[]}'
                )
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            writer.close()


# What is done to the world meanwhile


class Meddler:
    def __init__(self, server: Pushpit, seed: int):
        self.server, self.dice, self.count = server, random.Random(f"{seed} meddler"), 0
        self.counts = {"faults": 0, "steps": 0, "queries": 0, "orders": 0}

    def meddle(self) -> None:
        self.count += 1
        roll = self.dice.random()
        if roll < 0.3:
            self.fault()
        elif roll < 0.4:
            self.counts["steps"] += 1
            self.server.clock.advance(self.dice.choice(["1s", "30s", "10m", "2h"]))
        elif roll < 0.5:
            self.counts["orders"] += 1
            do = self.dice.choice(["goOnline", "goOffline", "lock", "unlock", "reboot", "clearNotifications"])
            attempt(self.server.admin.post, f"/v1/devices/d{self.dice.randrange(50)}/actions", {"do": do})
        else:
            self.counts["queries"] += 1
            self.query(f"/v1/devices/d{self.dice.randrange(50)}")

    def query(self, device: str) -> None:
        path, query = self.dice.choice(
            [
                ("/v1/pushes", {"limit": 100}),
                ("/v1/pushes", {"topic": SIGHTSCREEN, "status": 200, "limit": 50}),
                ("/v1/devices", {"limit": 100}),
                ("/metrics", {}),
                ("/v1/connections", {}),
                ("/v1/troubles", {"limit": 100}),
                ("/v1/calls", {"limit": 100}),
                ("/v1/faults", {}),
                ("/v1/findings", {}),
                ("/health", {}),
                (f"{device}/screen", {}),
                (f"{device}/log", {"limit": 50}),
            ]
        )
        if path == "/metrics":
            self.server.metrics()
        else:
            attempt(self.server.admin.get, path, **query)

    def fault(self) -> None:
        self.counts["faults"] += 1
        if self.dice.random() < 0.1:
            self.heal()
            return
        then = self.dice.choice(FAULTS)
        fault = {"name": f"f{self.dice.randrange(12)}", "then": then, "for": self.dice.choice(["1s", "5s", "20s"])}
        if "listener" in then:
            fault |= {"when": {"environment": "sandbox"}, "for": "1s"}
        elif "devices" in then:
            fault |= {"when": {"share": "10%"}}
        elif "calls" not in then:
            fault |= {"when": {"environment": "sandbox"}, "odds": "20%"}
            if any(word in then for word in BY_CONNECTION):
                fault |= {"odds": "2%", "limit": 5}
        attempt(self.server.admin.post, "/v1/faults", fault)

    def heal(self) -> None:
        self.server.delete_faults()


# Measuring


@dataclass
class Sample:
    at: float
    rss: float
    descriptors: int
    threads: int
    pushes: int
    p50: float
    p99: float
    connections: int


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)] if ordered else float("nan")


def slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """The rise of the straight line through the points from the first to the last, and its level in the middle."""
    n = len(points)
    x, y = sum(p[0] for p in points) / n, sum(p[1] for p in points) / n
    spread = sum((p[0] - x) ** 2 for p in points)
    rise = sum((p[0] - x) * (p[1] - y) for p in points) / spread if spread else 0.0
    return rise * (points[-1][0] - points[0][0]), y


def lowest(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The lowest value of each minute, if there are enough minutes: connections come and go, and the lowest value shows
    those that are never closed."""
    minutes: dict[int, tuple[float, float]] = {}
    for at, value in points:
        minutes[int(at // 60)] = min(minutes.get(int(at // 60), (at, value)), (at, value), key=lambda point: point[1])
    return list(minutes.values()) if len(minutes) >= 5 else points


def judge(samples: list[Sample], first: float) -> bool:
    later = [s for s in samples if s.at >= first]
    if len(later) < 5:
        sys.exit("too short for a verdict: at least five samples must lie behind the first part")
    sound = True
    for name, (share, least) in LIMITS.items():
        points = [(s.at, getattr(s, name)) for s in later]
        rise, level = slope(lowest(points) if name == "descriptors" else points)
        bound = max(share * level, least)
        kept = rise <= bound
        sound = sound and kept
        print(
            f"  {name:<12} rises by {rise:>7.2f} over the later part, at a level of {level:>8.2f}; limit "
            f"{bound:.2f}: {'kept' if kept else 'BROKEN'}"
        )
    return sound


def serve(folder: Path, backend: int, loops: int, fleet: int):
    config = folder / "soak.yaml"
    config.write_text(CONFIG)
    return pushpit(
        folder / "state",
        loops=loops,
        fleet=fleet,
        config=config,
        backend=f"http://127.0.0.1:{backend}",
        seed=1,
        # All bounded stores (pushes, calls, events, phones) are full long before the time that is judged.
        ledger=1000,
        settings={"fleet.memoryPerDevice": 16384},
        timeout=180,
    )


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--minutes", type=float, default=10)
    parse.add_argument("--first", type=float, default=None, help="minutes that are not judged (default a third of all)")
    parse.add_argument("--connections", type=int, default=16)
    parse.add_argument("--loops", type=int, default=4)
    parse.add_argument(
        "--fleet",
        type=int,
        default=60,
        help="phones: few, so that all they keep is full before the judged part (default 60)",
    )
    parse.add_argument("--pushes", type=int, default=0, help="end after so many (default: after the minutes)")
    parse.add_argument(
        "--quiet", action="store_true", help="no table and no verdict; only that the server lives and ends well"
    )
    parse.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    arguments = parse.parse_args()
    print(f"seed {arguments.seed}; faults, steps and pushes are drawn from it, their moments are not", flush=True)

    context = multiprocessing.get_context("spawn")
    backend = Backend()
    backend.start()
    backend.up.wait(10)
    with scratch() as name, serve(Path(name), backend.port, arguments.loops, arguments.fleet) as server:
        target = Target(
            server.url,
            server.ready["listeners"],
            server.ca,
            server.key,
            arguments.seed,
            arguments.pushes,
            context.Value("q", 0),
            context.Value("q", 0),
            context.Event(),
            0.0 if arguments.quiet else 0.4,
        )
        latencies = context.Queue()
        helpers = [
            context.Process(target=load, args=(target, arguments.connections)),
            context.Process(target=canary, args=(target, latencies)),
        ]
        for helper in helpers:
            helper.start()
        try:
            samples, wrong = watch(server, target, latencies, helpers, arguments)
        finally:
            target.stop.set()
            drain(latencies)
            for helper in helpers:
                helper.join(30)
                if helper.is_alive():
                    helper.kill()
            finish(server)
        report(server, samples, wrong, arguments, backend, target)


def drain(latencies: "multiprocessing.Queue") -> tuple[list[float], list[str]]:
    took, wrong = [], []
    while not latencies.empty():
        kind, value = latencies.get()
        (took if kind == "took" else wrong).append(value)
    return took, wrong


def watch(server: Pushpit, target: Target, latencies, helpers, arguments) -> tuple[list[Sample], list[str]]:
    process, meddler = server.server.process, Meddler(server, arguments.seed)
    began = time.monotonic()
    samples: list[Sample] = []
    wrong: list[str] = []
    if not arguments.quiet:
        print(
            f"{'s':>6} {'MB':>8} {'fds':>5} {'threads':>8} {'conns':>6} {'pushes/s':>9} {'p50 ms':>8} {'p99 ms':>8}",
            flush=True,
        )
    next_sample, last = began + SAMPLE, (began, 0)
    while time.monotonic() - began < arguments.minutes * 60 and not target.over():
        if process.poll() is not None:
            wrong.append(f"the server ended with {process.returncode}")
            break
        if not all(helper.is_alive() for helper in helpers):
            wrong.append("a client of the load ended by itself")
            break
        meddler.meddle()
        time.sleep(0.02 if arguments.quiet else 0.2)
        if time.monotonic() < next_sample:
            continue
        now = time.monotonic()
        took, found = drain(latencies)
        wrong += found
        pushes = target.done.value
        sample = Sample(
            now - began,
            megabytes(pid(server)),
            len(os.listdir(f"/proc/{pid(server)}/fd")),
            len(os.listdir(f"/proc/{pid(server)}/task")),
            round((pushes - last[1]) / (now - last[0])),
            percentile(took, 0.5),
            percentile(took, 0.99),
            len(server.admin.get("/v1/connections", limit=1000)["connections"]),
        )
        last, next_sample = (now, pushes), now + SAMPLE
        samples.append(sample)
        if not arguments.quiet:
            print(
                f"{sample.at:6.0f} {sample.rss:8.1f} {sample.descriptors:5} {sample.threads:8} "
                f"{sample.connections:6} {sample.pushes:9}"
                f" {sample.p50:8.2f} {sample.p99:8.2f}",
                flush=True,
            )
    if process.poll() is None:
        meddler.heal()
    print(", ".join(f"{count} {what}" for what, count in meddler.counts.items()))
    return samples, wrong


def report(server: Pushpit, samples, wrong, arguments, backend: Backend, target: Target) -> None:
    code, log = server.server.process.returncode, server.server.log.read_text(errors="replace")
    print(f"{target.done.value} pushes, {target.answered.value} of them answered; {backend.calls} calls of apps")
    if code != 0:
        wrong.append(f"the server ended with {code}:\n{log[-20_000:]}")
    for marker in ("ERROR: AddressSanitizer", "WARNING: ThreadSanitizer", "Fatal error"):
        if marker in log:
            wrong.append(f"{log.count(marker)} times {marker}:\n{log[log.index(marker) :][:20_000]}")
    if target.done.value == 0 or target.answered.value < target.done.value * 0.3:
        wrong.append("hardly a push was answered: this was no load")
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    sound = not wrong
    if not arguments.quiet and not wrong:
        sound = judge(samples, (arguments.first if arguments.first is not None else arguments.minutes / 3) * 60)
    raise SystemExit(0 if sound else 1)


if __name__ == "__main__":
    main()
