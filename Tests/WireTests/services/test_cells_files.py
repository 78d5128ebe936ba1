"""Files that run many cells: the template unit, the StatefulSet, the rules and the dashboard of Prometheus."""

import json
import os
import re
import shutil
import subprocess
import threading

import httpx
import kubernetes_validate
import pytest
import yaml

from program import ALERT, BINARY, CELLS, REPOSITORY, SMOOTH
from tools import need
from wire import TIMEOUT

PACKAGING = REPOSITORY / "Packaging"
UNIT = PACKAGING / "systemd/pushpit-cell@.service"
SET = PACKAGING / "kubernetes/pushpit-cells.yaml"
PROMETHEUS = PACKAGING / "prometheus"


def test_systemd_accepts_the_template_unit(tmp_path):
    tool = need("systemd-analyze", "systemd")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/bin/pushpit", str(BINARY)))
    done = subprocess.run([tool, "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_the_unit_starts_a_cell_with_ports_of_its_own(tmp_path):
    """Runs the unit's command for cell 1, as a shell does; only the program is another."""
    text = UNIT.read_text().replace("\\\n", "")
    command = re.search(r"^ExecStart=/bin/sh -c '(.*)'$", text, re.M)[1].replace("%i", "1")
    script = tmp_path / "pushpit"
    script.write_text('#!/bin/sh\necho "$@"\n')
    script.chmod(0o755)
    environment = {"CELLS": "4", "STATE_DIRECTORY": "/var/lib/pushpit", "PATH": os.environ["PATH"]}
    command = command.replace("/usr/bin/pushpit", str(script))
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment, timeout=10)
    words = done.stdout.split()
    assert words[:5] == ["serve", "--state", "/var/lib/pushpit", "--cell", "1/4"]
    flags = dict(zip(words[5::2], words[6::2], strict=True))
    assert flags == {
        "--port": "21980",
        "--production-port": "21981",
        "--channels-port": "21982",
        "--production-channels-port": "21983",
        "--admin-port": "21984",
    }
    known = subprocess.run([str(BINARY), "serve", "--help-all"], capture_output=True, text=True, timeout=30).stdout
    assert all(f"{flag} <" in known for flag in flags)
    targets = [job["targets"] for job in config()["scrape_configs"][0]["static_configs"]]
    assert targets[1] == ["127.0.0.1:21984"]


def documents() -> list[dict]:
    return list(yaml.safe_load_all(SET.read_text()))


@pytest.mark.parametrize("version", ["1.28", "1.37"])
def test_kubernetes_accepts_the_stateful_set(version):
    for document in documents():
        kubernetes_validate.validate(document, version, strict=True)


def test_the_pods_are_told_what_the_program_understands(fails, tmp_path):
    service, workload = documents()
    spec = workload["spec"]
    assert spec["serviceName"] == service["metadata"]["name"] and service["spec"]["clusterIP"] == "None"
    pod = spec["template"]["spec"]
    [container] = pod["containers"]
    variables = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert variables["PUSHPIT_CELL"] == f"$(CELL)/{spec['replicas']}"
    # With these variables, as pod 3 gets them, the program reads its settings; only the machine's address is not there.
    shown = {name: value.replace("$(CELL)", "3") for name, value in variables.items() if value is not None}
    shown |= {"PUSHPIT_HOST": "256.0.0.1", "PUSHPIT_STATE": str(tmp_path)}
    result = fails("serve", **shown)
    assert "256.0.0.1" in result.stderr and "Warning" not in result.stderr, result.stderr
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {port["name"]: port["port"] for port in service["spec"]["ports"]}
    listing = fails("settings", "listen").stdout
    assert all(str(port) in listing for port in ports.values())
    for probe in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] == "/health" and container[probe]["httpGet"]["port"] == "admin"
    names = {volume["name"] for volume in pod["volumes"]}
    used = [mount["name"] for each in pod["containers"] + pod["initContainers"] for mount in each["volumeMounts"]]
    assert set(used) == names


def config() -> dict:
    return yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())


def promtool(*words: str) -> str:
    done = subprocess.run([need("promtool", "prometheus"), *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def rules() -> list[dict]:
    groups = yaml.safe_load((PROMETHEUS / "pushpit.rules.yml").read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict]:
    return json.loads((PROMETHEUS / "dashboard.json").read_text())["panels"]


def test_prometheus_accepts_rules_configuration_and_the_queries_of_the_dashboard(tmp_path):
    promtool("check", "rules", str(PROMETHEUS / "pushpit.rules.yml"))
    promtool("check", "config", str(PROMETHEUS / "prometheus.yml"))
    queries = [target["expr"] for panel in panels() for target in panel["targets"]]
    assert len(queries) >= 12
    made = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries)]
    path = tmp_path / "queries.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": made}]}))
    assert f"{len(queries)} rules found" in promtool("check", "rules", str(path))


def test_rules_and_dashboard_ask_for_what_there_is(server):
    there = set(re.findall(r"^# TYPE (\w+) ", server.admin.get("/metrics").text, re.M))
    recorded = {rule["record"] for rule in rules() if "record" in rule}
    texts = [rule["expr"] for rule in rules()] + [t["expr"] for panel in panels() for t in panel["targets"]]
    asked = {name for text in texts for name in re.findall(r"\bpushpit[_:][\w:]+", text)}
    assert asked - there - recorded == set() and len(asked) > 10


@pytest.fixture
def prometheus(tmp_path):
    """Debian's Prometheus with the files as they are; only the addresses and the times are others."""
    tool, started = need("prometheus", "prometheus"), []

    def start(targets: list[str]) -> httpx.Client:
        made = config()
        made["global"] = {"scrape_interval": "200ms", "evaluation_interval": "200ms"}
        jobs = made["scrape_configs"][0]["static_configs"]
        assert len(jobs) == len(targets) == CELLS
        for job, target in zip(jobs, targets, strict=True):
            job["targets"] = [target]
        shutil.copy(PROMETHEUS / "pushpit.rules.yml", tmp_path)
        (tmp_path / "prometheus.yml").write_text(yaml.safe_dump(made))
        log = (tmp_path / "prometheus.log").open("w+")
        process = subprocess.Popen(
            [
                tool,
                f"--config.file={tmp_path / 'prometheus.yml'}",
                f"--storage.tsdb.path={tmp_path / 'data'}",
                "--web.listen-address=127.0.0.1:0",
            ],
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        started.append((process, log))
        for _ in range(int(TIMEOUT / 0.1)):
            text = (tmp_path / "prometheus.log").read_text()
            address = re.search(r'"?Listening on"? address=(\S+)', text)
            if address and not address[1].endswith(":0"):
                client = httpx.Client(base_url=f"http://{address[1]}", trust_env=False)
                # It listens before it has read its files, and answers 503 until then.
                if client.get("/-/ready").status_code == 200:
                    return client
            assert process.poll() is None, text
            threading.Event().wait(0.1)
        raise AssertionError(text)

    yield start
    for process, log in started:
        process.terminate()
        process.wait(TIMEOUT)
        log.close()


def test_prometheus_adds_up_what_four_cells_count(pushpit, prometheus, tmp_path):
    state = tmp_path / "state"
    cells = [pushpit(*SMOOTH, "--fleet", "20", "--cell", f"{n}/{CELLS}", state=state) for n in range(CELLS)]
    sent, wrong = 0, 0
    for number, cell in enumerate(cells):
        tokens = cell.tokens()
        with cell.wire() as wire:
            for token in tokens[: number + 1]:
                assert cell.push(token, ALERT, wire=wire).verdict == (200, None)
                sent += 1
            other = cells[(number + 1) % CELLS].first_token()
            assert cell.push(other, ALERT, wire=wire).verdict == (400, "BadDeviceToken")
            wrong += 1
    client = prometheus([cell.admin_url.removeprefix("http://") for cell in cells])

    def ask(query: str) -> dict[str, float]:
        result = client.get("/api/v1/query", params={"query": query}).json()["data"]["result"]
        return {row["metric"].get("status", ""): float(row["value"][1]) for row in result}

    wanted = {
        "pushpit:pushes:total": {"200": sent, "400": wrong},
        "pushpit:devices": {"": 20},
        "pushpit:pushes_of_other_cells": {"": wrong},
        "sum(pushpit_pushes_total)": {"": sent + wrong},
        'sum(up{job="pushpit"})': {"": CELLS},
    }
    found = {}
    for _ in range(int(TIMEOUT / 0.1)):
        found = {query: ask(query) for query in wanted}
        if found == wanted:
            break
        threading.Event().wait(0.1)
    assert found == wanted
    assert ask("count(count by (version) (pushpit_build_info))") == {"": 1}
