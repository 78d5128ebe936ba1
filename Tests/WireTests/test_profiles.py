"""`pushpit profile`, and `--profile` with names and files."""

import pytest

from backend import Backend
from program import SMOOTH

SHIPPED = ["sightscreen", "plain", "delivery"]
FIRST_CALL = {"sightscreen": "POST /devices", "plain": "POST /push/register"}


def test_profile_lists_what_there_is(fails):
    result = fails("profile")
    assert result.returncode == 0 and result.stderr == ""
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == SHIPPED
    assert all(len(line.split(maxsplit=1)[1]) > 10 for line in lines), "each says what it is"


@pytest.mark.parametrize("name", SHIPPED)
def test_profile_prints_one(fails, name):
    result = fails("profile", name)
    assert result.returncode == 0 and result.stderr == ""
    assert "\nbundleId: com." in result.stdout and "\nreports:\n" in result.stdout


@pytest.mark.parametrize("name", FIRST_CALL)
def test_what_is_printed_can_be_used_as_a_file(fails, pushpit, tmp_path, name):
    file = tmp_path / "my-app.yaml"
    printed = fails("profile", name).stdout
    bundle = next(line for line in printed.splitlines() if line.startswith("bundleId: "))
    file.write_text(printed.replace(bundle, "bundleId: com.mine.app"))
    backend = Backend()
    try:
        server = pushpit(
            *SMOOTH, "--fleet", "2", "--set", "reports.opensWithin=0s", "--profile", str(file), "--backend", backend.url
        )
        assert len(backend.wait_for(FIRST_CALL[name], 2)) == 2
        assert {a["bundleId"] for a in server.device("d0")["apps"]} == {"com.mine.app"}
    finally:
        backend.close()


def test_profile_of_no_such_name(fails):
    result = fails("profile", "sightscren")
    assert result.returncode == 2 and result.stdout == ""
    assert "did you mean sightscreen?" in result.stderr.lower()


def test_serve_names_the_nearest_profile(fails):
    result = fails("serve", "--profile", "sightscren", "--backend", "http://127.0.0.1:1")
    assert result.returncode == 2 and result.stdout == ""
    assert "--profile" in result.stderr and "Did you mean sightscreen?" in result.stderr


def test_serve_names_all_profiles_where_none_is_near(fails):
    result = fails("serve", "--profile", "nonsense", "--backend", "http://127.0.0.1:1")
    assert result.returncode == 2 and result.stdout == ""
    assert "nonsense is neither a shipped profile (sightscreen, plain, delivery) nor a readable file" in result.stderr


def test_a_mistake_in_a_profile_file_is_named_with_its_line(fails, tmp_path):
    file = tmp_path / "my-app.yaml"
    file.write_text('bundleId: com.mine.app\nreports:\n  on:\n    deviceTokn: [{url: "{{backend}}/x"}]\n')
    result = fails("serve", "--profile", str(file), "--backend", "http://127.0.0.1:1")
    assert result.returncode == 2 and result.stdout == ""
    assert f"{file}:4: " in result.stderr and "did you mean deviceToken?" in result.stderr


def test_a_profile_without_a_backend_says_what_is_missing(fails):
    result = fails("serve", "--profile", "plain", "--ports", "0")
    assert result.returncode == 2 and result.stdout == ""
    assert "com.example.plain" in result.stderr and "--backend" in result.stderr


@pytest.mark.parametrize("backend", ["127.0.0.1:8080", "ftp://127.0.0.1", "http://", "http://a b", "{{backend}}"])
def test_a_backend_with_an_invalid_address(fails, backend):
    result = fails("serve", "--profile", "plain", "--backend", backend)
    assert result.returncode == 2 and result.stdout == ""
    assert "--backend" in result.stderr and "http://127.0.0.1:8080" in result.stderr
