"""The admin API on the command line: `pushpit phone`, `push`, `fault` and `clock`."""

import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest
import yaml

from commands import COMMANDS, said
from program import APP, BINARY, REPOSITORY, environment, live_activity

pytestmark = pytest.mark.tools


@pytest.fixture
def cli(server, fails):
    """Runs a command against the shared server."""

    def run(*words: str, **options):
        return fails(*words, "--state", str(server.state), "--admin", server.admin_url, **options)

    return run


HOSTILE = (
    "\x1b[2J\x1b]0;owned\x07\u202ereversed\u2066",
    "x" * 3_000,
    "日本語 한국어 👩‍👩‍👧‍👦 👍🏽 🇮🇳 ❤️",
    "שלום عربى",
    "e" + "\u0301" * 500,
    "one\ntwo\r\n\tthree\u2028four\x00",
)


# phone


def test_phone_draws_notifications_and_cards(pushpit, fails):
    server = pushpit("--fleet", "3", "--for-tests")
    token, _ = server.start_activity()
    later = int(time.time()) + 2  # a timestamp must be newer than the start's
    assert server.push(token, live_activity(timestamp=later)).verdict == (200, None)
    assert server.push(server.install(token.device)["deviceToken"], topic=APP).verdict == (200, None)
    shown = said(fails("phone", token.device, "--state", str(server.state)))
    lines = shown.splitlines()
    assert lines[0].startswith(f"{token.device}  iOS ") and "locked" in lines[0]
    assert max(map(len, lines)) <= 80 and "\x1b" not in shown
    assert re.search(rf"╭─ {re.escape(APP)} ─+ banner, \d\d:\d\d:\d\d ─╮", shown), shown
    for text in ("Hello", "World", "MatchAttributes", "home", "away"):
        assert re.search(rf"│ {text} ", shown), shown


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_payload_does_not_control_the_terminal(server, cli, text):
    token = server.token()
    alert = {"title": text, "subtitle": text, "body": text}
    answer = server.push(token, json.dumps({"aps": {"alert": alert}}).encode()[:4096])
    if answer.status == 400:  # longer than APNs takes: the same text once
        answer = server.push(token, json.dumps({"aps": {"alert": text}}).encode())
    assert answer.status == 200
    for words in (["phone", token.device], ["push", "list", "--device", token.device], ["push", "show"]):
        shown = said(cli(*words))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]", shown)
        if words[0] == "phone":
            frame = [line for line in shown.splitlines() if line.startswith(("╭", "│", "╰"))]
            assert all(line.endswith(("╮", "│", "╯")) for line in frame) and len(frame) < 30, shown


def test_phone_json_is_the_answer_of_the_admin_api(server, cli):
    token = server.token()
    server.push(token)
    shown, asked = (
        json.loads(text)
        for text in (
            said(cli("phone", token.device, "--json")),
            server.admin.get(f"/v1/devices/{token.device}/screen").text,
        )
    )
    # The clock runs in between.
    assert shown.pop("at") <= asked.pop("at") and shown == asked


def test_an_empty_name_is_refused(cli):
    for words in (["phone", ""], ["push", "show", ""], ["fault", "delete", ""]):
        assert "empty" in said(cli(*words), 2)


def test_an_unknown_phone_is_said_with_those_that_there_are(cli):
    for name in ("d999999", "nobody", ".", "..", "../screen", "\x1b[2J"):
        message = said(cli("phone", name), 1)
        assert message.startswith("Error: There is no device") and "this fleet has d0 to d299" in message
        assert "\x1b" not in message
    assert "Missing expected argument '<device>'" in said(cli("phone"), 2)


@pytest.mark.parametrize("variables, coloured", [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colours_only_on_a_terminal_that_wants_them(server, variables, coloured):
    main, terminal = pty.openpty()
    try:
        env = environment(server.home, **({"TERM": "xterm"} | variables))
        env = env if "NO_COLOR" in variables else {k: v for k, v in env.items() if k != "NO_COLOR"}
        words = [str(BINARY), "phone", "d0", "--state", str(server.state), "--admin", server.admin_url]
        assert subprocess.run(words, stdout=terminal, stderr=terminal, timeout=60, env=env).returncode == 0
        shown = os.read(main, 65_536).decode()
    finally:
        os.close(main)
        os.close(terminal)
    assert "d0" in shown and ("\x1b[1m" in shown) == coloured


# push


def test_push_list_is_the_ledger_newest_first(server, cli):
    token = server.token()
    for n in range(3):
        server.push(token, b'{"aps":{"alert":"number %d"}}' % n)
    result = cli("push", "list", "--device", token.device, "--limit", "2")
    lines = said(result).splitlines()
    newest = server.pushes(device=token.device)[0]
    assert [line.split()[-1] for line in lines] == ["2", "1"]
    assert re.fullmatch(
        rf"\d\d:\d\d:\d\d\.\d{{3}}  {newest['apnsId'][:8]}  {token.device}  200  alert: banner \(\S+\)  number 2",
        lines[0],
    ), lines
    cursor = re.search(r"There are more: add --cursor (\d+)", result.stderr)[1]
    rest = cli("push", "list", "--device", token.device, "--cursor", cursor)
    assert said(rest).splitlines()[0].endswith("number 0") and rest.stderr == ""


def test_push_list_json_is_the_answer_of_the_admin_api(server, cli):
    token = server.token()
    server.push(token)
    page = server.admin.get("/v1/pushes", params={"device": token.device, "limit": 20}).json()
    assert json.loads(said(cli("push", "list", "--device", token.device, "--json"))) == page


def test_push_list_has_a_flag_for_each_filter_of_the_admin_api(cli):
    document = yaml.load((REPOSITORY / "Sources/Admin/openapi.yaml").read_text(), yaml.CSafeLoader)
    names = [p["name"] for p in document["paths"]["/v1/pushes"]["get"]["parameters"] if "name" in p]
    shown = said(cli("push", "list", "--help"))
    for name in names:
        flag = "--" + re.sub("([A-Z])", lambda match: "-" + match[1].lower(), name)
        assert re.search(rf"^  {flag} <", shown, re.M), f"{flag} is missing in\n{shown}"


FILTERS = [
    ("--status", "200", "429"),
    ("--sent", "200", "429"),
    ("--reason", None, "TooManyRequests"),
    ("--push-type", "alert", "liveactivity"),
    ("--priority", "10", "5"),
    ("--topic", APP, f"{APP}.push-type.liveactivity"),
    ("--app", APP, None),
    ("--token-kind", "device", "update"),
    ("--environment", "sandbox", None),
    ("--outcome", "banner", None),
    ("--fate", "Delivered to Device", None),
]
"""A flag with its value for a notification that is shown, and that for a refused update of the same phone."""


@pytest.fixture(scope="module")
def two_pushes(server):
    """A phone with a notification that was shown and an update that was refused, and the first digits of their ids."""
    update, _ = server.start_activity()
    shown = server.push(server.install(update.device)["deviceToken"], topic=APP)
    fault = {"name": "two", "when": {"devices": [update.device]}, "limit": 1, "then": {"answer": "TooManyRequests"}}
    assert server.admin.post("/v1/faults", json=fault).status_code < 300
    refused = server.push(update, live_activity(), priority=5)
    server.admin.delete("/v1/faults/two")
    assert shown.verdict == (200, None) and refused.verdict == (429, "TooManyRequests")
    return update.device, *(answer.header("apns-id")[:8].upper() for answer in (shown, refused))


@pytest.mark.parametrize("flag, of_shown, of_refused", FILTERS, ids=[flag for flag, *_ in FILTERS])
def test_each_filter_narrows_the_list(two_pushes, cli, flag, of_shown, of_refused):
    device, shown, refused = two_pushes

    def listed(value: str) -> set[str]:
        lines = said(cli("push", "list", "--device", device, flag, value)).upper()
        return {identifier for identifier in (shown, refused) if identifier in lines}

    if of_shown is not None:
        assert listed(of_shown) == ({shown, refused} if flag in ("--app", "--environment") else {shown})
    if of_refused is not None:
        assert listed(of_refused) == {refused}


def test_filters_that_both_pushes_match_leave_out_those_of_others(two_pushes, cli):
    device, *_ = two_pushes
    for flag, value in [("--app", "com.example.store"), ("--environment", "production")]:
        result = cli("push", "list", "--device", device, flag, value)
        assert result.stdout == "" and result.stderr == "No push matches.\n", result.stdout


def test_no_push_is_said(server, cli):
    result = cli("push", "list", "--device", server.token().device, "--status", "410")
    assert result.returncode == 0 and result.stdout == "" and result.stderr == "No push matches.\n"


@pytest.mark.parametrize(
    "words, code, says",
    [
        (["--statsu", "410"], 2, "Unknown option '--statsu'. Did you mean '--status'?"),
        (["--status", "gone"], 2, "Error: --status must be"),
        (["--push-type", "x"], 2, "Error: --push-type cannot be"),
        (["--sent", ""], 2, "Error: --sent must not be empty."),
        (["--device", "x9"], 2, "device"),
        (["--limit", "0"], 2, "Error: --limit must be"),
        (["--limit", "\x1b[31mx"], 2, r"'\u{1b}[31mx' is invalid for '--limit <n>'"),
        (["--reason", "Unregisterd"], 2, "did you mean Unregistered?"),
        (["--session", "nobody"], 1, "nobody"),
        (["--cursor", "x"], 2, "cursor"),
    ],
)
def test_a_wrong_filter_is_refused(cli, words, code, says):
    assert says in said(cli("push", "list", *words), code)


@pytest.mark.parametrize("ask", ["complete", "lower case", "first digits", "newest"])
def test_push_show_tells_the_story(pushpit, fails, ask):
    server = pushpit("--fleet", "3", "--ideal")
    token = server.token()
    server.act(token.device, "permit", notifications="denied")
    identifier = server.push(token).header("apns-id")
    words = {
        "complete": [identifier],
        "lower case": [identifier.lower()],
        "first digits": [identifier[:6]],
        "newest": [],
    }
    shown = said(fails("push", "show", *words[ask], "--state", str(server.state)))
    assert shown.splitlines()[0].lower() == f"push {identifier.lower()}"
    assert re.search(rf"^  to        {token.device}, {re.escape(APP)}, device token$", shown, re.M)
    assert "  answer    200\n" in shown and "  phone     nothing (" in shown
    told = re.sub(r"\s+", " ", shown)
    assert server.pushes()[0]["why"]["sentence"] in told
    assert "\nStory\n" in shown and '"title": "Hello"' in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_push_show_tells_why_a_push_was_rejected(server, cli):
    token = server.token()
    identifier = server.push(token, b"{", topic="com.example.wrong").header("apns-id")
    shown = said(cli("push", "show", identifier))
    push = server.get(f"/v1/pushes/{identifier}")
    assert f"  answer    {push['answer']['status']} {push['reason']}\n" in shown
    assert f"rule {push['why']['rule']}" in shown and "  1 bytes, not JSON" in shown


def test_push_show_json_is_the_answer_of_the_admin_api(server, cli):
    identifier = server.push(server.token()).header("apns-id")
    shown = said(cli("push", "show", identifier[:8], "--json"))
    assert json.loads(shown) == server.get(f"/v1/pushes/{identifier}")


@pytest.mark.parametrize(
    "identifier, code, says",
    [
        ("00000000-0000-0000-0000-000000000000", 1, "The push log has no push 00000000"),
        ("ffffffff0", 1, "None of the newest 1000 pushes has an apns-id that begins with ffffffff0"),
        ("not-an-id", 2, '"not-an-id" is no id of a push: an apns-id has up to 32 hexadecimal digits'),
    ],
)
def test_an_unknown_push_is_said(cli, identifier, code, says):
    assert says in said(cli("push", "show", identifier), code)


def test_without_a_push_there_is_a_hint(pushpit, fails):
    server = pushpit("--fleet", "1")
    assert "There is no push yet; `pushpit send" in said(fails("push", "show", "--state", str(server.state)), 1)


# fault


@pytest.fixture
def storm(server):
    """The name of a fault for a device of its own; removed at the end."""
    token = server.token()
    yield f"storm of {token.device}", token
    server.admin.delete(f"/v1/faults/storm of {token.device}")


@pytest.mark.parametrize("way", ["flags", "json", "file", "standard input"])
def test_a_fault_is_set_struck_listed_and_cleared(server, cli, storm, tmp_path, way):
    name, token = storm
    order = {"name": name, "when": {"device": token.device}, "then": {"answer": "TooManyRequests", "retryAfter": 5}}
    path = tmp_path / "fault.json"
    path.write_text(json.dumps(order))
    words = {
        "flags": ["--answer", "TooManyRequests", "--retry-after", "5", "--device", token.device, "--name", name],
        "json": [json.dumps(order)],
        "file": [str(path)],
        "standard input": ["-"],
    }[way]
    stdin = path.read_text() if way == "standard input" else None
    assert re.search(rf"^{name}  active  0     0", said(cli("fault", "set", *words, stdin=stdin)), re.M)
    assert server.push(token).verdict == (429, "TooManyRequests")
    row = next(line for line in said(cli("fault", "list")).splitlines() if line.startswith(name))
    assert re.split(r" {2,}", row)[1:] == [
        "active",
        "1",
        "1",
        "-",
        f'when {{"device":"{token.device}"}} then {{"answer":"TooManyRequests","retryAfter":5}}',
    ]
    assert said(cli("fault", "delete", name)) == f"deleted: {name}\n"
    assert server.push(token).verdict == (200, None)
    assert re.fullmatch('Error: (No fault is set|There is no fault ".*"; .*).\n', said(cli("fault", "delete", name), 1))


def test_faults_as_json_are_the_answers_of_the_admin_api(server, cli, storm):
    name, token = storm
    words = ["--delay", "2s", "--odds", "0.5", "--limit", "3", "--for", "10m", "--device", token.device, "--name", name]
    made = json.loads(said(cli("fault", "set", *words, "--json")))
    assert made == server.get(f"/v1/faults/{name}")
    assert (made["then"], made["odds"], made["limit"]) == ({"delay": "2s"}, 0.5, 3) and made["until"]
    listed = json.loads(said(cli("fault", "list", "--json")))
    assert listed == server.get("/v1/faults", limit=1000)
    assert json.loads(said(cli("fault", "delete", name, "--json"))) == {"deleted": [name]}


@pytest.mark.parametrize(
    "words, then",
    [
        (["--lose"], {"lose": True}),
        (["--silence"], {"silence": True}),
        (["--lose-answer"], {"loseAnswer": True}),
        (["--reset", "REFUSED_STREAM"], {"reset": "REFUSED_STREAM"}),
    ],
)
def test_each_flag_of_what_goes_wrong_makes_its_fault(pushpit, fails, words, then):
    server = pushpit("--fleet", "1")
    made = json.loads(said(fails("fault", "set", *words, "--json", "--state", str(server.state))))
    assert made["then"] == then and made["name"] == next(iter(then)) and made["inForce"]


def test_all_faults_are_cleared_at_once_or_those_of_a_session(pushpit, fails):
    server = pushpit("--fleet", "3")
    state = ("--state", str(server.state))
    server.admin.post("/v1/sessions", json={"name": "mine", "devices": ["d1"]}).raise_for_status()
    said(fails("fault", "set", "--lose", *state))
    said(fails("fault", "set", "--silence", *state))
    said(fails("fault", "set", "--lose", "--session", "mine", *state))
    assert "lose (session mine)" in said(fails("fault", "list", "--session", "mine", *state))
    assert said(fails("fault", "delete", "--all", "--session", "mine", *state)) == "deleted: lose\n"
    assert said(fails("fault", "delete", "--all", *state)) == "deleted: lose, silence\n"
    none = fails("fault", "list", *state)
    assert none.returncode == 0 and (none.stdout, none.stderr) == ("", "No fault is set.\n")
    assert json.loads(said(fails("fault", "delete", "--all", "--json", *state))) == {"deleted": []}


@pytest.mark.parametrize(
    "words, code, says",
    [
        ([], 2, "Use either a file or JSON, or flags"),
        (["{}", "--lose"], 2, "Use either a file or JSON, or flags"),
        (["--odds", "30%"], 2, "Choose what goes wrong"),
        (["--answer", "TooManyRequest"], 2, "did you mean TooManyRequests?"),
        (["--lose", "--delay", "2s"], 2, "then"),
        (["--lose", "--odds", "often"], 2, "odds"),
        (["--delay", "soon"], 2, "delay"),
        (["--lose", "--device", "d9999999"], 2, 'There is no device "d9999999"; this fleet has d0 to d'),
        (["--answer", ""], 2, 'answer cannot be ""'),
        (["--lose", "--app", "com.example.ap"], 2, "did you mean com.example.app?"),
        (
            ['{"name": "x", "then": {"delay": {"median": "5s", "p99": "9s", "to": "9s"}}}'],
            2,
            "to is not valid for median",
        ),
        (['{"name": "x", "then": {"delay": {"p99": "9s"}}}'], 2, "p99 needs median"),
        (['{"name": "x", "then": {"delay": {}}}'], 2, "or have from and to"),
        (['{"name": "x", "then": {"goAway": "NO_ERROR", "before": 2000}}'], 2, "before must be 0 to 1000"),
        (['{"name": "x"'], 2, "JSON"),
        (['{"name": "x", "then": {"loose": true}}'], 2, "did you mean"),
        (["nowhere.json"], 2, "nowhere.json cannot be read"),
        (["empty.json"], 2, "empty.json is empty"),
        (["broken.json"], 2, "broken.json: "),
        (["fault.yaml"], 2, "fault.yaml: "),
        (["."], 2, ". cannot be read"),
    ],
)
def test_a_malformed_fault_is_refused(cli, home, words, code, says):
    (home / "empty.json").touch()
    (home / "broken.json").write_text('{"name": "x", "then": {"answer": 5}}')
    (home / "fault.yaml").write_text("name: x\nthen: {lose: true}\n")
    result = cli("fault", "set", *words)
    assert says in said(result, code) and result.stdout == ""


def test_clear_needs_a_name_or_all(cli):
    for words in ([], ["x", "--all"]):
        assert "Use either the name of a fault or --all." in said(cli("fault", "delete", *words), 2)


# clock


def test_the_clock_is_shown_advanced_and_stopped(pushpit, fails):
    server = pushpit("--fleet", "3", "--for-tests")

    def clock(*words):
        return said(fails("clock", *words, "--state", str(server.state)))

    assert "mode      wall, the same as the machine's clock" in clock()
    assert "mode      manual, stopped until it is advanced" in clock("mode", "manual")
    before = server.clock()
    after = json.loads(clock("advance", "1h30m", "--json"))
    assert after["unixMilliseconds"] - before["unixMilliseconds"] == 5_400_000
    for shown in (json.loads(clock("--json")), json.loads(clock("show", "--json")), server.clock()):
        assert shown.keys() == after.keys() and (shown["now"], shown["mode"]) == (after["now"], "manual")
    assert f"now       {after['now']}" in clock()
    server.start_activity()
    due = server.clock()["nextDue"]
    assert due and json.loads(clock("advance", "--next", "--json"))["now"] >= due
    assert "ahead of the machine's clock" in clock("mode", "wall")


@pytest.mark.parametrize(
    "words, code, says",
    [
        (["advance"], 2, "Use either a duration such as 8h, or --next."),
        (["advance", "8h", "--next"], 2, "Use either a duration such as 8h, or --next."),
        (["advance", "soon"], 2, "advance must be a duration like 90s"),
        (["advance", "400d"], 2, "advance must be at most 366d"),
        (["mode", "fast"], 2, 'mode cannot be "fast"; valid values are wall and manual.'),
        (["advnace", "8h"], 2, "there is no command clock advnace; did you mean clock advance?"),
    ],
)
def test_a_wrong_order_to_the_clock_is_refused(cli, words, code, says):
    assert says in said(cli("clock", *words), code)


# No server


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_without_a_server_the_address_and_the_way_to_start_one_are_said(fails, words):
    for more in ([], ["--json"]):
        result = fails(*words, *more, PUSHPIT_ADMIN="http://127.0.0.1:1")
        message = said(result, 4)
        assert message.startswith("Error: http://127.0.0.1:1 did not answer (") and result.stdout == ""
        assert "`pushpit serve` starts a server" in message and len(message.splitlines()) == 1


def test_another_program_at_the_address_is_said(fails):
    import http.server
    import threading

    with http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler) as other:
        other.RequestHandlerClass.log_message = lambda *_: None
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        message = said(fails("clock", "--admin", f"http://127.0.0.1:{other.server_port}"), 4)
        other.shutdown()
        thread.join()
    assert f"http://127.0.0.1:{other.server_port} does not answer like Pushpit" in message


def test_a_pipe_that_is_closed_early_ends_the_command(server):
    """`pushpit push list | head -1`: no message, no hang."""
    for _ in range(3):
        server.push(server.token())
    words = [str(BINARY), "push", "list", "--limit", "1000", "--state", str(server.state), "--admin", server.admin_url]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(server.home))
    process.stdout.close()
    assert process.wait(60) in (0, -signal.SIGPIPE)
    assert b"rror" not in process.stderr.read()
