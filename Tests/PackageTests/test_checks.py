from __future__ import annotations

from packages import BINARY


def test_the_program_of_the_packages_has_no_checks_of_itself() -> None:
    """Builds for tests end with this sentence if a rule of the simulated world is broken."""
    assert b"A check of Pushpit itself has failed" not in BINARY.read_bytes()
