"""The version of this package, and of the program that it is for."""

__version__ = "0.1.0"


PROTOCOL = 1
"""Number of the ready line and the admin API that this package knows."""
