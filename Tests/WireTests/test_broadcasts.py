"""Broadcasts: the commands of docs/broadcasts.md, and clients that list channels in different places."""

import os
import re
import subprocess

import pytest

from program import APP, BINARY, REPOSITORY, environment, serving
from test_200_and_nothing import missing

PAGE = (REPOSITORY / "docs/broadcasts.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```(?:\n\n```\n(.*?)^```)?", PAGE, re.S | re.M)
"""Commands, and what the page shows of what they say."""
(SERVE, _), *TYPED = BLOCKS
MARK = "---- next block ----"


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What the blocks of the page say, typed into one shell."""
    home = tmp_path_factory.mktemp("broadcasts")
    words = SERVE.split()
    assert words[:2] == ["pushpit", "serve"]
    with serving(*words[2:], state=home / "state", home=home) as server:
        bin = home / "bin"
        bin.mkdir()
        (bin / "pushpit").symlink_to(BINARY)
        variables = environment(home, PATH=f"{bin}:{os.environ['PATH']}", PUSHPIT_STATE=str(server.state))
        script = f"echo '{MARK}'\n".join(block for block, _ in TYPED)
        typed = subprocess.run(
            ["bash", "-e"],
            input=script.replace("http://127.0.0.1:2190", server.admin_url),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=90,
            env=variables,
            cwd=REPOSITORY,
        )
    assert typed.returncode == 0, typed.stdout
    return typed.stdout.split(MARK)


@pytest.mark.parametrize("number", range(len(TYPED)), ids=[block.split("\n")[0][:50] for block, _ in TYPED])
def test_the_commands_of_the_guide_say_what_it_shows(said, number):
    _, shown = TYPED[number]
    assert shown, "every block of the guide shows what it says"
    assert missing(shown, said[number]) == [], said[number]


def test_the_guide_has_a_command_for_every_subcommand():
    for name in ("create", "list", "show", "delete"):
        assert f"pushpit channels {name}" in PAGE


def listed(server, path: str) -> tuple[int, bytes]:
    with server.wire("channels") as wire:
        headers = [(":method", "GET"), (":scheme", "https"), (":authority", "localhost")]
        headers += [(":path", f"/1/apps/{APP}/{path}"), ("authorization", f"bearer {server.jwt}")]
        answer = wire.request(headers, None)
        return answer.status, answer.body


@pytest.mark.parametrize("setting", ["both", "allChannels"])
def test_channels_are_listed_where_apple_says_and_where_apnswift_asks(tmp_path, setting):
    with serving("--set", f"rules.channelList={setting}", state=tmp_path / "state", home=tmp_path) as server:
        assert listed(server, "all-channels") == (200, b'{"channels":[]}')
        other = (200, b'{"channels":[]}') if setting == "both" else (400, b'{"reason":"MissingChannelId"}')
        assert listed(server, "channels") == other


def test_a_refused_request_names_the_rule_and_is_exit_code_1(server, fails):
    words = ["--state", str(server.state), "--admin", server.admin_url]
    result = fails("channels", "show", "tvI2UK0vEfEAAA6GFnjo2Q==", *words)
    assert result.returncode == 1 and result.stdout == '400 {"reason":"ChannelNotRegistered"}\n', result
    assert "channel" in result.stderr
    stranger = fails("channels", "create", "--app", "com.example.stranger", *words)
    assert stranger.returncode == 1 and "TopicMismatch" in stranger.stdout, stranger


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["send", "--channel", "x"], "--channel needs --payload"),
        (["send", "--channel", "x", "--payload", "{}", "--topic", APP], "not valid with --channel"),
        (
            ["send", "--channel", "x", "--to", "d0", "--payload", "{}"],
            "either --to DEVICE, --token HEX or --channel ID",
        ),
        (["channels", "create", "--production", "--server", "https://localhost:1"], "exclude each other"),
        (["channels", "delete"], "<id>"),
    ],
)
def test_flags_that_make_no_sense_are_exit_code_2(fails, words, says):
    result = fails(*words)
    assert result.returncode == 2 and says in result.stderr, result.stderr
