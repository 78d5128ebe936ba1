"""The version of this package, and of the program that it is for."""

__version__ = "0.1.0"


def fits(program_version: str) -> bool:
    """Whether this package works with that program: major and minor number are the same."""
    return program_version.split(".")[:2] == __version__.split(".")[:2]
