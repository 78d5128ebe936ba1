"""node's own http2, which node-apn and apns2 are built on. It comes with some machines and not with Debian's
minimum."""

import json
import shutil
import subprocess

import pytest

from program import APP

SCRIPT = """
const http2 = require('http2'), fs = require('fs');
const {url, ca, tokens, headers} = JSON.parse(fs.readFileSync(0));
const session = http2.connect(url, {ca: fs.readFileSync(ca)});
const answers = [];
function finish(answer) {
  answers.push(answer);
  if (answers.length < tokens.length) return;
  console.log(JSON.stringify(answers));
  session.close();
}
for (const token of tokens) {
  const request = session.request({':method': 'POST', ':path': '/3/device/' + token, ...headers});
  let status = 0;
  request.on('response', h => { status = h[':status']; });
  request.on('error', e => finish(e.message));
  request.on('end', () => finish(status));
  request.resume();
  request.end('{"aps":{"alert":"x"}}');
}
"""


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
    run = subprocess.run(["node", "-e", SCRIPT], input=json.dumps(order), capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [200] * 60
