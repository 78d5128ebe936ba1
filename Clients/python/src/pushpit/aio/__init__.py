"""The API for asyncio: the names of `pushpit`, with `await`; no call blocks the loop.

async with Pushpit.start() as pushpit, pushpit.session() as session:
    await send(await session.phone.token(), "Goal!")            # your backend
    assert (await session.phone.screen()).notifications[0].body == "Goal!"
"""

from .clock import Clock as Clock
from .fault import Fault as Fault
from .io import wait_for as wait_for
from .phone import Phone as Phone
from .pushpit import Pushpit as Pushpit
from .session import Session as Session
