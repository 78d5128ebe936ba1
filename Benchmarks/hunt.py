#!/usr/bin/env python3
"""Bugs that `pushpit hunt` finds: each bug of the two example backends, alone, in a healthy story.

    hunt.py bugs           leave one out: how many bugs of Examples/cricket are found, after how long, with how little
    hunt.py second         the same for Examples/courier, which was written before the first oracle
    hunt.py right          the backends without a bug: any find is a false alarm
    hunt.py ablation       bugs, with known failure modes and without
    hunt.py speed          plays a second without trouble, and variants a second of hunts
    hunt.py real           Sygnal and django-push-notifications, unmodified: Benchmarks/README.md has more

Runs in slices: --only takes names of bugs, or of real backends, --for the time of each hunt. Results are appended to
--to as lines of JSON; a table of everything in that file is printed at the end, and says how many of how many it has.
"""

import argparse
import importlib.util
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench_common import BINARY, REPOSITORY

ANSWERS = ["--", "--answer-within", "2"]
"""Both backends wait ten seconds by the machine's clock for an answer that never comes, otherwise."""
MATCH, EVENING = "Examples/cricket/match.yaml", "Examples/courier/evening.yaml"
STORIES = {
    "cricket": [MATCH, *ANSWERS],
    "courier": [EVENING, *ANSWERS],
    "built-in provider": ["Scenarios/whole-match.yaml", "--accept=updateBudgetSpent"],
    "demo": ["--demo", "--accept=lastStateLost", "--accept=tokenForgotten"],
}
"""The words of a hunt. The built-in provider sends updates with priority 10; the demo would end at its only find."""
PLAYS = 20
"""Plays of a story whose speed is measured."""
REAL = {"sygnal": "sygnal", "django": "push_notifications"}
"""Backends in Benchmarks/backends, with the module that each needs."""


def bugs(backend: str) -> list[str]:
    """The names of the bugs, with a failure mode of which each is the subject."""
    if backend == "courier":
        command, folder = ["node", "server.js", "--list-bugs"], REPOSITORY / "Examples/courier"
    else:
        command, folder = [sys.executable, "-m", "cricket", "--list-bugs"], REPOSITORY / "Examples"
    text = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout
    return [line.split()[0] for line in text.splitlines() if line.strip()]


def modes() -> dict[str, list[str]]:
    """The numbers of the failure modes that a bug belongs to."""
    found: dict[str, list[str]] = {}
    for path in sorted((REPOSITORY / "Scenarios/failures").glob("*.yaml")):
        for name in re.findall(r"^# bug ([\w-]+):", path.read_text(), re.M):
            found.setdefault(name, []).append(str(int(path.name[:2])))
    return found


def hunt(backend: str, bug: str | None, options: argparse.Namespace, seed: int, leave_out: list[str]) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "hunt.json"
        flags = [f"--leave-out={word}" for word in leave_out] + ["--first"] * options.first
        command = [
            BINARY, "hunt", "--for", options.time, "--seed", str(seed), "--jobs", str(options.jobs),
            "--into", f"{folder}/hunt", "--json", report, *flags, *STORIES[backend], *(["--bug", bug] if bug else []),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, cwd=REPOSITORY)
        if not report.exists():
            return {"error": done.stderr[-2000:].strip() or f"exit code {done.returncode}"}
        found = json.loads(report.read_text())
    keep = ("oracle", "subject", "sentence", "seconds", "variants", "mode", "fails", "plays", "perturbations")
    return {
        "variants": found["variants"],
        "seconds": round(found["seconds"], 1),
        "refusal": found["refusal"],
        "plain": found["plain"],
        "finds": [{key: find[key] for key in keep} for find in found["finds"]],
        "unsteady": found["unsteady"],
    }


def is_plain(row: dict) -> bool:
    """The story shows the bug without any trouble: a finding of the audit, or an expectation that fails."""
    return bool(row.get("plain")) or "fails without any trouble" in (row.get("refusal") or "")


def problem(row: dict) -> str:
    """A sentence if the hunt was none."""
    return row.get("error") or row["refusal"] or ""


def real(options: argparse.Namespace) -> None:
    folder = REPOSITORY / "Benchmarks/backends"
    for backend in options.only or REAL:
        module = REAL[backend]
        if importlib.util.find_spec(module) is None:
            print(f"{backend}: {module} is not installed")
            continue
        story = folder / ("minute.yaml" if options.live else "evening.yaml")
        flags = ["--for", options.time, "--seed", str(options.seed), "--into", f"hunt-{backend}"]
        app = shlex.join(["python", str(folder / f"{backend}_app.py")])
        subprocess.run([folder / "enter.sh", BINARY, "hunt", story, *flags, "--exec", app], check=False)


def first_time(row: dict) -> float | None:
    if is_plain(row):
        return 0.0
    return min((find["seconds"] for find in row.get("finds", [])), default=None)


def table(rows: list[dict], wanted: int) -> None:
    times, few, plain = [], 0, 0
    for row in rows:
        at = first_time(row)
        if at is None:
            words = problem(row) or f"not found in {row['variants']} variants"
            print(f"  {row['bug']:36} {words.splitlines()[-1]}")
            continue
        if is_plain(row):
            plain += 1
            print(f"  {row['bug']:36}    0.0 s, by the story itself")
            continue
        times.append(at)
        find = min(row["finds"], key=lambda find: find["seconds"])
        count = len(find["perturbations"])
        few += count <= 3
        print(f"  {row['bug']:36} {at:6.1f} s, {count} perturbations, {find['oracle']}")
    median = f", median {statistics.median(times):.1f} s, at most three perturbations {few}" if times else ""
    found = f"found {len(times)}, and {plain} by the story itself, of {len(rows)}{median}"
    print(f"{found} ({len(rows)} of {wanted} measured)")


def measure(options: argparse.Namespace, backend: str, leave_out: list[str], label: str) -> None:
    names = bugs(backend)
    known = modes() if backend == "cricket" else {}
    for name in options.only or names:
        row = hunt(backend, name, options, options.seed + names.index(name), [*leave_out, *known.get(name, [])])
        with options.to.open("a") as file:
            file.write(json.dumps({"what": label, "backend": backend, "bug": name, **row}) + "\n")
        at = first_time(row)
        print(f"{label} {name}: {'-' if at is None else f'{at:.1f} s'}", flush=True)
    rows = [json.loads(line) for line in options.to.read_text().splitlines()]
    table(list({row["bug"]: row for row in rows if row["what"] == label}.values()), len(names))


def right(options: argparse.Namespace) -> bool:
    """True if each of them was hunted with, and nothing was found."""
    is_right = True
    for backend in ("cricket", "courier", "built-in provider"):
        row = hunt(backend, None, options, options.seed, [])
        found = row.get("finds", []) + row.get("plain", [])
        is_right &= not found and not problem(row)
        print(f"{backend}: {row.get('variants')} variants, {len(found)} alarms {problem(row)}", flush=True)
        for find in found:
            print(f"  {find['oracle']}: {find['sentence']}\n    {json.dumps(find.get('perturbations'))}")
    return is_right


def speed(options: argparse.Namespace) -> None:
    match, evening = REPOSITORY / MATCH, REPOSITORY / EVENING
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", dir=match.parent) as file:
        before, after = match.read_text().split("  reset: /reset\n")
        file.write(before + after)
        file.flush()
        stories = {"cricket, restarted": file.name, "cricket, reset": match, "courier, restarted": evening}
        for name, story in stories.items():
            began = time.monotonic()
            subprocess.run([BINARY, "run", story, "--swarm", str(PLAYS)], stdout=subprocess.DEVNULL, check=True)
            print(f"{name}: {PLAYS / (time.monotonic() - began):.1f} plays a second", flush=True)
    for backend in STORIES:
        row = hunt(backend, None, options, options.seed, [])
        words = problem(row) or f"{row['variants'] / row['seconds']:.1f} variants a second, {options.jobs} at a time"
        print(f"{backend}: {words}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["bugs", "second", "right", "ablation", "speed", "real"])
    parser.add_argument("--for", dest="time", default="10m")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--all", dest="first", action="store_false", help="do not end a hunt at its first find")
    parser.add_argument("--live", action="store_true", help="real backends: in the machine's time")
    parser.add_argument("--to", type=Path, default=Path("hunt-results.jsonl"))
    options = parser.parse_args()
    # The stories name python and python3.
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if options.what in ("right", "speed"):
        options.first = False
    if options.what == "right":
        return 0 if right(options) else 1
    if options.what in ("speed", "real"):
        (speed if options.what == "speed" else real)(options)
    elif options.what == "ablation":
        for label, leave_out in (("all", []), ("without modes", ["modes"])):
            print(f"== {label}")
            measure(options, "cricket", leave_out, label)
    else:
        measure(options, "cricket" if options.what == "bugs" else "courier", [], options.what)
    return 0


if __name__ == "__main__":
    sys.exit(main())
