"""`pushpit lint` and the schemas of an app: the same decoder offline and on the phone."""

import json
import time

import pytest

from program import SMOOTH

CONFIG = """
fleet:
  devices: 5
  os: {"26.1": 1}
  apps:
    - bundleId: com.example.app
      attributesTypes:
        - name: MatchAttributes
          attributes: {type: object, properties: {home: string, away: string}}
          contentState:
            type: object
            properties: {score: int, striker: string?, updatedAt: date, phase: {enum: [live, break]}}
"""

SOUND = {"score": 1, "updatedAt": 5, "phase": "live"}


def aps(event: str, content: dict, **more) -> str:
    start = {
        "attributes-type": "MatchAttributes",
        "attributes": {"home": "A", "away": "B"},
        "alert": {"title": "Go", "body": "!"},
    }
    fields = {
        "timestamp": int(time.time()),
        "event": event,
        "content-state": content,
        **(start if event == "start" else {}),
        **more,
    }
    return json.dumps({"aps": {k: v for k, v in fields.items() if v is not None}})


@pytest.fixture(scope="module")
def config(tmp_path_factory):
    path = tmp_path_factory.mktemp("lint") / "app.yaml"
    path.write_text(CONFIG)
    return path


FLAWS = [
    ({"Score": 1, "updatedAt": 5, "phase": "live"}, "score"),
    ({"score": 1.5, "updatedAt": 5, "phase": "live"}, "score"),
    ({"score": "1", "updatedAt": 5, "phase": "live"}, "score"),
    ({"score": 1, "updated_at": 5, "phase": "live"}, "updatedAt"),
    ({"score": 1, "updatedAt": "2026-01-01T00:00:00Z", "phase": "live"}, "updatedAt"),
    ({"score": 1, "updatedAt": 5, "phase": "lunch"}, "phase"),
    ({"score": None, "updatedAt": 5, "phase": "live"}, "score"),
    ({}, "score"),
]


@pytest.mark.parametrize(("content", "path"), FLAWS, ids=lambda v: json.dumps(v) if isinstance(v, dict) else v)
def test_lint_names_what_does_not_decode(fails, config, content, path):
    """S172 S93 S91: the failing key path, and exit code 1."""
    result = fails("lint", "--config", str(config), aps("update", content))
    assert result.returncode == 1, result.stderr
    assert "LOST" in result.stdout and "content-state-decode" in result.stdout and path in result.stdout


def test_lint_of_a_sound_payload_says_so(fails, config):
    for event in ("start", "update", "end"):
        result = fails("lint", "--config", str(config), aps(event, SOUND))
        assert (result.returncode, result.stdout) == (0, "Nothing would be lost or changed.\n"), event


@pytest.mark.parametrize(("date", "word"), [(811_692_800, None), (1_790_000_000, "1970")])
def test_lint_counts_the_dates_of_content_from_2001(fails, config, date, word):
    result = fails("lint", "--config", str(config), aps("update", {**SOUND, "updatedAt": date}))
    assert result.returncode == 0, result.stdout
    assert (word in result.stdout) if word else ("CHANGED" not in result.stdout)


def test_lint_prints_what_would_command_a_terminal_as_escapes(fails, config):
    forged = aps("start", SOUND, **{"attributes-type": "Z\x1b[31m\u202e\nLOST forged"})
    result = fails("lint", "--config", str(config), forged)
    assert "\\u{1b}[31m" in result.stdout
    assert not any(c in result.stdout for c in "\x1b\u202e")
    assert not any(line.startswith("LOST forged") for line in result.stdout.splitlines())


def test_lint_refuses_an_unknown_push_type(fails):
    result = fails("lint", "--push-type", "silent", "{}")
    assert result.returncode != 0 and "there is no push type silent" in result.stderr


@pytest.mark.parametrize(
    ("event", "more", "word"),
    [
        ("update", {"timestamp": 1_795_000_000_000}, "milliseconds"),
        ("update", {"attributes": {}}, "attributes"),
        ("update", {"dismissal-date": 1_795_000_000}, "dismissal-date"),
        ("update", {"content-state": {**SOUND, "updatedAt": 1_795_000_000}}, "2001"),
        ("update", {"stale-date": 1_795_000_000_000}, "stale-date"),
    ],
)
def test_lint_warns_of_what_is_probably_not_meant(fails, config, event, more, word):
    result = fails("lint", "--config", str(config), aps(event, more.pop("content-state", SOUND), **more))
    assert result.returncode == 0, result.stdout
    assert "CHANGED" in result.stdout and word in result.stdout


def test_lint_of_a_start_without_alert_is_a_loss(fails, config):
    result = fails("lint", "--config", str(config), aps("start", SOUND, alert=None))
    assert result.returncode == 1 and "no-alert-configuration" in result.stdout


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ("{type: object, properties: {score: integr}}", "integr"),
        ("{enum: []}", "enum"),
        ("{type: objct}", "objct"),
        ("7", "contentState"),
    ],
)
def test_a_contradictory_schema_is_refused_with_file_and_line(fails, tmp_path, schema, words):
    path = tmp_path / "app.yaml"
    path.write_text(
        f"fleet:\n  apps:\n    - bundleId: com.a\n      attributesTypes:\n        - name: T\n          contentState: "
        f"{schema}\n"
    )
    result = fails("serve", "--config", str(path))
    assert result.returncode == 2
    assert f"{path}:6" in result.stderr and words in result.stderr


def test_the_phone_drops_what_lint_calls_lost(pushpit, config):
    """S18 S25 S91: APNs answers 200, the ledger names the failing key path, the card does not change."""
    server = pushpit(
        *SMOOTH, "--set", "budgets.rendering.from18=0s", "--config", str(config), "--token-requests-per-second", "0"
    )
    token, _ = server.start_activity(device="d0")

    def push(content, stamp):
        body = json.loads(aps("update", content, timestamp=stamp))
        answer = server.push(token, json.dumps(body).encode())
        assert answer.verdict == (200, None)
        return server.get(f"/v1/pushes/{answer.header('apns-id')}")["reaction"]

    now = int(time.time()) + 100
    assert push(SOUND, now)["outcome"] == "updated"
    for number, (content, path) in enumerate(FLAWS):
        reaction = push(content, now + 1 + number)
        assert (reaction["outcome"], reaction["cause"]) == ("dropped", "content-state-decode")
        assert path in reaction["detail"]
    card = server.get("/v1/devices/d0/screen")["lockScreen"][0]
    assert card["contentState"] == SOUND and card["state"] == "active"
