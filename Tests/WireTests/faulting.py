"""Functions that tests of faults share."""

import pytest

from program import Pushpit
from wire import Wire


def fault(server: Pushpit, then: dict, name: str = "f", **members) -> dict:
    response = server.admin.request("POST", "/v1/faults", json={"name": name, "then": then} | members)
    assert response.status_code == 200, response.text
    return response.json()


def take_back(server: Pushpit, name: str = "f") -> None:
    response = server.admin.request("DELETE", f"/v1/faults/{name}")
    assert response.status_code == 200, response.text


def assert_silent(wire: Wire, timeout: float = 0.3) -> None:
    """Nothing comes for a while; and the connection is open. That something came decides, not how long it took."""
    count = len(wire.frames)
    with pytest.raises(TimeoutError):
        while True:
            assert wire.read(timeout) is not None, "the connection was closed"
            assert len(wire.frames) == count, f"{wire.frames[-1]} came on a silent connection"


def troubles(server: Pushpit, kind: str) -> list[dict]:
    return [t for t in server.pages("/v1/troubles", "troubles") if t["kind"] == kind]
