"""node's own http2, which node-apn and apns2 are built on. It comes with some machines and not with Debian's
minimum."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from program import APP

BURST = Path(__file__).with_name("burst.js")


@pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
def test_a_burst_of_60_from_node_loses_none(pushpit):
    """S16: node sends all before it has seen a SETTINGS frame, and takes a refused stream for final."""
    server = pushpit("--fleet", "60")
    tokens = [str(t) for t in server.tokens()][:60]
    assert len(tokens) == 60
    order = {
        "url": server.url(),
        "ca": str(server.ca),
        "tokens": tokens,
        "headers": {k: v for k, v in server.headers(tokens[0], topic=APP) if not k.startswith(":")},
    }
    run = subprocess.run(["node", BURST], input=json.dumps(order), capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [200] * 60
