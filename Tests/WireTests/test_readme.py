"""README.md and docs/first-push.md: what they show beside commands, which test_guides.py runs."""

import json
import re
import shlex

import guides
from guides import blocks


def test_the_ready_line_shown_has_the_real_members(server):
    (shown,) = [json.loads(block.text) for block in blocks("docs/first-push.md", "json")]
    assert set(shown) == set(server.ready)
    assert set(shown["keys"][0]) == set(server.ready["keys"][0])
    assert set(shown["fleet"]) == set(server.ready["fleet"])


def test_runs_shown_start(pushpit):
    """`make run ARGS="…"`, with ports of the test's own."""
    shown = re.findall(r'make run ARGS="([^"]+)"', guides.read("docs/first-push.md"))
    assert shown
    for flags in shown:
        pushpit(*shlex.split(flags)).stop()


def test_the_test_shown_is_the_one_of_the_python_guide():
    """Clients/python/tests/test_documents.py runs that one."""
    (shown,) = blocks("README.md", "python")
    guide = {block.name: block.text for block in blocks("docs/testing-with-python.md", "python")}
    assert shown.text == guide["test_goal.py"]


def test_the_readme_fits_a_screen_and_a_half():
    assert len(guides.read("README.md").splitlines()) <= 80
