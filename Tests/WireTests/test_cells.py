"""Cells: several servers, each with a part of one fleet."""

import json
from collections import defaultdict

import pytest

from program import ALERT, CELLS, REPOSITORY, SMOOTH

pytestmark = pytest.mark.tools


@pytest.fixture
def cells(pushpit):
    return [pushpit(*SMOOTH, "--fleet", "20", "--cell", f"{number}/{CELLS}") for number in range(CELLS)]


def test_every_token_is_answered_by_its_cell_and_by_no_other(cells, pushpit):
    whole = pushpit(*SMOOTH, "--fleet", "20")
    everything = {str(token): token for token in whole.tokens()}
    parts = [{str(token): token for token in cell.tokens()} for cell in cells]
    assert {**parts[0], **parts[1], **parts[2], **parts[3]} == everything
    assert sum(map(len, parts)) == len(everything)
    for number, cell in enumerate(cells):
        assert cell.ready["fleet"] == {"devices": 20, "seed": 1, "cell": f"{number}/{CELLS}"}
        with cell.wire() as wire:
            for text, token in everything.items():
                answer = cell.push(token, ALERT, wire=wire)
                mine = int(text[2:4], 16) % CELLS == number
                assert answer.verdict == ((200, None) if mine else (400, "BadDeviceToken"))
                if not mine:
                    why = cell.recorded(answer)["why"]["sentence"]
                    assert f"belongs to cell {int(text[2:4], 16) % CELLS} by its second byte" in why
        troubles = [t["sentence"] for t in cell.pages("/v1/troubles", "troubles") if t["kind"] == "otherCell"]
        assert len(troubles) == CELLS - 1 and all(f"arrived at cell {number} of {CELLS}" in t for t in troubles)
        assert f"pushpit_devices {len(parts[number])}\n" in cell.admin.get("/metrics").text


def test_a_cell_lists_tokens_of_any_cell(cells, pushpit):
    first, second = cells[:2]
    other = [t.text for t in second.tokens()]
    assert [t.text for t in first.tokens(cell="1")] == other == [t.text for t in first.tokens(cell="1/4")]
    whole = pushpit(*SMOOTH, "--fleet", "20")
    assert [t.text for t in whole.tokens(cell="1/4")] == other
    for server, text, wanted in (
        (first, "4", "a number from 0 to 3, because this is cell 0 of 4"),
        (whole, "1", "the number of a cell and of all cells such as 3/16"),
    ):
        response = server.admin.get("/v1/tokens", params={"cell": text})
        assert response.status_code == 400 and wanted in response.json()["error"]


def test_another_cells_device_is_named_with_its_cell(cells):
    response = cells[0].admin.get("/v1/devices/d5")
    assert response.status_code == 404
    assert response.json()["error"] == "d5 belongs to cell 1; this is cell 0 of 4."
    listed = cells[0].admin.get("/v1/tokens", params={"device": "d5"})
    assert (listed.status_code, listed.json()["error"]) == (400, response.json()["error"])
    assert {t.device for t in cells[0].tokens(device="d5", cell="1")} == {"d5"}
    token = "ab05" + "cd" * 30
    order = {"token": token, "device": "d4", "app": "com.example.app", "kind": "device"}
    response = cells[0].admin.post("/v1/tokens", json=order)
    assert response.status_code == 422
    assert "second byte is 5, which names cell 1; d4 belongs to cell 0 of 4" in response.json()["error"]


def test_a_cell_that_cannot_be_is_refused(fails, tmp_path):
    for text in ("16/16", "1", "0/1", "0/300", "a/b"):
        result = fails("serve", "--state", str(tmp_path), "--cell", text)
        assert result.returncode == 2, result.stderr
        assert "fleet.cell must be whole, or the number of a cell and of all cells such as 3/16" in result.stderr
        assert f'not "{text}"' in result.stderr
    result = fails("serve", "--state", str(tmp_path), "--fleet", "3", "--cell", "3/4")
    assert result.returncode == 2 and "cell 3 of 4 has none of 3 devices" in result.stderr


def phones(fails, story: str, home, cell: str = "whole") -> dict[str, list]:
    """The events on each phone in a scenario."""
    text = (REPOSITORY / f"Scenarios/{story}.yaml").read_text()
    path, tape, events = home / f"{story}.yaml", home / "tape", home / "events"
    assert "settings: {fleet: {" in text or "fleet: {" in text, "the scenario sets its fleet in one line"
    path.write_text(text.replace("fleet: {", f"fleet: {{cell: {cell}, ", 1))
    result = fails("simulate", str(path), "--tape", str(tape))
    assert result.returncode in (0, 1), result.stdout + result.stderr
    assert fails("replay", str(tape), "--events", str(events)).returncode == 0
    found = defaultdict(list)
    for line in events.read_text().splitlines():
        event = json.loads(line)
        # Each cell counts its own pushes, connections and calls.
        if event.get("device") and event["event"] not in ("push", "call", "callEnded", "faultStruck"):
            event.pop("push", None)
            found[event["device"]].append(event)
    return found


@pytest.mark.parametrize("story", ["offline-and-back", "gone-after-uninstall", "tokens-rotated"])
def test_four_cells_together_live_through_a_scenario_like_one_process(story, fails, tmp_path):
    whole = phones(fails, story, tmp_path)
    merged = {}
    for number in range(CELLS):
        part = phones(fails, story, tmp_path, f"{number}/{CELLS}")
        assert all(int(device[1:]) % CELLS == number for device in part)
        merged |= part
    assert whole and merged == whole


def test_variables_for_senders_name_each_cell(fails):
    result = fails("cells", "env", "--of", "3")
    assert result.stdout.splitlines() == [
        "APNS_CELLS=3",
        "APNS_CELL_0=https://localhost:2197",
        "APNS_CELL_1=https://localhost:2207",
        "APNS_CELL_2=https://localhost:2217",
    ]
    result = fails("cells", "env", "--of", "2", "--host", "p-{cell}.push", "--port", "443")
    assert result.stdout.splitlines()[1:] == ["APNS_CELL_0=https://p-0.push:443", "APNS_CELL_1=https://p-1.push:443"]
    for flags, said in (
        (["--of", "1"], "from 2 to 256, not 1"),
        (["--of", "257"], "from 2 to 256, not 257"),
        (["--of", "256", "--port", "65000"], "the port of cell 255 would be 67550"),
        (["--of", "4", "--step", "0"], "--step 0 gives all cells the same address"),
        (["--of", "4", "--port", "0"], "--port must be from 1 to 65535"),
    ):
        result = fails("cells", "env", *flags)
        assert result.returncode == 2 and said in result.stderr, result.stderr


def test_servers_that_are_not_all_cells_of_one_fleet_are_named(pushpit, fails, tmp_path):
    state = tmp_path / "state"

    def cell(number: int, *flags: str):
        return pushpit("--cell", f"{number}/3", *flags, state=state).admin_url

    zero, one, two = (cell(number, "--fleet", "9") for number in range(3))
    result = fails("cells", "check", "--cells", f"{two},{zero},{one}")
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [f"cell {n}/3  {url}" for n, url in enumerate((zero, one, two))]
    whole = pushpit("--fleet", "9", state=state).admin_url
    four = pushpit("--fleet", "9", "--cell", "3/4", state=state).admin_url
    seeded, grown, again = cell(1, "--fleet", "9", "--seed", "2"), cell(1, "--fleet", "8"), cell(1, "--fleet", "9")
    keyed = pushpit("--fleet", "9", "--cell", "1/3").admin_url
    for urls, said in (
        ([zero, two], "None of the URLs is that of cell 1 of 3"),
        ([zero, one, again, two], f"{one} and {again} are both cell 1 of 3"),
        ([zero, seeded, two], f"{zero} and {seeded} are not cells of one fleet: the seed is 1 at the first and 2"),
        ([zero, grown, two], "the number of devices is 9 at the first and 8 at the second"),
        ([zero, one, four], "the number of cells is 3 at the first and 4 at the second"),
        ([zero, keyed, two], "the list of keys is "),
        ([zero, one, whole], f"{whole} serves a whole fleet, not a cell"),
        ([zero, "http://127.0.0.1:1"], "http://127.0.0.1:1 did not answer"),
        ([","], "--cells needs the URLs"),
    ):
        result = fails("cells", "check", "--cells", ",".join(urls))
        assert result.returncode == (4 if "did not answer" in said else 1), result.stderr
        assert said in result.stderr, result.stderr
