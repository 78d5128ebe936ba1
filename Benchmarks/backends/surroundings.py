"""The run that has started an app: its time, its authority and its key."""

import json
import os
import time
from pathlib import Path

BUNDLE = "com.example.chat"
TELLS_TIME = "PUSHPIT_NOW" in os.environ
"""True if the story has a tick."""
READY = json.loads(Path(os.environ["PUSHPIT_READY"]).read_text())
"""The first play's; authority, key and port 443 are the same in the others."""
KEY = READY["keys"][0]


class Clock:
    """The phones' time in seconds, as the latest tick said; the machine's if there is no tick."""

    def __init__(self) -> None:
        self.told = float(os.environ.get("PUSHPIT_NOW", 0))

    def now(self) -> float:
        return self.told if TELLS_TIME else time.time()
