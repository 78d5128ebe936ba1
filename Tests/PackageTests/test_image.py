"""The image: built from the Dockerfile on a Debian made here, without an engine, and started in its own network."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from packages import MEASURED, REPOSITORY, clean_environment, run

BASE = "docker.io/library/debian:12-slim"


@dataclass(frozen=True)
class Buildah:
    """Debian's buildah, with its storage in a folder of the test."""

    folder: Path

    def words(self, *words: str | Path) -> list[str]:
        places = ["--root", self.folder / "storage", "--runroot", self.folder / "run"]
        return ["env", "STORAGE_DRIVER=vfs", "buildah", *map(str, [*places, *words])]

    def do(self, *words: str | Path) -> str:
        return run(*self.words(*words)).stdout.strip()

    def inside(self, container: str, *words: str) -> list[str]:
        return self.words("run", "--isolation", "chroot", container, "--", *words)


@pytest.fixture(scope="module")
def buildah(packages, debian, tmp_path_factory) -> Iterator[Buildah]:
    """With the image `pushpit`, built from the Dockerfile and the deb alone."""
    folder = tmp_path_factory.mktemp("image")
    buildah = Buildah(folder)
    scratch = buildah.do("from", "scratch")
    buildah.do("add", "--quiet", scratch, debian, "/")
    buildah.do("commit", "--quiet", "--rm", scratch, BASE)
    context = folder / "context"
    (context / "dist").mkdir(parents=True)
    for name in ("Dockerfile", ".dockerignore"):
        shutil.copy(REPOSITORY / name, context)
    shutil.copy(packages["deb"], context / "dist")
    (context / "secret.txt").write_text("What .dockerignore keeps out.")
    how = ("--isolation", "chroot", "--pull-never", "--format", "docker")
    buildah.do("bud", *how, "--tag", "pushpit", context)
    sizes = {each["names"][0]: each["size"] for each in json.loads(buildah.do("images", "--json"))}
    MEASURED.append(f"image: {sizes['localhost/pushpit:latest']}, of which Debian {sizes[BASE]}")
    yield buildah
    buildah.do("rm", "--all")
    buildah.do("rmi", "--all", "--force")


@pytest.fixture(scope="module")
def config(buildah) -> dict[str, Any]:
    return json.loads(buildah.do("inspect", "--type", "image", "pushpit"))["Docker"]["config"]


@dataclass(frozen=True)
class Running:
    buildah: Buildah
    container: str
    pid: int
    ready: dict[str, Any]

    def do(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Another command in the container."""
        network = ["nsenter", "--target", str(self.pid), "--net"]
        return run(*network, *self.buildah.inside(self.container, *words), check=check)

    def curl(self, *words: str) -> str:
        """A request from outside of the container."""
        return run("nsenter", "--target", str(self.pid), "--net", "curl", "--silent", *words).stdout


@pytest.fixture(scope="module")
def running(buildah, config) -> Iterator[Running]:
    """Starts what an engine would start: entry point and command of the image."""
    container = buildah.do("from", "--pull-never", "pushpit")
    command = buildah.inside(container, *config["Entrypoint"], *config["Cmd"])
    network = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
    server = subprocess.Popen(
        [*network, *command], env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        line = server.stdout.readline()
        assert line, server.communicate(timeout=30)[1]
        yield Running(buildah, container, server.pid, json.loads(line))
    finally:
        # buildah ends what it started only if it is asked to end itself.
        server.terminate()
        server.communicate(timeout=30)


def test_a_container_serves_on_all_its_addresses_as_a_user_without_rights(running):
    assert running.ready["listeners"]["sandbox"] == "0.0.0.0:2197"
    assert running.do("id", "--user").stdout.strip() == "2197"
    assert running.do("touch", "/usr/bin/written", check=False).returncode != 0


def test_a_push_within_the_container_gets_200(running):
    assert running.do("pushpit", "send", "--to", "d0").stdout.startswith("200 ")


def test_the_admin_api_answers_requests_through_a_published_port(running):
    # A port that is published on 127.0.0.1 is named so in the Host header.
    devices = json.loads(running.curl("http://127.0.0.1:2190/v1/devices?limit=1"))
    assert devices["devices"][0]["id"] == "d0"


def test_the_health_check_of_the_image_says_whether_the_server_is_up(buildah, config, running):
    test = config["Healthcheck"]["Test"]
    assert test[0] == "CMD"
    assert running.do(*test[1:]).returncode == 0
    elsewhere = buildah.do("from", "--pull-never", "pushpit")
    assert run(*buildah.inside(elsewhere, *test[1:]), check=False).returncode == 1


def test_the_state_is_a_volume_that_belongs_to_the_user(config, running):
    assert list(config["Volumes"]) == ["/var/lib/pushpit"]
    assert running.do("stat", "--format", "%U", "/var/lib/pushpit").stdout.strip() == "pushpit"
    assert running.ready["ca"] == "/var/lib/pushpit/ca.pem"


def test_the_image_has_no_toolchain_and_nothing_else_of_the_context(running):
    found = running.do("find", "/", "-xdev", "(", "-name", "secret.txt", "-o", "-name", "libswift*", ")", check=False)
    assert found.stdout == ""
    assert running.do("ls", "/var/lib/apt/lists").stdout == ""
