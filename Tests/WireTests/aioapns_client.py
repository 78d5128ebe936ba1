"""aioapns 4.0, unmodified: a subclass names the host and port, as its own classes do."""

import asyncio
import ssl

from aioapns import APNs, NotificationRequest
from aioapns.connection import APNsDevelopmentClientProtocol

from program import APP


def client(server, **changes) -> APNs:
    host, port = server.address()

    class Protocol(APNsDevelopmentClientProtocol):
        APNS_SERVER = host
        APNS_PORT = port

    key = server.key
    options = {
        "key": key.p8.read_text(),
        "key_id": key.key_id,
        "team_id": key.team_id,
        "topic": APP,
        "use_sandbox": True,
    }
    apns = APNs(**options | changes, ssl_context=ssl.create_default_context(cafile=str(server.ca)))
    apns.pool.protocol_class = Protocol
    return apns


def send(server, *requests: NotificationRequest, **changes) -> list[tuple]:
    async def all_of_them():
        apns = client(server, **changes)
        try:
            return await asyncio.wait_for(asyncio.gather(*(apns.send_notification(r) for r in requests)), 60)
        finally:
            apns.pool.close()

    results = asyncio.run(all_of_them())
    assert [r.notification_id for r in results] == [r.notification_id for r in requests]
    return results


def request(token, message=None, **options) -> NotificationRequest:
    return NotificationRequest(device_token=str(token), message=message or {"aps": {"alert": "Hello"}}, **options)
