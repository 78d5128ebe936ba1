"""The API for asyncio: the names of `pushpit`, with `await`; no call blocks the loop.

async with Pushpit.start() as pushpit, pushpit.session() as session:
    await send(await session.phone.token(), "Goal!")            # your backend
    assert (await session.phone.screen()).notifications[0].body == "Goal!"
"""

from ..errors import ConflictError as ConflictError
from ..errors import ExpectationError as ExpectationError
from ..errors import InvalidRequestError as InvalidRequestError
from ..errors import NoFreePhoneError as NoFreePhoneError
from ..errors import NoServerError as NoServerError
from ..errors import NotFoundError as NotFoundError
from ..errors import NoTokenError as NoTokenError
from ..errors import ProgramNotFoundError as ProgramNotFoundError
from ..errors import PushpitError as PushpitError
from ..errors import RefusedError as RefusedError
from ..errors import SendError as SendError
from ..errors import SessionOverError as SessionOverError
from ..errors import StartError as StartError
from ..errors import WaitTimeoutError as WaitTimeoutError
from ..errors import WrongVersionError as WrongVersionError
from ..models import Push as Push
from ..models import Screen as Screen
from ..models import Verdict as Verdict
from ..rows import Call as Call
from ..rows import Card as Card
from ..rows import Finding as Finding
from ..rows import LogLine as LogLine
from ..rows import Notification as Notification
from .clock import Clock as Clock
from .fault import Fault as Fault
from .io import wait_for as wait_for
from .phone import Phone as Phone
from .pushpit import Pushpit as Pushpit
from .session import Session as Session
