"""Requests that are odd and those that are not HTTP: what Apple answers is answered, and nothing vanishes without a
trace."""

import pytest

from faulting import troubles

PROTOCOL_ERROR = 1


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    from program import Pushpit

    base = tmp_path_factory.mktemp("malformed")
    server = Pushpit("--fleet", "5", "--ideal", state=base / "state", home=base / "home")
    server.assert_serving()
    yield server
    server.stop()


@pytest.mark.parametrize("token", ["<c63963fd fdafa1b9 00000000>", "c63963fd fdafa1b9", "é", "a\tb"])
def test_a_device_token_with_odd_characters_is_bad_and_readable_in_the_ledger(server, token):
    """[NSData description] prints <c63963fd fdafa1b9 …>. Observed: 400 BadDeviceToken (node-apn issue 568)."""
    with server.wire() as wire:
        answer = wire.request(server.headers("x", path=f"/3/device/{token}".encode()))
        assert answer.verdict == (400, "BadDeviceToken")
        record = server.recorded(answer)
        assert repr(token)[1:-1] in str(record), record
        assert server.push(server.first_token(), wire=wire).verdict == (200, None), "the connection lives on"


@pytest.mark.parametrize(
    "name, value, reason",
    [
        ("connection", "close", "a connection-specific field"),
        ("Apns-Topic", "x", "capital letter"),
        (":path", "/", "follows an ordinary"),
        ("apns-id", "a\x01b", "value contains an invalid character"),
        ("content-length", "x", "is not a number"),
    ],
)
def test_what_is_not_http_is_reset_and_named(server, name, value, reason):
    with server.wire() as wire:
        answer = wire.request([*server.headers(server.first_token()), (name, value)])
        assert answer.reset == PROTOCOL_ERROR and answer.status is None
        first = troubles(server, "malformedRequest")[0]
        assert reason in first["sentence"] and first["peer"].startswith("127.0.0.1:")
        assert server.push(server.first_token(), wire=wire).verdict == (200, None), "the connection lives on"


def test_a_flood_of_such_streams_is_counted_and_not_repeated_without_end(server):
    before = sum(t.get("count", 1) for t in troubles(server, "malformedRequest"))
    with server.wire() as wire:
        streams = [wire.begin([*server.headers(server.first_token()), ("upgrade", "x")]) for _ in range(150)]
        assert {wire.answer(s).reset for s in streams} == {PROTOCOL_ERROR}
    named = troubles(server, "malformedRequest")
    assert sum(t.get("count", 1) for t in named) == before + 3
    assert "number 100 of its kind" in named[0]["sentence"]
