"""Pushpit in tests: a local APNs server with virtual iPhones, from Python.

with Pushpit.start() as pushpit, pushpit.session() as session:
    send(session.phone.token(), "Goal!")            # your backend
    assert session.phone.screen().notifications[0].body == "Goal!"
"""

from ._version import __version__ as __version__
from .blocking.clock import Clock as Clock
from .blocking.fault import Fault as Fault
from .blocking.io import wait_for as wait_for
from .blocking.phone import Phone as Phone
from .blocking.pushpit import Pushpit as Pushpit
from .blocking.session import Session as Session
from .errors import ConflictError as ConflictError
from .errors import ExpectationError as ExpectationError
from .errors import InvalidRequestError as InvalidRequestError
from .errors import NoFreePhoneError as NoFreePhoneError
from .errors import NoServerError as NoServerError
from .errors import NotFoundError as NotFoundError
from .errors import NoTokenError as NoTokenError
from .errors import ProgramNotFoundError as ProgramNotFoundError
from .errors import PushpitError as PushpitError
from .errors import RefusedError as RefusedError
from .errors import SendError as SendError
from .errors import SessionOverError as SessionOverError
from .errors import StartError as StartError
from .errors import WaitTimeoutError as WaitTimeoutError
from .errors import WrongVersionError as WrongVersionError
from .models import Push as Push
from .models import Screen as Screen
from .models import Verdict as Verdict
from .rows import Call as Call
from .rows import Card as Card
from .rows import Finding as Finding
from .rows import LogLine as LogLine
from .rows import Notification as Notification
