"""The Debian package, installed by apt in a Debian that was made for it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from packages import BINARY, REPOSITORY, clean_environment, first_push, guide, measured, run, serving
from roots import inside

PUSHPIT = "/usr/bin/pushpit"
OURS = shutil.ignore_patterns("tests", "build", "*.egg-info", "__pycache__", ".*_cache")
"""Files that a checkout of somebody else does not have."""


@pytest.fixture(scope="module")
def root(packages, debian, tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("deb") / "root"
    run("cp", "--archive", debian, root)
    shutil.copy(packages["deb"], root / "tmp")
    run(*inside(root, "apt-get", "update"))
    note = measured("deb, from the file to the first 200")
    run(*inside(root, "bash", "-euc", f"cd /tmp\n{guide('deb')}"))
    note("installed with its dependencies")
    with serving(inside(root, PUSHPIT)) as served:
        first_push(inside(root, PUSHPIT), served)
        note("first 200 on a phone's screen")
    return root


def test_the_first_test_of_the_python_guide_passes_with_its_program(root):
    folder = root / "tmp/backend"
    folder.mkdir()
    shutil.copytree(REPOSITORY / "Clients/python", root / "tmp/pushpit/Clients/python", ignore=OURS)
    page = (REPOSITORY / "docs/testing-with-python.md").read_text()
    [test] = re.findall(r"^```python test_goal.py\n(.*?)^```", page, re.M | re.S)
    (folder / "test_goal.py").write_text(test)
    environment = clean_environment()
    if "PIP_CERT" in environment:  # the authority of this machine's way to PyPI
        shutil.copy(environment["PIP_CERT"], root / "tmp/authority.pem")
        environment["PIP_CERT"] = "/tmp/authority.pem"
    note = measured("deb, from the installed package to the first green test")
    run(*inside(root, "bash", "-euc", f"cd /tmp/backend\n{guide('deb-test')}"), env=environment)
    note("Python, pytest and the client installed")
    done = run(*inside(root, "bash", "-euc", "cd /tmp/backend && .venv/bin/pytest -q"))
    note("first green test")
    assert "1 passed" in done.stdout


def test_it_installs_serves_and_a_push_is_on_the_screen_without_a_toolchain(root):
    assert not list(root.glob("usr/lib/**/libswift*"))
    assert not (root / "opt/swift").exists()


def test_manual_completions_profiles_and_scenarios_come_with_it(root):
    listed = run(*inside(root, "dpkg", "-L", "pushpit")).stdout.split()
    for place in (
        "/usr/share/man/man1/pushpit-serve.1.gz",
        "/usr/share/bash-completion/completions/pushpit",
        "/usr/share/zsh/vendor-completions/_pushpit",
        "/usr/share/fish/vendor_completions.d/pushpit.fish",
        "/usr/share/pushpit/profiles/sightscreen.yaml",
        "/usr/share/pushpit/Scenarios/scenario.schema.json",
        "/usr/share/doc/pushpit/copyright",
    ):
        assert place in listed


def test_the_scenarios_that_come_with_it_pass(root):
    place = root / "usr/share/pushpit/Scenarios"
    names = sorted(f"/usr/share/pushpit/Scenarios/{path.name}" for path in place.glob("*.yaml"))
    done = run(*inside(root, PUSHPIT, "simulate", *names))
    assert len(names) > 5, names
    assert done.stdout.count("PASS") >= len(names) and "FAIL" not in done.stdout


def test_bash_completes_subcommands_and_flags(root):
    script = """
      source /usr/share/bash-completion/completions/pushpit
      complete -p pushpit >/dev/null
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
      _pushpit pushpit "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
      echo "${COMPREPLY[@]}"
    """
    for typed, offered in (("pushpit se", {"serve", "send", "settings"}), ("pushpit serve --fl", {"--fleet"})):
        done = run(*inside(root, "bash", "-c", script, "bash", *typed.split()))
        assert set(done.stdout.split()) == offered


def test_zsh_and_fish_can_read_their_completions(root):
    run("zsh", "-n", root / "usr/share/zsh/vendor-completions/_pushpit")
    run("fish", "--no-execute", root / "usr/share/fish/vendor_completions.d/pushpit.fish")


def test_every_command_has_a_page_of_the_manual_and_man_finds_no_fault_with_it(root):
    pages = sorted((root / "usr/share/man/man1").glob("pushpit*.1.gz"))
    names = {page.name.removesuffix(".1.gz") for page in pages}
    assert {"pushpit", "pushpit-serve", "pushpit-certs-provider"} <= names
    for page in pages:
        done = run("man", "--warnings=w", "--local-file", page)
        assert done.stderr == "", f"{page.name}: {done.stderr}"
        command = page.name.removesuffix(".1.gz").split("-")[1:]
        flags = ["--help-all"] if command == ["serve"] else ["--help"]
        said = run(BINARY, *command, *flags).stdout
        for flag in {word for word in said.replace(",", " ").split() if word.startswith("--") and word.isascii()}:
            if f"\n  {flag}" in said:
                assert flag in done.stdout.replace("\u2010\n", ""), f"{flag} is not in {page.name}"


def test_its_copyright_file_names_everything_that_is_compiled_in(root):
    text = (root / "usr/share/doc/pushpit/copyright").read_text()
    for part in ("swift", "swift-argument-parser", "swift-system", "swift-subprocess", "Yams", "libyaml", "icu"):
        assert f"Files: {part}/*" in text


def test_lintian_has_no_complaint(packages):
    done = run("lintian", "--allow-root", "--fail-on", "error,warning", packages["deb"], check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_it_can_be_removed_without_a_trace(packages, root):
    run(*inside(root, "apt-get", "purge", "--yes", "pushpit"))
    left = list((root / "usr").rglob("*pushpit*"))
    assert left == []
    run(*inside(root, "apt-get", "install", "--yes", f"/tmp/{packages['deb'].name}"))
