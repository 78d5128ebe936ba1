"""A chat with django-push-notifications: its own view registers the tokens, its models keep and push to them.

Whom it could not reach, it tries again, as a task queue would. --bulk sends a message with one call for all, as its
documentation shows; the error then does not say who was missed, so nothing is tried again. --unique sets
UNIQUE_REG_ID, which is off by default.
"""

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
import time
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from surroundings import BUNDLE, KEY, READY, TELLS_TIME, Clock

PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("--bulk", action="store_true")
PARSER.add_argument("--unique", action="store_true")
OPTIONS = PARSER.parse_args()
FOLDER = tempfile.TemporaryDirectory()
DATABASE = {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{FOLDER.name}/chat.sqlite3", "OPTIONS": {"timeout": 60}}
os.environ["SSL_CERT_FILE"] = READY["ca"]
settings.configure(
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["127.0.0.1"],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "rest_framework", "push_notifications"],
    DATABASES={"default": DATABASE},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": []},
    USE_TZ=True,
    PUSH_NOTIFICATIONS_SETTINGS={
        "APNS_AUTH_KEY_PATH": KEY["p8"],
        "APNS_AUTH_KEY_ID": KEY["keyId"],
        "APNS_TEAM_ID": KEY["teamId"],
        "APNS_TOPIC": BUNDLE,
        "APNS_USE_SANDBOX": True,
        "UPDATE_ON_DUPLICATE_REG_ID": True,
        "UNIQUE_REG_ID": OPTIONS.unique,
    },
)
django.setup()

from django.urls import include, path  # noqa: E402
from push_notifications.api.rest_framework import APNSDeviceViewSet  # noqa: E402
from push_notifications.exceptions import NotificationError  # noqa: E402
from push_notifications.models import APNSDevice  # noqa: E402
from rest_framework.routers import DefaultRouter  # noqa: E402

FIRST_WAIT, MOST_TRIES = 5, 6


class Outbox:
    """Messages that somebody was not told yet."""

    def __init__(self) -> None:
        self.clock, self.lock = Clock(), threading.Lock()
        self.forget()

    def forget(self) -> None:
        self.due: list[tuple[float, int, int | None, str, str]] = []
        """The time, the tries so far, the row (none: everybody), the author and the text."""
        self.known: set[tuple[str, str]] = set()

    def add(self, body: dict) -> None:
        with self.lock:
            if (key := (body["sender"], body["id"])) in self.known:
                return
            self.known.add(key)
            rows = APNSDevice.objects.filter(active=True).exclude(name=body["sender"])
            for row in [None] if OPTIONS.bulk else [row.pk for row in rows]:
                self.due.append((self.clock.now(), 0, row, body["sender"], body["text"]))

    def run_due(self) -> None:
        with self.lock:
            now = self.clock.now()
            ripe = [each for each in self.due if each[0] <= now]
            self.due = [each for each in self.due if each[0] > now]
            for _, tries, row, sender, text in ripe:
                try:
                    rows = APNSDevice.objects.filter(active=True)
                    rows = rows.exclude(name=sender) if row is None else rows.filter(pk=row)
                    if rows.exists():
                        rows.send_message(text)
                except NotificationError as problem:
                    print(f"{row}: {problem}", flush=True)
                    if row is not None and tries + 1 < MOST_TRIES:
                        self.due.append((now + FIRST_WAIT * 2**tries, tries + 1, row, sender, text))


OUTBOX = Outbox()
router = DefaultRouter()
router.register("devices", APNSDeviceViewSet)


def say(request: HttpRequest) -> HttpResponse:
    OUTBOX.add(json.loads(request.body))
    return HttpResponse(status=204)


def tick(request: HttpRequest) -> HttpResponse:
    OUTBOX.clock.told = json.loads(request.body)["now"]
    OUTBOX.run_due()
    return HttpResponse(status=204)


def reset(request: HttpRequest) -> HttpResponse:
    OUTBOX.clock.told = json.loads(request.body)["now"]
    OUTBOX.forget()
    APNSDevice.objects.all().delete()
    return HttpResponse(status=204)


urlpatterns = [
    path("messages/", say), path("tick", tick), path("reset", reset),
    path("", include(router.urls)),
]  # fmt: skip


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def main() -> None:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # the folder is removed at the exit
    call_command("migrate", verbosity=0)
    server = make_server("127.0.0.1", int(os.environ["PORT"]), get_wsgi_application(), Server)
    if TELLS_TIME:
        server.serve_forever()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        OUTBOX.run_due()
        time.sleep(0.1)


if __name__ == "__main__":
    main()
