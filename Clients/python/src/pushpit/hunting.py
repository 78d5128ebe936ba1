"""Hunts: plays a test again and again, each time with other faults, until one makes it fail.

What to play is decided by the server, so that all libraries hunt in the same way; here the test is played, its verdict
is sent, and what was found is told.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import keyword
import os
import re
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import SystemRandom
from typing import Any
from unicodedata import category

import pytest
from _pytest.runner import runtestprotocol

from .aio.fault import BESIDE
from .blocking.admin import Admin
from .errors import InvalidRequestError, PushpitError
from .http import JSON
from .waiting import waiting_longer

MARK = "pushpit_hunt"
FORM = f"@pytest.mark.{MARK}(seconds=60)"
PROPERTY = "pushpit_hunt"
"""The property of a report under which a hunt tells its result in a line."""

FEW = 10
"""Fewer variants than these say nothing."""
MOST_SEED = 2**31 - 1
MOST_SECONDS = 1e9
LONGER = 1.5
"""Factor for the time of a hunt that is making a failure smaller."""
RECENT = 200
UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that are not shown as letters: controls, marks of direction, separators of lines."""
INTERVAL = 10.0
"""Seconds between two lines that tell how far a hunt is."""

TIME_LIMIT = re.compile(r"Timeout \(>[^)]*\) from pytest-timeout")

variant_key = pytest.StashKey[list[JSON]]()
"""The faults of the variant that is played, for the session of the test."""
failure_key = pytest.StashKey[tuple[str, str | None]]()
"""The sentence of the first failure of a play, and its place."""
ready_key = pytest.StashKey[bool]()
"""Set once the faults of the variant are set: what fails from then on may be their doing."""


class BadMark(Exception):
    """The mark, or what is kept of earlier hunts, is not valid."""


class TimeLimit(Exception):
    """pytest-timeout has ended a play. It does so once for a test, so that nothing would end the next play."""


@dataclass(frozen=True)
class Order:
    """The mark's keyword arguments."""

    seconds: float
    seed: int
    accept: tuple[str, ...]
    variants: int | None
    """The number of variants after which it ends, if its time is not over before."""

    @classmethod
    def of(cls, mark: pytest.Mark) -> Order:
        words = dict(mark.kwargs)
        seconds, seed, accept = words.pop("seconds", None), words.pop("seed", None), words.pop("accept", ())
        variants = words.pop("variants", None)
        if mark.args or words or seconds is None:
            raise BadMark(f"The mark {mark.name} takes seconds, and seed, accept and variants if you like: {FORM}.")
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds < MOST_SECONDS:
            raise BadMark(f"seconds of the mark {mark.name} is how long to hunt, more than 0, and not {seconds!r}.")
        if seed is None:
            seed = SystemRandom().randrange(1, MOST_SEED)
        if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= MOST_SEED:
            raise BadMark(f"seed of the mark {mark.name} is a whole number from 0 to {MOST_SEED}, and not {seed!r}.")
        if not isinstance(accept, (list, tuple, set)) or not all(isinstance(word, str) for word in accept):
            raise BadMark(f'accept of the mark {mark.name} is a list of words, such as ["goAway"], and not {accept!r}.')
        if variants is not None and (isinstance(variants, bool) or not isinstance(variants, int) or variants < 1):
            raise BadMark(f"variants of the mark {mark.name} is a whole number, 1 or more, and not {variants!r}.")
        return cls(float(seconds), seed, tuple(sorted(accept)), variants)


@dataclass
class Play:
    """A play of the test."""

    reports: list[pytest.TestReport]
    session: str | None
    failure: tuple[str, str | None] | None = None
    problem: str | None = None

    @property
    def failed(self) -> pytest.TestReport | None:
        """The report that says how it has failed."""
        return next((report for report in self.reports if report.failed), None)

    def verdict(self, variant: int) -> JSON:
        body: JSON = {"variant": variant}
        if self.session is not None:
            body["session"] = self.session
        if self.problem is not None:
            return body | {"problem": self.problem}
        if self.failure is None:
            return body | {"passed": True}
        sentence, place = self.failure
        return body | {"passed": False, "failure": sentence} | ({"at": place} if place else {})


def play(item: pytest.Item, faults: list[JSON], forget: Callable[[pytest.Item], str | None]) -> Play:
    """Plays the test with those faults. Function-scoped fixtures are new, those of wider scopes stay.

    `forget` forgets what the play before has left in the item's stash, and returns the name of its session.
    """
    forget(item)
    item.stash[variant_key] = faults
    delete(item.stash, failure_key)
    delete(item.stash, ready_key)
    item._report_sections.clear()
    if getattr(item, "cls", None) is not None:
        # Each play has an instance of its class for itself.
        for name in ("_instance", "_obj"):
            vars(item).pop(name, None)
    with pytest.MonkeyPatch.context() as patch:
        # A play that fails is no failure of the test yet: no debugger opens, and time limits go on.
        patch.setattr("_pytest.runner.check_interactive_exception", lambda call, report: False)
        # As if another test of the same parent came next, so that nothing but the test is torn down.
        reports = runtestprotocol(item, log=False, nextitem=item.parent)  # type: ignore[arg-type]
    played = Play(reports, forget(item))
    by = {report.when: report for report in reports}
    call, setup, failed = by.get("call"), by["setup"], played.failed
    if setup.skipped:
        played.problem = f"it was skipped: {_line(setup)}"
    elif call is not None and (call.skipped or hasattr(call, "wasxfail")):
        played.problem = f"it was skipped, or is expected to fail: {_line(call)}"
    elif failed is not None and (failed.when == "call" or (faults and item.stash.get(ready_key, False))):
        # A fixture that fails only with faults has seen what they do.
        played.failure = item.stash.get(failure_key, None) or (_line(failed), None)
    elif failed is not None:
        played.problem = f"its {failed.when} failed: {_line(failed)}"
    if played.session is None and played.problem is None:
        played.problem = "it was played without a session of Pushpit"
    if failed is not None and (limit := TIME_LIMIT.search(failed.longreprtext)):
        raise TimeLimit(limit[0])
    return played


def delete(stash: pytest.Stash, key: pytest.StashKey[Any]) -> None:
    if key in stash:
        del stash[key]


def _line(report: pytest.TestReport) -> str:
    """The line of a report that says most."""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(getattr(crash, "message", "")) or report.longreprtext.strip().rpartition("\n")[2]
    return _text(text.strip().partition("\n")[0])


def _text(line: str) -> str:
    """A line that can be sent: what is no character, such as a byte of a file's name, is a question mark."""
    return line.encode(errors="replace").decode()


def one_line(text: str) -> str:
    """A text that moves no cursor and changes no color: a space stands for what is no visible character."""
    return re.sub("\0+", " ", "".join("\0" if category(letter) in UNSEEN else letter for letter in text))


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _kinds(finds: list[JSON]) -> str:
    return f"{_counted(len(finds), 'kind')} of failure"


def note_failure(item: pytest.Item, call: pytest.CallInfo[Any]) -> None:
    """Notes where the test has failed: in the last of its own lines."""
    if call.excinfo is None or variant_key not in item.stash or failure_key in item.stash:
        return
    own = [entry for entry in call.excinfo.traceback if Path(entry.path) == item.path]
    sentence = _text(call.excinfo.exconly(tryshort=True).partition("\n")[0])
    place = None
    if own:
        file = os.path.relpath(own[-1].path, item.config.rootpath)
        place = f"{call.excinfo.typename} at {file}:{own[-1].lineno + 1}"
    item.stash[failure_key] = (sentence, place)


# What is kept


@dataclass
class Examples:
    """The finds of earlier hunts of a test, kept for the next one."""

    path: Path
    test: str
    all: list[JSON] = field(default_factory=list)

    @classmethod
    def of(cls, item: pytest.Item) -> Examples:
        slug = re.sub(r"[^A-Za-z0-9]+", "-", item.nodeid).strip("-")[-80:].strip("-")
        digest = hashlib.sha256(item.nodeid.encode()).hexdigest()[:8]
        path = item.config.rootpath / ".pushpit/hunts" / f"{slug}-{digest}.json"
        examples = cls(path, item.nodeid)
        try:
            examples.all = list(json.loads(path.read_text(encoding="utf-8"))["examples"])
            [one["perturbations"] for one in examples.all]
            # What no request can carry, such as NaN or half of a character, was not kept by a hunt.
            json.dumps(examples.all, allow_nan=False, ensure_ascii=False).encode()
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            raise BadMark(f"{path} cannot be read: {error.strerror}.") from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise BadMark(f"{path} is not what a hunt keeps; delete it.") from None
        return examples

    def __contains__(self, perturbations: list[JSON]) -> bool:
        return any(one["perturbations"] == perturbations for one in self.all)

    def add(self, find: JSON) -> None:
        if find["perturbations"] not in self:
            self.all.append({key: find[key] for key in ("words", "perturbations", "failure")})

    def drop(self, faults: list[JSON]) -> None:
        """Drops the example with these faults."""
        entries = _entries(faults)
        self.all = [one for one in self.all if [part["entry"] for part in one["perturbations"]] != entries]

    def write(self) -> str | None:
        """Returns a sentence if they cannot be written."""
        try:
            if not self.all:
                self.path.unlink(missing_ok=True)
                return None
            self.path.parent.mkdir(parents=True, exist_ok=True)
            new = self.path.with_suffix(f".{os.getpid()}")
            try:
                new.write_text(json.dumps({"test": self.test, "examples": self.all}, indent=1) + "\n", encoding="utf-8")
                new.replace(self.path)
            finally:
                new.unlink(missing_ok=True)
        except OSError as error:
            return f"What was found could not be kept in {self.path}: {error.strerror}."
        return None


def _entries(faults: Iterable[JSON]) -> list[JSON]:
    return [{key: value for key, value in fault.items() if key != "name"} for fault in faults]


# Marks


def mark(fault: Mapping[str, Any]) -> str:
    """The mark that sets a fault, as a line to paste."""
    then = dict(fault["then"])
    words: JSON = {"then": then} if any(word in BESIDE for word in then) else then
    words |= {word: fault[word] for word in BESIDE if word in fault}
    return f"@pytest.mark.pushpit_fault({', '.join(f'{_python_name(word)}={_literal(words[word])}' for word in words)})"


def _python_name(word: str) -> str:
    name = re.sub("[A-Z]", lambda match: "_" + match[0].lower(), word)
    return name + "_" if keyword.iskeyword(name) else name


def _literal(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return repr(value)


# The hunt


class Hunter:
    """A hunt with one test."""

    def __init__(
        self,
        item: pytest.Item,
        order: Order,
        admin: Admin,
        forget: Callable[[pytest.Item], str | None],
        own_fault: str | None,
    ) -> None:
        self.item = item
        self.own_fault = own_fault
        """Name of a mark by which each play has a fault; None if only variants have some."""
        self.order = order
        self.began = time.monotonic()
        self.notes: list[str] = []
        self.is_kept = True
        self.first: Play | None = None
        self._failed: dict[int, Play] = {}
        """The last failing play of each find, by its number."""
        self._admin = admin
        self._forget = forget
        self._examples = Examples.of(item)
        self.recent: dict[str, Play] = {}
        """The latest plays that failed, by their faults."""
        self._took: list[float] = []
        self._is_over = False
        """True if the server had nothing left to play."""
        self.report: JSON = {}

    def hunt(self) -> None:
        """Plays until the time is over, or nothing is left to play."""
        body = {
            "name": _text(self.item.nodeid),
            "seed": self.order.seed,
            "accept": list(self.order.accept),
            "kept": [one["perturbations"] for one in self._examples.all],
        }
        try:
            self.report = self._admin.post("/v1/hunts", body)
        except InvalidRequestError as error:
            is_kept = error.field == "kept" or error.status == 413
            where = f" (in {self._examples.path}; delete it to begin anew)" if is_kept else ""
            raise BadMark(f"{error.sentence}{where}") from None
        path = f"/v1/hunts/{self.report['id']}"
        try:
            self._play_all(path)
        finally:
            with contextlib.suppress(PushpitError):
                self._admin.delete(path)
            if (sentence := self._examples.write()) is not None:
                self.is_kept = False
                self.notes.append(sentence)
        self._tell_of_time()

    def _play_all(self, path: str) -> None:
        told = self.began
        while not self._is_late():
            if time.monotonic() - told >= INTERVAL:
                told = time.monotonic()
                self._tell()
            answer = self._admin.post(f"{path}/next")
            if "play" not in answer:
                self.report = answer.get("over", self.report)
                self._is_over = "over" in answer
                return
            self._play(path, answer["play"])

    def _tell(self) -> None:
        """Tells how far it is, where pytest tells results: not in a worker of pytest-xdist, and not with -q."""
        reporter = self.item.config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or reporter.verbosity < 0:
            return
        is_investigating, finds = self.report["investigating"], self.report["finds"]
        does = "makes a failure smaller" if is_investigating else "hunts"
        most = f"at most {LONGER * self.order.seconds:g}" if is_investigating else f"{self.order.seconds:g}"
        parts = [f"{_counted(self.report['played'], 'variant')} in {time.monotonic() - self.began:.0f} of {most} s"]
        if finds:
            parts.append(_kinds(finds))
        elif not is_investigating:
            parts.append("nothing found yet")
        # Nobody may be reading any more, which is no failure of the test.
        with contextlib.suppress(OSError):
            reporter.write_line(f"{one_line(self.item.nodeid)} {does}: {', '.join(parts)}")

    def _is_late(self) -> bool:
        """True if the time is over, or enough is played. A failure that is being looked into gets half of it more.

        The test is played at least once: it must not pass unseen.
        """
        if self.first is None:
            return False
        spent = time.monotonic() - self.began
        if self.report["investigating"]:
            return spent >= LONGER * self.order.seconds
        return spent >= self.order.seconds or (self.order.variants is not None and self.drawn >= self.order.variants)

    def _play(self, path: str, variant: JSON) -> None:
        begun = time.monotonic()
        with waiting_longer(variant["patience"]):
            played = play(self.item, variant["faults"], self._forget)
        self._took.append(time.monotonic() - begun)
        self.first = self.first or played
        if played.failure is not None:
            key = json.dumps(_entries(variant["faults"]))
            self.recent.pop(key, None)
            self.recent[key] = played
            if len(self.recent) > RECENT:
                self.recent.pop(next(iter(self.recent)))
        found = len(self.report["finds"])
        self.report = self._admin.post(f"{path}/verdict", played.verdict(variant["variant"]))
        if variant["purpose"] == "kept" and played.failure is None and played.problem is None:
            self._examples.drop(variant["faults"])
        for find in self.report["finds"][found:]:
            self._found(find)

    def _found(self, find: JSON) -> None:
        failed = self.recent.get(json.dumps(_entries(find["faults"])))
        if failed is not None:
            self._failed[find["number"]] = failed
        self._examples.add(find)
        self._examples.write()

    @property
    def refusal(self) -> str | None:
        """The reason why it ended before its time, for people."""
        sentence: str | None = self.report.get("refusal") or self.report.get("doubt")
        if sentence is None or self.own_fault is None:
            return sentence
        own = f"Each play has the fault of the mark {self.own_fault}: remove that mark, or {MARK}."
        return f"{sentence.rstrip('.')}. {own}"

    def last(self, find: JSON) -> Play | None:
        """The last play in which it failed with these faults."""
        return self._failed.get(find["number"]) or self.recent.get(json.dumps(_entries(find["faults"])))

    def _tell_of_time(self) -> None:
        self.notes += self.report["notes"]
        if self.refusal:
            return
        if self.report["investigating"] and not self.report["unfinished"]:
            self.notes.append("A variant failed just before the time was over; a longer hunt would look into it.")
        if self.finds:
            return
        if self._is_over:
            if self.drawn == 0:
                self.notes.append("Every kind of trouble is accepted, so nothing but the test itself was played.")
        elif self.drawn < min(FEW, self.order.variants or FEW):
            mean = sum(self._took) / max(1, len(self._took))
            self.notes.append(
                f"Only {_counted(self.drawn, 'variant')} fit into {self.order.seconds:g} s, because a play of the test"
                f" takes {mean:.1f} s, and the first {PLAIN} have no trouble. A hunt needs hundreds: raise seconds, or"
                " shorten what the test and its function-scoped fixtures wait for."
            )

    @property
    def drawn(self) -> int:
        """Number of variants after the first plays, which have no trouble."""
        return max(0, int(self.report["played"]) - PLAIN)

    @property
    def finds(self) -> list[JSON]:
        """The finds with the fewest faults first, and last one that was not made smaller to the end."""
        found = sorted(self.report["finds"], key=lambda find: len(find["faults"]))
        return found + ([self.report["unfinished"]] if self.report["unfinished"] else [])

    def line(self) -> str:
        """The result in a line."""
        finds = self.finds
        survived = ", ".join(self.report.get("survived", []))
        found = _kinds(finds) if finds else "nothing found"
        if survived and not finds:
            found += f"; it survived {survived}"
        if self.refusal:
            found = "not hunted: " + self.refusal
        spent = time.monotonic() - self.began
        words = [f"{_counted(self.report.get('played', 0), 'variant')} in {spent:.0f} s, {found}", *self.notes]
        return f"{'. '.join(word.rstrip('.') for word in words)}. seed={self.order.seed}"

    def text(self) -> str | None:
        """The finds, for people; None if there are none."""
        finds = self.finds
        if not finds:
            return None
        first, *others = finds
        failed = self.last(first)
        counts = f"{_counted(self.report['played'], 'variant')}, {_kinds(finds)}"
        lines = [f"Pushpit hunted for {time.monotonic() - self.began:.0f} s: {counts}. {_how_often(first)}:"]
        lines += ["", *_marks(first), "", f"It fails with: {first['failure']}"]
        if failed is not None and failed.failed is not None:
            lines += ["", failed.failed.longreprtext.rstrip()]
        for other in others:
            lines += ["", f"Another failure, {other['failure']}", f"{_how_often(other)}:", "", *_marks(other)]
        if first in self.report["finds"] and self.is_kept:
            kept = os.path.relpath(self._examples.path, self.item.config.rootpath)
            lines += ["", f"Kept in {kept}, and played first the next time."]
        return "\n".join([*lines, f"seed={self.order.seed} draws the same variants again.", *self.notes])


PLAIN = 4
"""Number of plays before the hunt begins: the test itself three times, and once without any push that arrives."""


def _how_often(find: JSON) -> str:
    if find["plays"] < 5:
        return "The smallest so far"
    return f"The smallest that fails, {find['fails']} of {find['plays']} times"


def _marks(find: JSON) -> list[str]:
    lines = []
    for fault, words in zip(find["faults"], find["words"]):
        lines += [f"    # {words}", f"    {mark(fault)}"]
    return lines


# The protocol


def protocol(
    item: pytest.Item,
    nextitem: pytest.Item | None,
    mark: pytest.Mark,
    admin: Callable[[], Admin],
    forget: Callable[[pytest.Item], str | None],
    own_fault: str | None,
) -> None:
    """Runs a test that has the mark, in place of pytest's own protocol.

    `own_fault` is the name of a mark by which the test has a fault itself.
    """
    hook = item.ihook
    hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    hunter: Hunter | None = None
    interrupted: BaseException | None = None
    began, start = time.time(), time.perf_counter()
    failure: str | None = None
    try:
        order = Order.of(mark)
        hunter = Hunter(item, order, admin(), forget, own_fault)
        hunter.hunt()
    except BadMark as problem:
        failure = str(problem)
    except PushpitError as problem:
        failure = f"{type(problem).__name__}: {problem.sentence}"
    except TimeLimit as limit:
        failure = f"{limit}: this limit is for the whole hunt, which takes {order.seconds:g} s, and half of it more if"
        failure += " it has found something. A play has hung, or the limit is too short."
        if found := hunter.text() if hunter is not None else None:
            failure += f"\n\n{found}"
    except (KeyboardInterrupt, pytest.exit.Exception) as problem:
        interrupted = problem
    except Exception as problem:
        # Of another plugin, or a defect of this one: the other tests go on.
        failure = "".join(traceback.format_exception(problem))
    finally:
        delete(item.stash, variant_key)
    sections: list[tuple[str, str]] = []
    if hunter is not None and failure is None and hunter.report:
        failure, sections = _judge(hunter, interrupted is not None)
    first = hunter.first if hunter is not None else None
    if first is not None and first.problem is not None and interrupted is None:
        # It was skipped, or a fixture failed: pytest's own reports say so.
        reports = first.reports
    else:
        if hunter is not None and hunter.report:
            item.user_properties.append((PROPERTY, hunter.line()))
        call = pytest.CallInfo.from_call(lambda: _raise(failure), when="call")
        call.start, call.stop, call.duration = began, time.time(), time.perf_counter() - start
        report = pytest.TestReport.from_item_and_call(item, call)
        report.sections = sections
        reports = [*(first.reports[:1] if first is not None else []), report]
    if interrupted is None or failure is not None:
        for one in reports:
            hook.pytest_runtest_logreport(report=one)
    if interrupted is not None:
        raise interrupted
    _tear_down(item, nextitem)
    hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _judge(hunter: Hunter, is_interrupted: bool) -> tuple[str | None, list[tuple[str, str]]]:
    """The reason why the test fails, and the sections of its report."""
    refusal = hunter.refusal
    if refusal and not hunter.finds:
        last = next(iter(reversed(hunter.recent.values())), None)
        suspect = hunter.report["suspect"]
        lines = ["", "The faults of that variant:", "", *_marks(suspect)] if suspect else []
        return _with_play("\n".join([f"Pushpit could not hunt: {refusal}", *lines]), last)
    text = hunter.text()
    if text is None:
        return None, []
    if refusal:
        text += f"\nThe hunt ended early: {refusal}"
    if is_interrupted:
        text += "\nThe hunt was interrupted."
    first = hunter.finds[0]
    failed = hunter.last(first)
    return text, failed.failed.sections if failed is not None and failed.failed is not None else []


def _with_play(text: str, failed: Play | None) -> tuple[str, list[tuple[str, str]]]:
    if failed is None or failed.failed is None:
        return text, []
    return f"{text}\n\n{failed.failed.longreprtext.rstrip()}", failed.failed.sections


def _raise(failure: str | None) -> None:
    if failure is not None:
        pytest.fail(failure, pytrace=False)


def _tear_down(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Tears down what the next test does not need, as the end of this one would have done."""
    state = item.session._setupstate
    call = pytest.CallInfo.from_call(lambda: state.teardown_exact(nextitem), when="teardown")
    item.ihook.pytest_runtest_logreport(report=pytest.TestReport.from_item_and_call(item, call))
