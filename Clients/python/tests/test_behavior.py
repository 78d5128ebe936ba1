"""Every case of behavior.json, by `pushpit` and by `pushpit.aio`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import pushpit
from behavior import Player, mismatch
from conftest import TABLE
from pushpit import Pushpit, aio

CASES = TABLE["cases"]
PRIVILEGED = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")


@pytest.mark.parametrize("api", [pushpit, aio], ids=["sync", "aio"])
@pytest.mark.parametrize("case", CASES, ids=[case["case"] for case in CASES])
def test_behavior(
    case: dict[str, Any],
    api: Any,
    server: Pushpit,
    program: Path,
    elsewhere: str,
    another_version: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if case.get("wants") == "privileged ports" and int(PRIVILEGED.read_text()) <= 443:
        pytest.skip("this machine lets everybody listen on port 443")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pushpit").symlink_to(program)
    values = {
        "program": program,
        "folder": tmp_path,
        "programFolder": tmp_path / "bin",
        "url": server.url,
        "port": server.admin.port,
        "elsewhere": elsewhere,
        "anotherVersion": another_version,
    }
    asyncio.run(Player(api, server, values, monkeypatch).play(case))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {}),
        ([1], [1, 2]),
        ({"$count": 1}, []),
        ({"$text": "^a"}, "ba"),
        ({"$any": {"a": 1}}, [{"a": 2}]),
        ("a", "b"),
    ],
)
def test_the_table_is_able_to_fail(wanted: Any, found: Any) -> None:
    assert mismatch(wanted, found) is not None
