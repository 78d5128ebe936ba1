"""Pushpit in tests: a local APNs server with virtual iPhones, from Python.

with Pushpit.start() as pushpit, pushpit.session() as session:
    send(session.phone.token(), "Goal!")            # your backend
    assert session.phone.screen().notifications[0].body == "Goal!"
"""

from ._version import __version__
from .client import Pushpit
from .clock import Clock
from .errors import (
    ConflictError,
    ExpectationError,
    InvalidRequestError,
    NoFreePhoneError,
    NoServerError,
    NotFoundError,
    NoTokenError,
    ProgramNotFoundError,
    PushpitError,
    RefusedError,
    SendError,
    SessionOverError,
    StartError,
    WaitTimeoutError,
    WrongVersionError,
)
from .fault import Fault
from .models import Answer, Card, LogLine, Notification, Push, Screen, Verdict
from .phone import Phone
from .session import Session

__all__ = [
    "Answer",
    "Card",
    "Clock",
    "ConflictError",
    "ExpectationError",
    "Fault",
    "InvalidRequestError",
    "LogLine",
    "NoFreePhoneError",
    "NoServerError",
    "NoTokenError",
    "NotFoundError",
    "Notification",
    "Phone",
    "ProgramNotFoundError",
    "Push",
    "Pushpit",
    "PushpitError",
    "RefusedError",
    "Screen",
    "SendError",
    "Session",
    "SessionOverError",
    "StartError",
    "Verdict",
    "WaitTimeoutError",
    "WrongVersionError",
    "__version__",
]
