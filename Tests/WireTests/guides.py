"""The pages of the documents: their blocks of code, and a reader who types a page's commands in order."""

import os
import re
import shlex
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from program import BINARY, REPOSITORY, Pushpit, environment

FENCE = re.compile(
    r"(?:<!-- not run: (?P<reason>[^>]*) -->\n)?"
    r"^(?P<indent> *)```(?P<language>\w*) ?(?P<name>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$"
    r"(?:\n\n```\n(?P<shown>.*?)^```$)?",
    re.S | re.M,
)
TIME = re.compile(r"\b\d\d:\d\d:\d\d\b")
WITHIN = 100.0
SERVE = re.compile(r"^(?:\w+=\S+ )*pushpit serve\b")


@dataclass(frozen=True)
class Block:
    """A block of code. A comment `<!-- not run: why -->` on the line before it keeps it from being run."""

    language: str
    name: str
    """The words after the language: a file's name, or `fails` for commands that exit with another code than 0."""
    text: str
    line: int
    reason: str | None
    """The reason why the block is not run."""
    shown: str | None
    """The block of output that follows it."""


def read(page: str) -> str:
    return (REPOSITORY / page).read_text()


def blocks(page: str, language: str | None = None) -> list[Block]:
    text = read(page)
    found = [
        Block(
            match["language"],
            match["name"],
            match["text"],
            text.count("\n", 0, match.start()) + 1,
            match["reason"],
            match["shown"],
        )
        for match in FENCE.finditer(text)
    ]
    return [block for block in found if language in (None, block.language)]


def pages() -> list[str]:
    """Every page of Markdown that people write, by its path."""
    found = []
    for folder, below, names in os.walk(REPOSITORY):
        below[:] = sorted(name for name in below if not name.startswith(".") and name not in ("node_modules", "dist"))
        found += [str((Path(folder) / name).relative_to(REPOSITORY)) for name in names if name.endswith(".md")]
    return sorted(found)


def missing(shown: str, said: str) -> list[str]:
    """Lines of the page that the output does not have, in their order. `…` stands for anything, a time for another."""
    lines = [line.strip() for line in said.splitlines()]
    wanting, at = [], 0
    for line in shown.strip().splitlines():
        parts = [TIME.sub(lambda _: TIME.pattern, re.escape(part)) for part in line.strip().split("…")]
        pattern = re.compile(".*".join(parts))
        found = next((place for place in range(at, len(lines)) if pattern.fullmatch(lines[place])), None)
        if found is None:
            wanting.append(line)
        else:
            at = found + 1
    return wanting


def steps(text: str) -> list[str]:
    """Parts of a block: a command that serves is a part of its own."""
    parts = [""]
    for line in text.replace("\\\n", "\\\0").splitlines():
        line = line.replace("\\\0", "\\\n")
        if SERVE.match(line):
            parts += [line, ""]
        else:
            parts[-1] += line + "\n"
    return [part for part in parts if part.strip()]


class Reader:
    """Somebody with a home of their own, the program in the path, and the scenarios in reach. Servers get free ports,
    which replace those of the page."""

    def __init__(self, home: Path):
        self.home = home
        self.server: Pushpit | None = None
        tools = home / "bin"
        tools.mkdir()
        # Lines in the order in which a terminal shows them, although the output is a pipe.
        (tools / "pushpit").write_text(f'#!/bin/sh\nexec stdbuf -oL {shlex.quote(str(BINARY))} "$@"\n')
        (tools / "pushpit").chmod(0o755)
        (home / ".curlrc").write_text('silent\nshow-error\nfail-with-body\nwrite-out = "\\n"\n')
        for name in ("Scenarios", "Examples"):
            (home / name).symlink_to(REPOSITORY / name)
        path = f"{tools}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        # Plugins of the wire tests' own, which each worker of a guide's pytest would load for seconds.
        self.environment = environment(home, PATH=path, PYTEST_ADDOPTS="-p no:schemathesis -p no:hypothesispytest")

    def serve(self, *flags: str) -> str:
        self.stop()
        if "--ports" not in flags:
            flags = (*flags, "--ports", "0")
        self.server = Pushpit(*flags, state=self.home / ".local/state/pushpit", home=self.home, ports=False)
        return self.server.line

    def stop(self) -> None:
        if self.server is not None:
            server, self.server = self.server, None
            server.stop()

    def run(self, block: Block) -> tuple[int, str]:
        """The exit code, and all that was printed."""
        said = ""
        for step in steps(block.text):
            if SERVE.match(step):
                words = shlex.split(step.rstrip().removesuffix("&"), comments=True)
                said += self.serve(*words[words.index("serve") + 1 :])
                continue
            # Variables last from block to block, as in a terminal.
            script = f"set -a\n[ ! -e ~/.kept ] || . ~/.kept\n{self.here(step)}\nexport -p > ~/.kept\n"
            code, printed = self.shell(script)
            said += printed
            if code != 0:
                return code, said
        return 0, said

    def shell(self, script: str) -> tuple[int, str]:
        """A group of processes of its own, so that nothing of it outlives the time limit."""
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=self.environment,
            cwd=self.home,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=WITHIN)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            raise AssertionError(f"still running after {WITHIN} s:\n{script}\n{said}") from None
        return process.returncode, said

    def here(self, text: str) -> str:
        """With the ports of the server that runs."""
        if self.server is None:
            return text
        ready = self.server.ready
        ports = {2190: ready["admin"], 2197: ready["listeners"]["sandbox"], 2198: ready["listeners"]["production"]}
        ports[2195] = ready["listeners"]["channels"]
        for shown, address in ports.items():
            port = address.rpartition(":")[2]
            text = re.sub(rf"((?:127\.0\.0\.1|localhost):|APNS_PORT=){shown}\b", rf"\g<1>{port}", text)
        return text
