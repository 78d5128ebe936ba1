"""The report of a run, opened from the disk."""

import subprocess
from pathlib import Path

import pytest
from axe_selenium_python import Axe

from program import BINARY, environment

HOSTILE = "</script></style></svg><img src=x onerror=document.title='hacked'>"

STORY = f"""
name: "a derby {HOSTILE}"
seed: 3
for: 2h
settings:
  fleet: {{devices: 400, mix: {{offline: 10%}}}}
  prompt: {{policy: never}}
faults:
  - {{name: "{HOSTILE}", when: {{every: 3}}, from: 20m, until: 30m, then: {{answer: TooManyRequests, retryAfter: 30}}}}
  - {{name: outage, when: {{every: 2}}, from: 60m, until: 64m, then: {{answer: ServiceUnavailable}}}}
steps:
  - name: kick-off
    push:
      tokenKind: pushToStart
      payload:
        aps:
          timestamp: "{{{{time.unix}}}}"
          event: start
          attributes-type: MatchAttributes
          attributes: {{home: Lions, away: Bears}}
          content-state: {{minute: 0}}
          alert: {{title: Kick-off, body: Lions against Bears}}
  - name: scores
    at: 1m
    every: 1m
    until: 100m
    push:
      tokenKind: update
      priority: 10
      payload:
        aps: {{timestamp: "{{{{time.unix - 2s}}}}", event: update, content-state: {{minute: "{{{{n}}}}"}}}}
  - {{at: 50m, push: {{headers: {{apns-collapse-id: "{HOSTILE[:60]}"}}, payload: {{aps: {{alert: Half-time}}}}}}}}
expect:
  - {{name: all are accepted, pushes: {{}}, all: {{status: 200}}}}
  - {{name: some are throttled, pushes: {{}}, sometimes: {{status: 429}}}}
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    (folder / "story.yaml").write_text(STORY)
    run = [str(BINARY), "simulate", "story.yaml", "--report", "report.html"]
    played = subprocess.run(run, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=100)
    assert played.returncode == 1, played.stdout + played.stderr
    return folder / "report.html"


def opened(page, report: Path):
    page.driver.get(f"file://{report}")
    return page.wait("return document.readyState === 'complete'")


def test_it_opens_from_the_disk_without_an_error_and_loads_nothing(page, report):
    opened(page, report)
    assert page.console() == []
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    assert page.run("return [...document.querySelectorAll('svg')].every((svg) => svg.getBBox().width > 500)")
    assert len(page.text("h2")) >= 10 and "Verdicts" in page.text("h2")


def test_hostile_names_stay_text(page, report):
    opened(page, report)
    assert page.run("return document.querySelectorAll('img, script').length") == 0
    assert page.run("return document.title").startswith("Pushpit: a derby </script>")
    assert HOSTILE in page.run("return document.body.textContent")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_is_readable_at_two_widths(page, report, width, dark):
    page.size(width, 900, dark)
    opened(page, report)
    assert page.run("return document.documentElement.scrollWidth") <= width
    full = min(6000, page.run("return document.documentElement.scrollHeight"))
    page.size(width, full, dark)
    name = f"report-{width}-{'dark' if dark else 'light'}.png"
    page.driver.save_screenshot(str(Path(__file__).parent / "out" / name))
    ground = page.run("return getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(16, 19, 23)") == dark


def test_it_has_no_violations_of_accessibility(page, report):
    for width, dark in ((1280, False), (390, True)):
        page.size(width, 900, dark)
        opened(page, report)
        axe = Axe(page.driver)
        axe.inject()
        violations = axe.run()["violations"]
        assert violations == [], axe.report(violations)
