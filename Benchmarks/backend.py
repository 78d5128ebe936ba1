#!/usr/bin/env python3
"""A backend for reports.py, as fast as one Python process can be: it answers every request at once with the same 200
(`answer`), or reads and never answers (`stall`).

It prints its port. After `expect N` on standard input, it prints the CLOCK_MONOTONIC nanoseconds at which it has read N
requests in all; after `count`, how many it has read.
"""

import asyncio
import re
import sys
import time

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n" + b'{"follows":[]}'
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.I)


class Tally:
    seen = 0
    expected = None

    def add(self, requests: int) -> None:
        self.seen += requests
        self.tell()

    def tell(self) -> None:
        if self.expected is not None and self.seen >= self.expected:
            self.expected = None
            print(time.monotonic_ns(), flush=True)


class Connection(asyncio.Protocol):
    def __init__(self, tally: Tally, answers: bool):
        self.tally, self.answers, self.rest = tally, answers, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        data, found = self.rest + data, 0
        while (end := data.find(b"\r\n\r\n")) >= 0:
            length = LENGTH.search(data, 0, end)
            end += 4 + (int(length[1]) if length else 0)
            if len(data) < end:
                break
            data, found = data[end:], found + 1
        self.rest = data
        if found:
            if self.answers:
                self.transport.write(ANSWER * found)
            self.tally.add(found)


async def main(answers: bool) -> None:
    tally, loop, ended = Tally(), asyncio.get_running_loop(), asyncio.Event()
    server = await loop.create_server(lambda: Connection(tally, answers), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)

    def order():
        words = sys.stdin.readline().split()
        if not words:
            ended.set()
        elif words[0] == "expect":
            tally.expected = int(words[1])
            tally.tell()
        else:
            print(tally.seen, flush=True)

    loop.add_reader(sys.stdin, order)
    await ended.wait()


if __name__ == "__main__":
    asyncio.run(main({"answer": True, "stall": False}[sys.argv[1]]))
