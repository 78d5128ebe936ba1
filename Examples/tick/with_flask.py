"""A backend with Flask that reminds drivers of the end of their parking time: docs/tick.md."""

import os
import threading
import time

import httpx
from flask import Flask, request

import apns

REMINDER = 3.75 * 3600
due: list[tuple[float, str]] = []
client = httpx.Client(**apns.CLIENT)
app = Flask(__name__)


@app.post("/parked")
def parked() -> tuple[str, int]:
    due.append((now() + REMINDER, request.json["token"]))
    return "", 204


def run_due() -> None:
    while due and due[0][0] <= now():
        answer = client.post(**apns.push(due[0][1], "Your parking ends in 15 minutes"))
        answer.raise_for_status()
        due.pop(0)


def every_second() -> None:
    while True:
        run_due()
        time.sleep(1)


told = os.environ.get("PUSHPIT_NOW")  # set if a story tells the time


def now() -> float:
    return float(told or time.time())


def tick() -> tuple[str, int]:
    global told
    told = request.json["now"]
    run_due()
    return "", 204


if told:
    app.post("/tick")(tick)
else:
    threading.Thread(target=every_second, daemon=True).start()

app.run(port=int(os.environ["PORT"]))
