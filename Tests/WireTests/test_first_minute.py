"""Help for the first minute: suggestions, help, the address of the page, completions of a shell."""

import os
import re
import socket
import subprocess
import time

import pytest

from commands import COMMANDS, said
from program import BINARY, environment

pytestmark = pytest.mark.tools


@pytest.mark.parametrize(
    "words, says",
    [
        (["certs", "provder"], "there is no command certs provder; did you mean certs provider?"),
        (["keys", "mkae"], "there is no command keys mkae; did you mean keys make?"),
        (["push", "lsit"], "there is no command push lsit; did you mean push list?"),
        (["help", "sned"], "there is no command sned; did you mean send?"),
        (["help", "keys", "mkae"], "there is no command keys mkae; did you mean keys make?"),
        (["phnoe", "d0"], "there is no command phnoe; did you mean phone?"),
        (["--verison"], "Unknown option '--verison'. Did you mean '--version'?"),
        (["send", "--too", "d0"], "Unknown option '--too'. Did you mean '--to'?"),
        (["phone", "--jsn"], "Unknown option '--jsn'. Did you mean '--json'?"),
        (["serve", "--flet", "3"], "Did you mean '--fleet'?"),
    ],
)
def test_a_mistyped_command_or_flag_is_suggested(fails, words, says):
    result = fails(*words)
    assert says in said(result, 2) and result.stdout == ""


def test_without_arguments_the_program_helps(fails):
    shown = said(fails())
    assert "`pushpit serve`" in shown and "  start    serve " in shown
    assert len(shown.splitlines()) <= 40 and max(map(len, shown.splitlines())) <= 80
    assert said(fails("help")) == shown == said(fails("--help"))


def test_help_of_every_command_succeeds(fails):
    for words in COMMANDS:
        names = [word for word in words[:2] if re.fullmatch("[a-z]{2,}", word)]
        assert f"USAGE: pushpit {' '.join(names)} " in said(fails("help", *names))


@pytest.mark.parametrize("flags", [("--ideal",), ("--set", "fleet.mix.offline=100%")])
def test_a_start_ends_with_the_address_of_the_page(pushpit, flags):
    server = pushpit("--fleet", "3", *flags)
    assert server.log.rstrip().splitlines()[-1] == f"Watch pushes and phones in a browser: {server.admin_url}/"
    assert server.admin.get("/").status_code == 200


# Completions


def complete(words: str, env: dict) -> list[str]:
    """The words that bash offers for the last word, by the script that the program prints."""
    script = subprocess.run([str(BINARY), "--generate-completion-script", "bash"], capture_output=True, text=True)
    assert script.returncode == 0
    test = f"""
{script.stdout}
COMP_WORDS=({words} "$last")
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
COMP_LINE="${{COMP_WORDS[*]}}"
COMP_POINT=${{#COMP_LINE}}
_pushpit pushpit "$last" "${{COMP_WORDS[COMP_CWORD - 1]}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    path = f"{BINARY.parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-c", test], capture_output=True, text=True, timeout=60, env=env | {"PATH": path})
    assert done.stderr == "", done.stderr
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


@pytest.mark.parametrize(
    "words, last, offered",
    [
        ("pushpit phone", "d29", ["d29", *(f"d29{n}" for n in range(10))]),
        ("pushpit phone", "d300", []),
        ("pushpit phone", "x", []),
        ("pushpit send --to", "d150", ["d150"]),
        ("pushpit tail --device", "d151", ["d151"]),
        ("pushpit push list --device", "d152", ["d152"]),
    ],
)
def test_a_shell_completes_names_of_devices(server, words, last, offered):
    env = environment(server.home, PUSHPIT_ADMIN=server.admin_url, last=last)
    assert sorted(complete(words, env)) == sorted(offered)


def test_a_shell_completes_names_of_faults(pushpit):
    server = pushpit("--fleet", "1")
    server.admin.post("/v1/faults", json={"name": "storm", "then": {"lose": True}}).raise_for_status()
    assert complete("pushpit fault delete", environment(server.home, PUSHPIT_STATE=str(server.state), last="st")) == [
        "storm"
    ]


def test_completion_is_silent_and_quick_without_an_answer(server):
    with socket.create_server(("127.0.0.1", 0)) as mute:
        for port in (1, mute.getsockname()[1]):
            env = environment(server.home, PUSHPIT_ADMIN=f"http://127.0.0.1:{port}", PUSHPIT_PROT="5", last="d")
            began = time.monotonic()
            assert complete("pushpit phone", env) == []
            assert time.monotonic() - began < 10
