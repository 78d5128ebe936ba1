"""The wheel, installed by pip in a new virtual environment: program, client and pytest plugin in one."""

from __future__ import annotations

import re
import sys
import zipfile
from pathlib import Path

import pytest

from packages import REPOSITORY, first_push, guide, measured, run, serving
from roots import inside, make_root


@pytest.fixture(scope="module")
def venv(packages, tmp_path_factory) -> Path:
    """The steps of docs/install.md and the first test of docs/testing-with-python.md, with a clock."""
    folder = tmp_path_factory.mktemp("wheel")
    page = (REPOSITORY / "docs/testing-with-python.md").read_text()
    [test] = re.findall(r"^```python test_goal.py\n(.*?)^```", page, re.M | re.S)
    (folder / "test_goal.py").write_text(test)
    (folder / packages["wheel"].name).symlink_to(packages["wheel"])
    venv = folder / ".venv"
    note = measured("wheel, from the file to the first green test")
    # The Python of this run instead of another of this machine.
    run("bash", "-euc", guide("wheel").replace("python3 ", f"{sys.executable} "), cwd=folder)
    note("installed with pytest")
    done = run(venv / "bin/pytest", "-q", cwd=folder)
    note("first green test")
    assert "1 passed" in done.stdout
    return venv


def test_the_first_test_of_the_guide_passes_with_pip_alone(venv):
    assert not (venv.parent / "Clients").exists()


def test_it_puts_the_program_on_the_path_and_the_program_serves(venv, tmp_path):
    state = ("--state", str(tmp_path / "state"))
    for command in ([venv / "bin/pushpit"], [venv / "bin/python", "-m", "pushpit"]):
        with serving(command, *state) as served:
            first_push(command, served, *state)


def test_the_program_has_all_its_libraries_with_it(venv, tmp_path):
    [package] = venv.glob("lib/python*/site-packages/pushpit")
    with serving([venv / "bin/pushpit"], "--state", str(tmp_path / "state")) as served:
        of_glibc = {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libresolv.so.2"}
        strange = {path for path in served.libraries() if Path(path).name not in of_glibc}
    assert strange and all(path.startswith(str(package / "lib")) for path in strange), strange


def test_the_program_of_the_wheel_runs_where_only_the_c_library_is(packages, tmp_path):
    root = make_root(tmp_path / "root", only_libc=True)
    with zipfile.ZipFile(packages["wheel"]) as wheel:
        wheel.extractall(root / "opt")
    (root / "opt/pushpit/bin/pushpit").chmod(0o755)
    done = run(*inside(root, "/opt/pushpit/bin/pushpit", "simulate", "--help"))
    assert "Play scenarios in virtual time" in done.stdout


def test_it_is_for_this_platform_and_every_python(packages):
    assert packages["wheel"].name.endswith("-py3-none-manylinux_2_36_x86_64.whl")
    with zipfile.ZipFile(packages["wheel"]) as wheel:
        names = wheel.namelist()
        [described] = [name for name in names if name.endswith(".dist-info/WHEEL")]
        assert "Root-Is-Purelib: false" in wheel.read(described).decode()
    assert "pushpit/py.typed" in names
    licenses = {name.partition("/licenses/LICENSES/")[2] for name in names} - {""}
    assert {"pushpit.txt", "LIBRARIES.txt", "compiled-in/icu.txt", "libraries/libcurl4"} <= licenses


def test_pip_says_so_on_another_platform(venv, packages, tmp_path):
    other = tmp_path / packages["wheel"].name.replace("x86_64", "aarch64")
    other.symlink_to(packages["wheel"])
    done = run(venv / "bin/pip", "install", "--no-index", other, check=False)
    assert done.returncode == 1 and "is not a supported wheel on this platform" in done.stderr
