"""Buttons, replies and links of a user's own profile, by `pushpit do`, with a real backend."""

import json

import pytest

from backend import Backend, Reply
from commands import said
from program import SMOOTH
from stream import after_events

PROFILE = """
bundleId: com.mine.app
attributesTypes:
  - {name: Match, card: {link: "mine://{attributes.id}?score={state.score}", buttons: {cheer: "Cheer {state.score}"}}}
categories:
  GOAL: {buttons: {mute: Mute}, reply: Comment}
reports:
  on:
    button.cheer:
      - url: "{{backend}}/cheer"
        json: {match: "{{attributes.id}}"}
        then: [{updateActivity: {id: "{{attributes.id}}"}, contentState: "{{answer.state}}"}]
    button.mute: [{url: "{{backend}}/mute", json: {match: "{{notification.payload.match}}"}}]
    reply: [{url: "{{backend}}/comment", json: {text: "{{reply}}"}}]
    cardTapped: [{url: "{{backend}}/opened", json: {link: "{{link}}"}}]
"""


@pytest.fixture
def backend():
    backend = Backend(lambda request: Reply(body=b'{"state": {"score": 9}}'))
    yield backend
    backend.close()


def test_buttons_replies_and_links_reach_the_backend(pushpit, fails, tmp_path, backend):
    file = tmp_path / "mine.yaml"
    file.write_text(PROFILE)
    profile = ("--profile", str(file), "--backend", backend.url)
    server = pushpit(*SMOOTH, "--fleet", "1", "--set", "reports.opensWithin=0s", *profile)

    def do(*words: str):
        return fails("do", "d0", *words, "--state", str(server.state))

    def drawn() -> dict | None:
        cards = server.get("/v1/devices/d0/screen")["lockScreen"]
        return cards[0]["drawn"] if cards else None

    nothing = do("pressButton", "button=cheer")
    assert nothing.returncode != 0 and "No card or notification on d0 has a button" in nothing.stderr

    said(do("startActivity", "attributes=" + json.dumps({"id": "m1"}), "contentState=" + json.dumps({"score": 1})))
    assert drawn()["buttons"] == [{"name": "cheer", "title": "Cheer 1"}]
    assert said(do("pressButton", "button=cheer")).startswith("cardButtonPressed ")
    assert backend.wait_for("POST /cheer", 1)[0].json == {"match": "m1"}
    after_events(server, lambda: drawn()["buttons"][0]["title"] == "Cheer 9", "the app's update", types="call")
    said(do("tap"))
    assert backend.wait_for("POST /opened", 1)[0].json == {"link": "mine://m1?score=9"}
    said(do("leave"))

    for match in ("m1", "m2"):
        body = {"aps": {"alert": "Goal", "category": "GOAL"}, "match": match}
        assert server.push(server.tokens("device", "com.mine.app")[0], json.dumps(body).encode()).status == 200
    said(do("pressButton", "button=mute", "notification=0"))
    assert backend.wait_for("POST /mute", 1)[0].json == {"match": "m1"}
    said(do("answerNotification", "text=Well played"))
    assert backend.wait_for("POST /comment", 1)[0].json == {"text": "Well played"}

    misspelt = do("pressButton", "button=chear")
    assert misspelt.returncode != 0 and "did you mean cheer?" in misspelt.stderr
    gone = do("answerNotification", "text=Late")
    assert gone.returncode != 0 and "No app has a notification on d0 that takes a text" in gone.stderr
    assert len(backend.requests) == 4


def test_a_button_is_looked_for_on_the_notifications_of_all_apps(pushpit, fails, tmp_path, backend):
    (tmp_path / "mine.yaml").write_text(PROFILE)
    apps = json.dumps([{"bundleId": "com.first.app"}, {"profile": str(tmp_path / "mine.yaml")}])
    flags = (*SMOOTH, "--fleet", "1", "--set", "reports.opensWithin=0s", "--backend", backend.url)
    server = pushpit(*flags, config=f"fleet: {{apps: {apps}}}")
    said(fails("do", "d0", "leave", "app=com.mine.app", "--state", str(server.state)))
    body = {"aps": {"alert": "Goal", "category": "GOAL"}, "match": "m1"}
    assert server.push(server.tokens("device", "com.mine.app")[0], json.dumps(body).encode()).status == 200
    said(fails("do", "d0", "pressButton", "button=mute", "--state", str(server.state)))
    assert backend.wait_for("POST /mute", 1)[0].json == {"match": "m1"}
