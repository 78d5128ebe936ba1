"""pytest: fixtures `pushpit`, `pushpit_session` and `pushpit_phone`, and those of the same names for asyncio with
`pushpit_aio`; marks `pushpit_expect`, `pushpit_fault` and `pushpit_hunt`.

One server serves a whole run, also under pytest-xdist: the first test that asks for it has it started. A failing test
shows what happened to its last pushes, and where the tape of the run is.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Generator, Iterator
from typing import Any

import pytest

from . import _servers, aio, hunting
from .aio.admin import Admin
from .blocking.phone import Phone
from .blocking.pushpit import SESSION_LIFE, Pushpit
from .blocking.session import Session
from .errors import PushpitError

STORIES = 5
BACK = "pushpit_plain_names = true in pytest.ini brings"

_servers_key = pytest.StashKey[_servers.Servers]()
_session_key = pytest.StashKey[Session]()
_failed_key = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pushpit")
    group.addoption(
        "--pushpit-url",
        default=os.environ.get("PUSHPIT_ADMIN"),
        help="Admin API of a Pushpit that runs already, instead of starting one; else PUSHPIT_ADMIN.",
    )
    parser.addini(
        "pushpit_servers",
        "run: one Pushpit for all workers of pytest-xdist. worker: one for each, for suites that move the clock.",
        default="run",
    )
    parser.addini(
        "pushpit_start",
        "Keyword arguments of Pushpit.start and settings, one a line, such as `fleet = 200`.",
        type="linelist",
        default=[],
    )
    parser.addini("pushpit_flags", "Former form of pushpit_start.", default="")
    parser.addini("pushpit_expires", "How long a test's session stays open at the most.", default=SESSION_LIFE)
    parser.addini("pushpit_app", "Bundle id of the app that phones must have; else the fleet's first.", default="")
    parser.addini(
        "pushpit_plain_names",
        "Whether the fixture pushpit_phone and the marks are also called phone, expect and fault.",
        type="bool",
        default=False,
    )


def pytest_configure(config: pytest.Config) -> None:
    plain = config.getini("pushpit_plain_names")
    for prefix in ("pushpit_", "") if plain else ("pushpit_",):
        config.addinivalue_line(
            "markers", f"{prefix}expect(expectation): what must be true of the test's pushes and phone at its end"
        )
        config.addinivalue_line("markers", f"{prefix}fault(name=None, **words): a fault set for the test's session")
        config.addinivalue_line(
            "markers",
            f"{prefix}hunt(seconds, seed=None, accept=(), variants=None): plays the test with faults",
        )
    if plain:
        config.pluginmanager.register(PlainNames())
    if config.getini("pushpit_servers") not in ("run", "worker"):
        raise pytest.UsageError(f"pushpit_servers is run or worker, not {config.getini('pushpit_servers')}.")
    if config.getini("pushpit_flags"):
        raise pytest.UsageError("pushpit_flags is now pushpit_start: `fleet = 200` for `--fleet 200`, one a line.")
    config.stash[_servers_key] = _servers.Servers(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """pytest-xdist is about to start a worker."""
    config: pytest.Config = node.config
    node.workerinput[_servers.WORKER_INPUT] = config.stash[_servers_key].listen()


def pytest_sessionfinish(session: pytest.Session) -> None:
    session.config.stash[_servers_key].failed = session.testsfailed > 0


def pytest_unconfigure(config: pytest.Config) -> None:
    if _servers_key in config.stash:
        config.stash[_servers_key].close()


@contextlib.contextmanager
def _sentence_only() -> Iterator[None]:
    """Reports an error without a traceback, where a test's own lines have no part in it."""
    try:
        yield
    except PushpitError as problem:
        raise pytest.fail.Exception(f"{type(problem).__name__}: {problem.sentence}", pytrace=False) from None


def _marks(node: pytest.Item, name: str, told: bool = True) -> list[pytest.Mark]:
    """Marks of that name, the outermost first. A mark of the former name is an error if it is to be told."""
    config = node.config
    names = _names(config, name)
    if name not in names and told and node.get_closest_marker(name) and not _is_declared(name, config):
        pytest.fail(f"The mark {name} is now pushpit_{name}; {BACK} {name} back.", pytrace=False)
    return [mark for mark in node.iter_markers() if mark.name in names][::-1]


def _names(config: pytest.Config, name: str) -> list[str]:
    return [f"pushpit_{name}"] + ([name] if config.getini("pushpit_plain_names") else [])


def _is_declared(mark: str, config: pytest.Config) -> bool:
    return any(re.match(rf"{mark}\b", row) for row in config.getini("markers"))


def _expectations(node: pytest.Item) -> list[dict[str, Any]]:
    marks = _marks(node, "expect")
    for mark in marks:
        if len(mark.args) != 1 or not isinstance(mark.args[0], dict) or mark.kwargs:
            form = f'@pytest.mark.{mark.name}({{"pushes": {{}}, "count": 1}})'
            pytest.fail(f"The mark {mark.name} takes one dictionary: {form}; use a mark for each.", pytrace=False)
    return [mark.args[0] for mark in marks]


def _faults(node: pytest.Item) -> list[pytest.Mark]:
    marks = _marks(node, "fault")
    for mark in marks:
        if len(mark.args) > 1 or not all(isinstance(name, str) for name in mark.args):
            form = f'@pytest.mark.{mark.name}(answer="TooManyRequests", limit=1)'
            pytest.fail(f"The mark {mark.name} takes keyword arguments: {form}.", pytrace=False)
    return marks


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A test with the mark of hunts is played by the hunt."""
    mark = _hunts(item)
    if mark is None:
        return None
    servers = item.config.stash[_servers_key]
    fault = next((mark.name for mark in _marks(item, "fault", told=False)), None)
    hunting.protocol(item, nextitem, mark, lambda: servers.pushpit().admin, _forget_play, fault)
    return True


def _hunts(item: pytest.Item) -> pytest.Mark | None:
    """The innermost mark of a hunt."""
    marks = [mark for name in _names(item.config, "hunt") for mark in item.iter_markers(name)]
    return marks[0] if marks and isinstance(item, pytest.Function) else None


def _forget_play(item: pytest.Item) -> str | None:
    """Forgets what a play of a test has left; returns the name of its session."""
    session = item.stash.get(_session_key, None)
    hunting.delete(item.stash, _session_key)
    hunting.delete(item.stash, _failed_key)
    return None if session is None else session.name


def pytest_terminal_summary(terminalreporter: Any) -> None:
    lines = [
        f"{hunting.one_line(report.nodeid)}: {value}"
        for reports in terminalreporter.stats.values()
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == hunting.PROPERTY and report.when == "call"
    ]
    if lines:
        terminalreporter.section("Pushpit hunts")
        for line in lines:
            terminalreporter.line(line)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test with marks has a session, even if it asks for none."""
    if isinstance(item, pytest.Function) and "pushpit_session" not in item.fixturenames:
        told = "pushpit" in item.fixturenames
        if _hunts(item) or any(_marks(item, name, told) for name in ("expect", "fault")):
            item.fixturenames = [*item.fixturenames, "pushpit_session"]


@pytest.fixture(scope="session")
def pushpit(pytestconfig: pytest.Config) -> Pushpit:
    """A running Pushpit. It is stopped after the run."""
    with _sentence_only():
        return pytestconfig.stash[_servers_key].pushpit()


@pytest.fixture
def pushpit_session(pushpit: Pushpit, request: pytest.FixtureRequest) -> Iterator[Session]:
    """A session of this test, on a phone that no other test has. Marks `pushpit_expect` say what must be true at its
    end, marks `pushpit_fault` what goes wrong in it."""
    expect, faults = _expectations(request.node), _faults(request.node)
    app = request.config.getini("pushpit_app") or None
    with _sentence_only():
        session = pushpit.session(app=app, expires=request.config.getini("pushpit_expires"), expect=expect)
    request.node.stash[_session_key] = session
    try:
        for mark in faults:
            with _sentence_only():
                session.fault(*mark.args, **mark.kwargs)
        for fault in request.node.stash.get(hunting.variant_key, []):
            with _sentence_only():
                session.fault(**fault)
        request.node.stash[hunting.ready_key] = True
        yield session
    finally:
        try:
            with _sentence_only():
                if not session.end.forgotten:
                    session.close()
        except pytest.fail.Exception:
            # Of a server that has gone, or a session that is over, the test has told itself.
            if _failed_key not in request.node.stash:
                raise


@pytest.fixture
def pushpit_phone(pushpit_session: Session) -> Phone:
    """The phone of the test's session."""
    return pushpit_session.phone


@pytest.fixture
def pushpit_aio(pushpit: Pushpit) -> aio.Pushpit:
    """The running Pushpit for asyncio, whoever runs the loop: each call has its own connection."""
    return aio.Pushpit(Admin(pushpit.url, pushpit.server), pushpit.ready, pushpit.app, pushpit.tape)


@pytest.fixture
def pushpit_aio_session(pushpit_aio: aio.Pushpit, pushpit_session: Session) -> aio.Session:
    """The test's session for asyncio."""
    app = pushpit_session.phone.app
    return aio.Session(pushpit_aio, pushpit_session.opened, app, pushpit_session.end)


@pytest.fixture
def pushpit_aio_phone(pushpit_aio_session: aio.Session) -> aio.Phone:
    """The phone of the test's session for asyncio."""
    return pushpit_aio_session.phone


class PlainNames:
    """A plugin with the names that other plugins may have, too."""

    @pytest.fixture
    def phone(self, pushpit_phone: Phone) -> Phone:
        """The phone of the test's session."""
        return pushpit_phone


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """The verdict belongs to the test: one that is not met is a failure, not an error of a fixture's end."""
    result = yield
    session = item.stash.get(_session_key, None)
    if session is not None and session.opened["expected"]:
        with _sentence_only():
            session.close().check()
    return result


def _troubles(session: Session) -> str:
    """Possible reasons why no push came, such as a connection without the right certificate authority. They are the
    server's; another test may have caused them."""
    rows = session.pushpit.admin.get("/v1/troubles", limit=3)["troubles"]
    return "".join(f"\nA connection had trouble at {row['at']}: {row['sentence']}" for row in rows)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    hunting.note_failure(item, call)
    session = item.stash.get(_session_key, None)
    if report.failed:
        item.stash[_failed_key] = True
        if "fixture 'phone' not found" in report.longreprtext:
            report.sections.append(("Pushpit", f"The fixture phone is now pushpit_phone; {BACK} phone back."))
    if report.failed and session is not None:
        try:
            stories = session.stories(STORIES)
            if not session.pushes(limit=1):
                stories += _troubles(session)
        except PushpitError as problem:
            stories = problem.sentence
        device = f" ({', '.join(phone.device for phone in session.phones)})" if session.phones else ""
        report.sections.append((f"Pushpit: last pushes of session {session.name}{device}", stories))
        tape = session.pushpit.tape
        if tape is not None:
            text = f"{tape}\nplay it again: pushpit replay {tape}"
            report.sections.append(("Pushpit: tape of the run, complete when it is over", text))
    return report
