"""Commands that ask a server, and what they say."""


def said(result, code: int = 0) -> str:
    assert result.returncode == code, f"{result.returncode}\n{result.stdout}\n{result.stderr}"
    return result.stdout if code == 0 else result.stderr


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
