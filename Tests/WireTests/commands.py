"""Commands that ask a server, what they say, and whether what they started has ended."""

import time
from pathlib import Path


def said(result, code: int = 0) -> str:
    assert result.returncode == code, f"{result.returncode}\n{result.stdout}\n{result.stderr}"
    return result.stdout if code == 0 else result.stderr


def gone(pid: int) -> bool:
    """True if a process has ended; waits a while for the end."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


COMMANDS = (
    ["devices"],
    ["tokens"],
    ["sessions"],
    ["calls"],
    ["findings"],
    ["do", "d0", "lock"],
    ["do", "d0,d1", "lock"],
    ["phone", "d0"],
    ["push", "list"],
    ["push", "show"],
    ["fault", "list"],
    ["fault", "set", "--lose"],
    ["fault", "delete", "--all"],
    ["clock"],
    ["clock", "advance", "1s"],
    ["clock", "advance", "--next"],
    ["clock", "mode", "wall"],
)
