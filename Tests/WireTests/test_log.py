"""Messages on standard error, and what happens when nobody reads them."""

import fcntl
import json
import os
import re
import socket
import subprocess
import urllib.request

import pytest

from program import BINARY, STOP_TIMEOUT, address, environment
from wire import TIMEOUT

F_SETPIPE_SZ = 1031
PIPE_BYTES = 4096
LINES_KEPT = 1000


@pytest.fixture
def unheard(tmp_path):
    """A server whose standard error is a small pipe that nobody reads, and the pipe's reading end."""
    reading, writing = os.pipe()
    fcntl.fcntl(reading, F_SETPIPE_SZ, PIPE_BYTES)
    state = str(tmp_path / "state")
    process = subprocess.Popen(
        [str(BINARY), "serve", "--state", state, "--fleet", "3", "--loops", "1", "--ports", "0"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=writing,
        text=True,
        env=environment(tmp_path),
        cwd=tmp_path,
    )
    os.close(writing)
    yield process, json.loads(process.stdout.readline()), reading
    process.kill()
    process.wait(STOP_TIMEOUT)
    process.stdout.close()
    os.close(reading)


def be_troublesome(ready: dict, times: int) -> None:
    """Each of these visits is a line in the log."""
    for _ in range(times):
        with socket.create_connection(address(ready["listeners"]["sandbox"]), timeout=TIMEOUT) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            plain.shutdown(socket.SHUT_WR)
            try:
                while plain.recv(4096):
                    pass
            except ConnectionResetError:
                pass


def test_an_unread_log_stops_neither_serving_nor_the_end(unheard):
    process, ready, _ = unheard
    be_troublesome(ready, 200)  # the pipe takes fewer than 40 of their lines
    with urllib.request.urlopen(ready["admin"] + "/health", timeout=TIMEOUT) as response:
        assert response.status == 200
    process.terminate()
    assert process.wait(STOP_TIMEOUT) == 0


def test_lines_beyond_the_bound_are_counted_and_the_count_is_said(unheard):
    process, ready, reading = unheard
    visits = LINES_KEPT + 300
    be_troublesome(ready, visits)
    received = b""
    while b"were dropped here" not in received:
        piece = os.read(reading, 65_536)
        assert piece, f"no word about what was left out:\n{received[-500:]}"
        received += piece
    be_troublesome(ready, 1)
    process.terminate()
    while piece := os.read(reading, 65_536):
        received += piece
    assert process.wait(STOP_TIMEOUT) == 0
    lines = received.decode().splitlines()
    [left_out] = [int(m[1]) for line in lines if (m := re.match(r"\((\d+) lines were dropped here", line))]
    told = sum(re.match(r"\S+Z 127\.0\.0\.1:", line) is not None for line in lines)
    assert left_out >= 200
    assert told + left_out == visits + 1
    assert any(line.startswith("Stopping") for line in lines)
