"""A backend with Apple's host built in: django-push-notifications, as its documentation has it. push.py TOKEN... TEXT

Prints for each token whether its row is still active.
"""

import os
import sys

import django
from django.conf import settings
from django.core.management import call_command

settings.configure(
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "push_notifications"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    USE_TZ=True,
    PUSH_NOTIFICATIONS_SETTINGS={
        "APNS_AUTH_KEY_PATH": os.environ["APNS_KEY"],
        "APNS_AUTH_KEY_ID": os.environ["APNS_KEY_ID"],
        "APNS_TEAM_ID": os.environ["APNS_TEAM_ID"],
        "APNS_TOPIC": os.environ["APNS_TOPIC"],
        "APNS_USE_SANDBOX": True,
    },
)
django.setup()

from push_notifications.exceptions import APNSError  # noqa: E402
from push_notifications.models import APNSDevice  # noqa: E402


def main(tokens: list[str], text: str) -> int:
    call_command("migrate", verbosity=0)
    for token in tokens:
        APNSDevice.objects.create(registration_id=token)
    try:
        APNSDevice.objects.all().send_message(text)
    except APNSError as problem:
        print(problem, file=sys.stderr)
    for device in APNSDevice.objects.all():
        print(device.registration_id, "active" if device.active else "inactive")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:-1], sys.argv[-1]))
