#!/usr/bin/env python3
"""Measures the memory of phones: many of them get many distinct alerts of 4 KB, with a small ledger. Each bound of
`fleet.memoryPerDevice` has its own server; the result is by how much its resident memory grows.
"""

import argparse
import json
from pathlib import Path

from bench_common import APP, Load, megabytes, need, pid, pushpit, scratch

PAYLOAD = 4096
LIMITS = {16_384: 60.0}
"""Megabytes by which 2,000 phones may make the server grow under a bound."""


def alert(number: int) -> bytes:
    """4,096 bytes, each with a different text."""
    data = {"aps": {"alert": {"title": f"Alert {number}", "body": ""}}}
    data["aps"]["alert"]["body"] = f"{number:>4} " * 2000
    excess = len(json.dumps(data)) - PAYLOAD
    data["aps"]["alert"]["body"] = data["aps"]["alert"]["body"][:-excess]
    return json.dumps(data).encode()


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
            settings = {"fleet.memoryPerDevice": bound} if bound else {}
            flags = {"ideal": True, "config": APP, "ledger": 100, "token_requests_per_second": 0, "settings": settings}
            with pushpit(folder / "state", fleet=arguments.phones, **flags) as server:
                query = {"kind": "device", "app": server.app, "environment": "sandbox", "live": True}
                tokens = [row["token"] for row in server.admin.pages("/v1/tokens", "tokens", **query)]
                load = Load.of(folder, server, tokens).alerts()
                before = megabytes(pid(server))
                for number in range(arguments.alerts):
                    load.body.write_bytes(alert(number))
                    load.run(1, 100, len(tokens), None)  # one connection goes through the list once
                after = megabytes(pid(server))
                shown = len(server.phone("d0").screen().notifications)
        limit = LIMITS.get(bound)
        isOver = limit is not None and arguments.phones <= 2_000 and after - before > limit
        failed |= isOver
        print(
            f"  {bound:>9} B a device: {before:6.1f} -> {after:6.1f}  ({(after - before) * 2**20 / len(tokens):9,.0f} "
            f"B a phone, {shown} notifications on d0)" + (f"  more than {limit:.0f} MB" if isOver else ""),
            flush=True,
        )
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
