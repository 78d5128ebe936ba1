"""`pushpit hunt`: what it finds in the two example backends, what it says of stories that it cannot use."""

import json
import re
import shutil
import signal
import subprocess
from xml.etree import ElementTree

import pytest

from commands import said
from program import BINARY, REPOSITORY, environment

COURIER = REPOSITORY / "Examples/courier/evening.yaml"
ANSWERS = ["--", "--answer-within", "2"]
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="no node on this machine")
pytestmark = pytest.mark.timeout(300)
LONGEST = 240
"""Seconds for a hunt with a real backend, which takes 20 on an idle machine."""


def test_the_demo_finds_its_planted_bug_without_a_backend(fails, tmp_path):
    page = tmp_path / "hunt.html"
    result = fails("hunt", "--demo", "--for", "60s", "--into", str(tmp_path / "hunt"), "--report", str(page))
    assert result.returncode == 1, result.stderr
    assert "never sent again" in page.read_text() and "<script" not in page.read_text()
    assert "FOUND 1" in result.stdout and "never sent again" in result.stdout
    [found] = (tmp_path / "hunt").iterdir()
    assert "name: hunt 1" in found.read_text().replace('"', "")


def test_reports_are_written_though_standard_output_is_full(home, tmp_path):
    reports = {flag: tmp_path / f"hunt.{flag}" for flag in ("json", "junit", "report")}
    flags = [part for flag, path in reports.items() for part in (f"--{flag}", str(path))]
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [BINARY, "hunt", "--demo", "--for", "60s", "--into", str(tmp_path / "hunt"), *flags],
            env=environment(home), stdout=full, stderr=subprocess.PIPE, text=True, timeout=120,
        )  # fmt: skip
    assert result.returncode == 2 and "standard output cannot be written" in result.stderr
    assert len(json.loads(reports["json"].read_text())["finds"]) == 1
    assert ElementTree.parse(reports["junit"]).getroot().get("failures") == "1"
    assert "never sent again" in reports["report"].read_text()


def test_two_hunts_do_not_write_to_one_folder(fails, home, tmp_path):
    folder, story = tmp_path / "hunt", REPOSITORY / "Scenarios/first-steps.yaml"
    first = subprocess.Popen(
        [BINARY, "hunt", str(story), "--for", "60s", "--into", str(folder)],
        env=environment(home), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        assert "a play of the story takes" in first.stderr.readline()
        result = fails("hunt", "--demo", "--into", str(folder))
        assert result.returncode == 2 and f"another hunt writes to {folder}; name another folder" in result.stderr
    finally:
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=30)


def test_the_same_seed_finds_the_same_in_virtual_time(fails, tmp_path):
    def found(seed: int) -> list[dict]:
        output = tmp_path / f"{seed}.json"
        flags = ["--seed", str(seed), "--json", str(output), "--into", str(tmp_path / "hunt")]
        fails("hunt", "--demo", "--for", "60s", *flags)
        finds = json.loads(output.read_text())["finds"]
        # The file of a find fails as the find does.
        assert all(find["expectationFails"] == find["expectationPlays"] > 0 for find in finds)
        return [{key: find[key] for key in find if key != "seconds"} for find in finds]

    first = found(5)
    assert first and first == found(5)


@needs_node
@pytest.mark.tools
def test_a_find_is_a_scenario_that_fails_with_the_bug_and_passes_without(fails, tmp_path):
    bug = [*ANSWERS, "--bug", "gives-up-at-429"]
    into = ["--into", str(tmp_path / "hunt")]
    result = fails("hunt", str(COURIER), "--for", "200s", "--first", *into, *bug, timeout=LONGEST)
    assert result.returncode == 1, result.stdout + result.stderr
    command = re.search(r"fails in (\d) of 5 replays; pushpit run (\S+\.yaml) (.*)", result.stdout)
    assert command and int(command[1]) >= 4 and "--bug gives-up-at-429" in command[3]
    failing = [fails("run", command[2], *bug).returncode for _ in range(5)]
    assert failing.count(1) >= 4
    right = fails("run", command[2], *ANSWERS)
    assert right.returncode == 0, right.stdout


@needs_node
@pytest.mark.tools
def test_known_plays_each_known_failure_mode_once_and_a_right_backend_survives(fails, tmp_path):
    result = fails("hunt", str(COURIER), "--known", "--into", str(tmp_path / "hunt"), *ANSWERS, timeout=LONGEST)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "SURVIVED  GOAWAY with open streams" in result.stdout
    assert "NOT REACHED  channel throttled" in result.stdout
    assert not (tmp_path / "hunt").exists()


@pytest.mark.parametrize(("word", "words"), [("dies", "ended with exit code 7"), ("hangs", "did not answer")])
def test_a_backend_that_dies_or_hangs_at_a_refusal_is_found(fails, story, tmp_path, word, words):
    modes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 17, 19, 22, 23, 24, 27, 28, 29, 30, 33, 34, 35, 36]
    flags = [f"--leave-out={mode}" for mode in modes]
    path = story(f"pushes greets {word}-at-429", "answers: 2s")
    result = fails("hunt", path, "--known", *flags, "--into", str(tmp_path / "hunt"), timeout=LONGEST)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "FOUND 1" in result.stdout and words in result.stdout
    assert "FAILED  429 with and without Retry-After" in result.stdout


def test_what_the_owner_accepts_is_not_found(fails, tmp_path):
    flags = ["--for", "5s", "--accept", "lastStateLost", "--accept", "tokenForgotten"]
    result = fails("hunt", "--demo", *flags, "--into", str(tmp_path / "hunt"))
    assert result.returncode == 0, result.stdout
    assert not (tmp_path / "hunt").exists()


@needs_node
@pytest.mark.tools
def test_ctrl_c_ends_a_hunt_with_what_there_is(home, tmp_path):
    command = [BINARY, "hunt", COURIER, *ANSWERS]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment(home)
    ) as hunt:
        # Said after the plain plays.
        assert "variants" in hunt.stderr.readline()
        hunt.send_signal(signal.SIGINT)
        output, _ = hunt.communicate(timeout=30)
    assert hunt.returncode == 130
    assert output.startswith("played ")


STORY = """
name: a story
backend: {command: python3 -c "raise SystemExit('no')", url: "http://127.0.0.1:{{port}}"}
for: 1m
steps: [{at: 1s, do: lock, where: {}}]
expect: [{pushes: {}, count: 0}]
"""


@pytest.mark.parametrize(
    "flags, code, words",
    [
        ([], 2, "Name a scenario file"),
        (["story.yaml", "--demo"], 2, "--demo hunts with a story of its own"),
        (["nowhere.yaml"], 2, "nowhere.yaml: the scenario cannot be read"),
        (["story.yaml", "--for", "0s"], 2, "--for: a time of at least 1s"),
        (["story.yaml", "--for", "soon"], 2, "--for: a time of at least 1s"),
        (["story.yaml", "--jobs", "0"], 2, "--jobs must be a number from 1 to 64"),
        (["story.yaml", "--backend", "localhost"], 2, "--backend must be a URL such as"),
        (["story.yaml", "--accept", "hastyRety"], 2, "did you mean hastyRetry?"),
        (["--demo", "--into", "story.yaml/hunt"], 2, "story.yaml is a file, not a folder"),
        (["story.yaml"], 3, "fails without any trouble"),
        (["--demo", "--json", "-", "--junit", "-"], 2, "Only one of --junit and --json"),
    ],
)
def test_what_cannot_be_hunted_with_gets_a_sentence(fails, tmp_path, flags, code, words):
    story = tmp_path / "story.yaml"
    story.write_text(STORY)
    flags = [flag.replace("story.yaml", str(story)) for flag in flags]
    assert words in said(fails("hunt", *flags), code).replace(str(story), "story.yaml")


def test_a_story_whose_own_expectation_fails_is_refused(fails, tmp_path):
    story = tmp_path / "story.yaml"
    story.write_text("steps: [{push: {payload: {aps: {alert: Goal}}}}]\nexpect: [{pushes: {}, count: 7}]\n")
    result = fails("hunt", str(story), "--for", "10s")
    assert "fails without any trouble" in said(result, 3) and "1000 pushes" in said(result, 3)


def test_unknown_words_of_hunt_in_a_file_are_told_with_their_place(fails, tmp_path):
    story = tmp_path / "story.yaml"
    text = "steps: [{push: {payload: {aps: {alert: Goal}}}}]\nexpect: [{pushes: {}, count: 1..}]\n"
    story.write_text(text + "hunt: {accept: [lastStateLos]}\n")
    words = said(fails("check", str(story)), 2)
    assert "story.yaml:3" in words and "did you mean lastStateLost?" in words
    story.write_text(text + "hunt: {acept: []}\n")
    assert "accept" in said(fails("check", str(story)), 2)


def test_a_hunt_without_the_time_for_its_story_judges_nothing(fails, tmp_path):
    story = tmp_path / "story.yaml"
    steps = "[{every: 1s, times: 3000, push: {payload: {aps: {alert: Goal}}}}]"
    expect = "[{pushes: {}, count: 150000}]"
    story.write_text(f"settings: {{fleet: {{devices: 50, ideal: true}}}}\nsteps: {steps}\nexpect: {expect}\n")
    assert "give it more with --for" in said(fails("hunt", str(story), "--for", "1s"), 3)


def test_the_finds_are_cases_of_a_junit_report(fails, tmp_path):
    output = tmp_path / "hunt.xml"
    fails("hunt", "--demo", "--for", "60s", "--into", str(tmp_path / "hunt"), "--junit", str(output))
    suite = ElementTree.parse(output).getroot()[0]
    assert suite.get("failures") == "1"
    [failure] = suite.iter("failure")
    assert "never sent again" in failure.get("message")


def test_a_hidden_flag_leaves_out_known_failure_modes(fails, tmp_path):
    output = tmp_path / "hunt.json"

    def hunted(*parts: str) -> list[dict]:
        """Returns what some hunts play until they find the planted bug."""
        reports = []
        for seed in range(1, 4):
            flags = [f"--seed={seed}", *(f"--leave-out={part}" for part in parts), "--into", str(tmp_path / "hunt")]
            fails("hunt", "--demo", "--for", "60s", *flags, "--json", str(output))
            report = json.loads(output.read_text())
            assert report["finds"]
            reports.append({key: report[key] for key in ("variants", "kinds", "modes")})
        return reports

    assert all(report["modes"] for report in hunted())
    assert not any("1" in report["modes"] for report in hunted("1"))
    assert not any(report["modes"] for report in hunted("modes"))
