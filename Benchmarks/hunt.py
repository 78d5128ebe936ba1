#!/usr/bin/env python3
"""Bugs that `pushpit hunt` finds: each bug of the two example backends, alone, in a healthy story.

    hunt.py bugs           leave one out: how many bugs of Examples/cricket are found, after how long, with how little
    hunt.py second         the same for Examples/courier, which was written before the first oracle
    hunt.py right          the backends without a bug: any find is a false alarm
    hunt.py ablation       bugs, without coverage, without splices, without known failure modes, and with all
    hunt.py speed          variants a second: restarted, and with the built-in provider
    hunt.py real           Sygnal and django-push-notifications, unmodified: Benchmarks/README.md has more

Runs in slices: --only takes names of bugs, or of real backends, --for the time of each hunt. Results are
appended to --to as lines of JSON; a table of everything in that file is printed at the end, and says how many of how
many it has.
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
from pathlib import Path

from bench_common import BINARY, REPOSITORY

STORIES = {"cricket": "Examples/cricket/match.yaml", "courier": "Examples/courier/evening.yaml"}
PROVIDER = "Scenarios/whole-match.yaml"
"""A story of the built-in provider, whose updates have priority 10, whatever they say."""
REAL = {"sygnal": "sygnal", "django": "push_notifications"}
"""Backends in Benchmarks/backends, with the module that each needs."""
ANSWERS = ["--answer-within", "2"]
"""Both backends wait ten seconds by the machine's clock for an answer that never comes, otherwise."""


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
        flags = [f"--leave-out={word}" for word in leave_out]
        command = [
            str(BINARY), "hunt", str(REPOSITORY / STORIES.get(backend, PROVIDER)),
            "--for", options.time, "--seed", str(seed), "--jobs", str(options.jobs),
            "--into", f"{folder}/hunt", "--json", str(report), *flags,
        ]  # fmt: skip
        if options.first:
            command.append("--first")
        if backend in STORIES:
            command += ["--", *ANSWERS, *(["--bug", bug] if bug else [])]
        else:
            command.append("--accept=updateBudgetSpent")
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
        if not report.exists():
            return {"error": done.stderr[-2000:]}
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


def real(options: argparse.Namespace) -> None:
    folder = REPOSITORY / "Benchmarks/backends"
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for backend in options.only or REAL:
        module = REAL[backend]
        if importlib.util.find_spec(module) is None:
            print(f"{backend}: {module} is not installed")
            continue
        story = folder / ("minute.yaml" if options.live else "evening.yaml")
        flags = ["--for", options.time, "--seed", str(options.seed), "--into", f"hunt-{backend}"]
        app = shlex.join(["python", str(folder / f"{backend}_app.py")])
        command = [folder / "enter.sh", BINARY, "hunt", story, *flags, "--exec", app]
        subprocess.run(command, env=environment, check=False)


def first_time(row: dict) -> float | None:
    if is_plain(row):
        return 0.0
    return min((find["seconds"] for find in row.get("finds", [])), default=None)


def table(rows: list[dict], wanted: int) -> None:
    times, few, plain = [], 0, 0
    for row in rows:
        at = first_time(row)
        if at is None:
            words = row.get("error") or row.get("refusal") or f"not found in {row['variants']} variants"
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
    names = [name for name in bugs(backend) if not options.only or name in options.only]
    known = modes() if backend == "cricket" else {}
    rows = []
    for number, name in enumerate(names):
        row = hunt(backend, name, options, options.seed + number, [*leave_out, *known.get(name, [])])
        rows.append({"what": label, "backend": backend, "bug": name, **row})
        with options.to.open("a") as file:
            file.write(json.dumps(rows[-1]) + "\n")
        at = first_time(row)
        print(f"{label} {name}: {'-' if at is None else f'{at:.1f} s'}", flush=True)
    table(rows, len(bugs(backend)))


def right(options: argparse.Namespace) -> int:
    alarms = 0
    for backend in [*STORIES, "built-in provider"]:
        row = hunt(backend, None, options, options.seed, [])
        found = row.get("finds", []) + row.get("plain", [])
        alarms += len(found)
        print(
            f"{backend}: {row.get('variants')} variants, {len(found)} alarms {row.get('error') or row['refusal'] or ''}"
        )
        for find in found:
            print(f"  {find['oracle']}: {find['sentence']}\n    {json.dumps(find.get('perturbations'))}")
    return alarms


def speed(options: argparse.Namespace) -> None:
    for words in (["--demo"], [str(REPOSITORY / STORIES["cricket"])]):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "hunt.json"
            command = [str(BINARY), "hunt", *words, "--for", options.time, "--jobs", str(options.jobs)]
            subprocess.run(
                [*command, "--into", f"{folder}/hunt", "--json", str(report)], capture_output=True, cwd=folder
            )
            found = json.loads(report.read_text())
        print(f"{words[-1]}: {found['variants'] / found['seconds']:.1f} variants a second")


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
    if options.what == "right":
        options.first = False
        return 1 if right(options) else 0
    if options.what in ("speed", "real"):
        (speed if options.what == "speed" else real)(options)
    elif options.what == "ablation":
        for label, leave_out in (
            ("all", []),
            *((f"without {word}", [word]) for word in ("coverage", "splices", "modes")),
        ):
            print(f"== {label}")
            measure(options, "cricket", leave_out, label)
    else:
        measure(options, "cricket" if options.what == "bugs" else "courier", [], options.what)
    return 0


if __name__ == "__main__":
    sys.exit(main())
