"""The OpenAPI document is checked against the server: schemathesis makes the requests, the same each time and
bounded."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import answers
from provider_tokens import ProviderKey

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_headers_conformance,response_schema_conformance"
)


@pytest.mark.fuzz
@pytest.mark.timeout(600)
@pytest.mark.parametrize("phase", ["examples,coverage", "fuzzing"])
def test_the_server_is_what_its_document_says(pushpit, home, phase):
    server = pushpit("--fleet", "20", "--clock", "manual", "--running-activities", "1")
    for token in [server.first_token(), "00" * 32]:
        server.push(token)
    run = subprocess.run(
        [
            str(Path(sys.executable).with_name("schemathesis")),
            "--config-file",
            str(Path(__file__).with_name("schemathesis.toml")),
            "run",
            f"{server.admin_url}/openapi.yaml",
            "--url",
            server.admin_url,
            "--phases",
            phase,
            "--checks",
            CHECKS,
            "--max-examples",
            "25",
            "--generation-deterministic",
            "--request-timeout",
            "20",
            # It has no end.
            "--exclude-path",
            "/v1/events",
            "--workers",
            "1",
            "--no-color",
            "--suppress-health-check",
            "all",
        ],
        capture_output=True,
        text=True,
        timeout=570,
        cwd=home,
    )
    assert run.returncode == 0, run.stdout[-8000:] + run.stderr[-2000:]
    assert re.search(rf"^\s*Tested: {len(answers.operations()) - 2}$", run.stdout, re.M), run.stdout[-2000:]
    # A request may have revoked the key that the server began with.
    made = server.admin.post("/v1/keys", json={}).json()
    p8 = home / "made.p8"
    p8.write_text(made["p8"])
    server.assert_serving(jwt=ProviderKey(p8, made["keyId"], made["teamId"]).token())
