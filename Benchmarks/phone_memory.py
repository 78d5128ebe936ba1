#!/usr/bin/env python3
"""Measures the memory of phones: many of them get many distinct alerts of 4 KB, with a small ledger. Each bound of
`fleet.memoryPerDevice` has its own server; the result is by how much its resident memory grows.
"""

import argparse
import json
import urllib.parse
import urllib.request
from pathlib import Path

from bench_common import APP, Load, need, provider_token, pushpit, scratch

PAYLOAD = 4096
LIMITS = {16_384: 60.0}
"""Megabytes by which 2,000 phones may make the server grow under a bound."""


def device_tokens(admin: str, app: str = "com.example.app") -> list[str]:
    found, cursor = [], None
    while True:
        query = {"kind": "device", "app": app, "environment": "sandbox", "live": "true", "limit": "1000"} | (
            {"cursor": cursor} if cursor else {}
        )
        with urllib.request.urlopen(f"{admin}/v1/tokens?{urllib.parse.urlencode(query)}", timeout=60) as response:
            page = json.load(response)
        found += [token["token"] for token in page["tokens"]]
        cursor = page["next"]
        if cursor is None:
            return found


def alert(number: int) -> bytes:
    """4,096 bytes, each with a different text."""
    data = {"aps": {"alert": {"title": f"Alert {number}", "body": ""}}}
    data["aps"]["alert"]["body"] = f"{number:>4} " * 2000
    excess = len(json.dumps(data)) - PAYLOAD
    data["aps"]["alert"]["body"] = data["aps"]["alert"]["body"][:-excess]
    return json.dumps(data).encode()


def resident(pid: int) -> float:
    """Megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    raise SystemExit("no VmRSS")


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--phones", type=int, default=2_000)
    parse.add_argument("--alerts", type=int, default=64)
    parse.add_argument(
        "--bounds",
        type=int,
        nargs="+",
        default=[16_384, 262_144, 1_048_576],
        help="of fleet.memoryPerDevice, in bytes; 0 leaves it unset",
    )
    arguments = parse.parse_args()
    need("h2load")

    print(
        f"{arguments.phones} phones, {arguments.alerts} alerts of {PAYLOAD} bytes each, ledger of 100 pushes; MB "
        f"resident:"
    )
    failed = False
    for bound in arguments.bounds:
        with scratch() as name:
            folder = Path(name)
            flags = [
                "--ideal",
                "--fleet",
                str(arguments.phones),
                "--config",
                str(APP),
                "--ledger",
                "100",
                "--token-requests-per-second",
                "0",
            ]
            if bound:
                flags += ["--set", f"fleet.memoryPerDevice={bound}"]
            with pushpit(folder / "state", *flags) as (process, ready):
                tokens = device_tokens(ready["admin"])
                load = Load.make(
                    folder,
                    "phones",
                    f"https://{ready['listeners']['sandbox']}",
                    "/",
                    tokens,
                    provider_token(ready["keys"][0]),
                )
                load.headers = [
                    h.replace(".push-type.liveactivity", "").replace("liveactivity", "alert") for h in load.headers
                ]
                before = resident(process.pid)
                for number in range(arguments.alerts):
                    load.body.write_bytes(alert(number))
                    load.run(1, 100, len(tokens), None)  # one connection goes through the list once
                after = resident(process.pid)
                with urllib.request.urlopen(f"{ready['admin']}/v1/devices/d0/screen", timeout=60) as response:
                    shown = len(json.load(response)["notifications"])
        limit = LIMITS.get(bound)
        isOver = limit is not None and arguments.phones <= 2_000 and after - before > limit
        failed |= isOver
        print(
            f"  {bound:>9} B a device: {before:6.1f} -> {after:6.1f}  ({(after - before) * 1e6 / len(tokens):9,.0f} "
            f"B a phone, {shown} notifications on d0)" + (f"  more than {limit:.0f} MB" if isOver else ""),
            flush=True,
        )
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
