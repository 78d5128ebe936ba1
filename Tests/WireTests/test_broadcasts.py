"""`pushpit channels`, and clients that list channels in different places. test_guides.py types docs/broadcasts.md."""

import pytest

from program import APP, REPOSITORY, live_activity, serving

pytestmark = pytest.mark.tools

PAGE = (REPOSITORY / "docs/broadcasts.md").read_text()


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
        (["channels", "create", "--production", "--server", "https://localhost:1"], "cannot be combined"),
        (["channels", "delete"], "<id>"),
    ],
)
def test_flags_that_make_no_sense_are_exit_code_2(fails, words, says):
    result = fails(*words)
    assert result.returncode == 2 and says in result.stderr, result.stderr


def test_a_broadcast_to_many_phones_is_answered_at_once_and_a_session_is_closed_when_all_have_it(fails, tmp_path):
    phones = 3000
    options = {"state": tmp_path / "state", "home": tmp_path}
    with serving("--ideal", "--fleet", str(phones), "--os", "26.1:1", **options) as server:
        words = ["--state", str(tmp_path / "state"), "--admin", server.admin_url]
        channel = fails("channels", "create", *words).stdout.strip()
        order = {"do": "startActivity", "app": APP, "attributesType": "MatchAttributes", "channel": channel}
        done = server.admin.post("/v1/actions", json={**order, "where": {}})
        assert done.json()["done"] == phones, done.text
        expect = [{"broadcasts": {}, "count": 1}, {"arrivals": {}, "count": phones}]
        assert server.admin.post("/v1/sessions", json={"name": "s", "expect": expect}).status_code == 201
        sent = fails("send", "--channel", channel, "--payload", live_activity().decode(), *words)
        assert sent.returncode == 0 and sent.stdout.startswith("200 "), sent
        assert server.get("/v1/broadcasts")["requests"][0]["subscribers"] == phones
        server.assert_serving()
        closed = server.admin.post("/v1/sessions/s/close", json={})
        assert closed.json()["passed"], closed.text
