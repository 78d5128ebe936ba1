"""Certificates of providers, as `pushpit certs` makes them."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import program
from program import ALERT, APP
from wire import client_context

MDM_TOPIC = "com.apple.mgmt.External.9b1cd6e0-1c2d-4a5b-8f00-0123456789ab"
MDM = b'{"mdm":"6B4C1C22-0E1C-4B0D-8D62-0D2B8A6A1C33"}'


@dataclass
class Made:
    pem: Path
    p12: Path


class Providers:
    """`pushpit certs` on the state folder of a running server."""

    def __init__(self, server, home: Path):
        self.server, self.home = server, home

    def certs(self, *arguments: str, code: int = 0) -> subprocess.CompletedProcess:
        result = program.run("certs", *arguments, "--state", str(self.server.state), home=self.home)
        assert result.returncode == code, result.stderr
        return result

    def make(self, kind: str = "universal", *flags: str, topic: str | None = APP) -> Made:
        chosen = ("--topic", topic) if topic else ()
        lines = self.certs("provider", "--kind", kind, *chosen, *flags).stdout.splitlines()
        assert [line.rpartition(".")[2] for line in lines] == ["pem", "p12"]
        return Made(*map(Path, lines))

    def wire(self, made: Made, environment: str = "sandbox", **options):
        context = client_context(self.server.ca, certificate=made.pem, **options)
        return self.server.wire(environment, context=context)

    def push(self, made: Made, token, body: bytes = ALERT, environment: str = "sandbox", **changes):
        """Sends a push without a provider token, on a separate connection."""
        changes = {"authorization": None} | changes
        with self.wire(made, environment) as wire:
            return self.server.push(token, body, wire=wire, **changes)
