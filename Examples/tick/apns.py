"""Parameters with which the three examples in Python push: options of an httpx client, and arguments of its `post`."""

import json
import os
import ssl
import time
from functools import lru_cache
from pathlib import Path

import jwt

READY = json.loads(Path(os.environ["PUSHPIT_READY"]).read_text())
KEY = READY["keys"][0]
CLIENT = {
    "http2": True,
    "base_url": f"https://{READY['listeners']['sandbox']}",
    "verify": ssl.create_default_context(cafile=READY["ca"]),
}


@lru_cache(maxsize=1)
def provider_token(issued: int) -> str:
    claims = {"iss": KEY["teamId"], "iat": issued}
    return jwt.encode(claims, Path(KEY["p8"]).read_text(), "ES256", {"kid": KEY["keyId"]})


def push(device_token: str, text: str) -> dict:
    # The machine's clock, because APNs checks provider tokens against it; another token every 40 minutes.
    issued = int(time.time()) // 2400 * 2400
    headers = {"apns-topic": "com.example.app", "apns-push-type": "alert"}
    return {
        "url": f"/3/device/{device_token}",
        "json": {"aps": {"alert": text}},
        "headers": headers | {"authorization": f"bearer {provider_token(issued)}"},
    }
