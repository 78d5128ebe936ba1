"""Plays the cases of behavior.json, which every client library must pass, with `pushpit` or with `pushpit.aio`."""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import pushpit
from conftest import keywords
from pushpit import aio
from pushpit.aio.admin import Admin
from pushpit.aio.io import Opening
from pushpit.http import part

Step = dict[str, Any]


class Player:
    """The player of a case. `api` is the module whose Pushpit is used; what it returns is awaited where it must be."""

    def __init__(self, api: Any, server: pushpit.Pushpit, values: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
        self.api = api
        self.program: Path = values["program"]
        self.folder: Path = values["folder"]
        self.monkeypatch = monkeypatch
        self.cleanup = AsyncExitStack()
        shared = aio.Pushpit(Admin(server.url), server.ready, server.app) if api is aio else server
        self.scope: dict[str, Any] = {"pushpit": shared} | values
        self.scope["readyFolder"] = self.state("ready", dict(server.ready))
        self.state("ready/pushpit", dict(server.ready))
        # A server was started later than the suite's, and killed.
        dead = {**server.ready, "admin": "http://127.0.0.1:1"}
        self.scope["killedFolder"] = killed = self.state("killed", dead)
        (killed / "ready").mkdir()
        os.mkfifo(killed / "ready/1.json")
        (killed / "ready/2.json").write_text("{")
        for pid, line in ((os.getpid(), dict(server.ready)), (99999999, dead)):
            (killed / f"ready/{pid}.json").write_text(json.dumps(line))
        self.scope["staleFolder"] = self.state("stale", {**server.ready, "ca": str(self.folder / "stale/ca.pem")})

    def state(self, name: str, ready: dict[str, Any]) -> Path:
        """A state folder with a ready line in it."""
        folder = self.folder / name
        folder.mkdir(parents=True)
        (folder / "ready.json").write_text(json.dumps(ready))
        return folder

    async def play(self, case: dict[str, Any]) -> None:
        async with self.cleanup:
            for step in case["steps"]:
                await self.step(step)

    async def step(self, step: Step) -> None:
        target = self.scope[step.get("on", "pushpit")]
        details = self.filled(step.get("with", {}))
        wanted = step.get("fails")
        if wanted is None:
            result = await self.do(step, target, details)
            if "as" in step:
                self.scope[step["as"]] = result
            if "gives" in step:
                problem = mismatch(self.filled(step["gives"]), plain(result))
                assert problem is None, f"{step}: {problem}"
            return
        kind = getattr(pushpit, wanted["error"])
        with pytest.raises(pushpit.PushpitError) as caught:
            await self.do(step, target, details)
        error = caught.value
        assert type(error) is kind, f"{step}: {type(error).__name__}: {error}"
        assert self.filled(wanted["says"]) in error.sentence, f"{step}: {error}"
        for name, value in wanted.get("is", {}).items():
            assert getattr(error, name) == value, f"{step}: {name} is {getattr(error, name)}"

    async def do(self, step: Step, target: Any, details: dict[str, Any]) -> Any:
        operation: Callable[..., Any] = getattr(self, "do_" + re.sub("([A-Z])", r"_\1", step["do"]).lower())
        if "during" not in step:
            return await settled(operation(target, **details))
        opened = operation(target, **details)
        if isinstance(opened, Opening):
            async with opened as it:
                await self.during(step, it)
        else:
            with opened as it:
                await self.during(step, it)
        return None

    async def during(self, step: Step, it: Any) -> None:
        self.scope["it"] = it
        for inner in step["during"]:
            await self.step(inner)

    def filled(self, value: Any) -> Any:
        """With `${name.property}` replaced by what is in scope."""
        if isinstance(value, dict):
            return {key: self.filled(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.filled(inner) for inner in value]
        if not isinstance(value, str):
            return value
        return re.sub(r"\$\{([\w.]+)\}", lambda match: str(self.looked_up(match[1])), value)

    def looked_up(self, path: str) -> Any:
        first, *rest = path.split(".")
        found = self.scope[first]
        for name in rest:
            found = getattr(found, name)
        return found

    # Pushpit

    async def do_start(
        self, _: Any, flags: list[str] | None = None, program: Any = None, env: Any = None, timeout: float = 30
    ) -> Any:
        if isinstance(program, dict):
            path = self.folder / "program"
            path.write_text("\n".join(program["script"]) + "\n")
            path.chmod(0o755)
            program = path
        if env is not None:
            self.monkeypatch.delenv("PUSHPIT_BINARY", raising=False)
            for name, value in env.items():
                self.monkeypatch.setenv(name, value)
        elif program is None:
            program = self.program
        started = await settled(self.api.Pushpit.start(program=program, timeout=timeout, **keywords(flags or [])))
        self.cleanup.push_async_callback(lambda: settled(started.stop()))
        return started

    def do_connect(self, _: Any, url: str | None = None, env: dict[str, str] | None = None, timeout: float = 30) -> Any:
        for name in ("PUSHPIT_ADMIN", "PUSHPIT_STATE"):
            self.monkeypatch.delenv(name, raising=False)
        for name, value in (env or {}).items():
            self.monkeypatch.setenv(name, value)
        return self.api.Pushpit.connect(url, timeout=timeout)

    def do_stop(self, target: Any) -> Any:
        return target.stop()

    def do_kill(self, target: Any) -> None:
        self.signal(target, signal.SIGKILL)

    def do_pause(self, target: Any) -> None:
        self.signal(target, signal.SIGSTOP)
        self.cleanup.callback(self.signal, target, signal.SIGCONT)

    def do_resume(self, target: Any) -> None:
        self.signal(target, signal.SIGCONT)

    def signal(self, target: Any, number: signal.Signals) -> None:
        os.kill(target.server.process.pid, number)

    def do_spoil_authority(self, target: Any) -> None:
        Path(target.ca).write_text("Another server's.")

    def do_authority(self, target: Any) -> str:
        return Path(target.ca).read_text()

    def do_key(self, target: Any) -> str:
        return Path(target.key["p8"]).read_text()

    def do_address(self, target: Any) -> Any:
        return target.apns()

    def do_session(self, target: Any, phones: int = 1, **options: Any) -> Any:
        return target.session(phones, **options)

    def do_phone(self, target: Any, device: str) -> Any:
        return target.phone(device)

    def do_send_to(self, target: Any, to: str | None = None, token: str | None = None, **options: Any) -> Any:
        """A push to a token goes to the phone that has it: the server chooses the token by the payload."""
        return self.do_send(self.scope["s"] if to is None else target.phone(to), **options)

    def do_close_other(self, target: Any, name: str) -> Any:
        return target.admin.post(f"/v1/sessions/{part(name)}/close")

    def do_fault(self, target: Any, name: str | None = None, **words: Any) -> Any:
        return target.fault(name, **words)

    def do_faults(self, target: Any) -> Any:
        return target.faults()

    def do_delete_faults(self, target: Any) -> Any:
        return target.delete_faults()

    def do_clock(self, target: Any) -> Any:
        return target.clock.state()

    def do_advance(self, target: Any, by: str | float) -> Any:
        return target.clock.advance(by)

    def do_stop_clock(self, target: Any) -> Any:
        return target.clock.stop()

    def do_run_clock(self, target: Any) -> Any:
        return target.clock.run()

    def do_wait(self, target: Any, within: float, what: str | None = None) -> Any:
        return target.wait_for(lambda: False, within, what)

    # Sessions

    def do_state(self, target: Any) -> Any:
        return target.state()

    def do_pushes(self, target: Any, **filters: Any) -> Any:
        return target.pushes(**filters)

    def do_stories(self, target: Any) -> Any:
        return target.stories()

    def do_expect_pushes(self, target: Any, count: int, within: float = 10, **filters: Any) -> Any:
        return target.expect(count, within, **filters)

    def do_close(self, target: Any) -> Any:
        return target.close()

    async def do_await_end(self, target: Any) -> None:
        async def is_over() -> bool:
            return not (await settled(target.state()))["open"]

        await aio.wait_for(is_over, what="The end of the session")

    def do_forget(self, target: Any) -> Any:
        return target.forget()

    # Phones

    def do_phone_state(self, target: Any) -> Any:
        return phone(target).state()

    def do_token(
        self, target: Any, kind: str = "device", app: str | None = None, attributesType: str | None = None
    ) -> Any:
        return phone(target).token(kind, app=app, attributes_type=attributesType)

    def do_screen(self, target: Any) -> Any:
        return phone(target).screen()

    def do_log(self, target: Any, process: str | None = None) -> Any:
        return phone(target).log(process)

    def do_act(self, target: Any, action: str, **details: Any) -> Any:
        return phone(target).do(action, **details)

    async def do_send(
        self, target: Any, payload: Any = None, timeout: Any = None, times: int = 1, **options: Any
    ) -> Any:
        for _ in range(times):
            push = await settled(phone(target).send(payload, **options))
        return {"status": push.status, "apnsId": push.apns_id, "reason": push.reason}

    def do_expect_screen(self, target: Any, shape: dict[str, Any], within: float = 10) -> Any:
        return phone(target).expect(within, **shape)

    # Faults

    def do_struck(self, target: Any) -> Any:
        return target.struck()

    def do_fault_state(self, target: Any) -> Any:
        return target.state()

    def do_delete_fault(self, target: Any) -> Any:
        return target.delete()


def phone(target: Any) -> Any:
    """The target, or the first phone of a session."""
    return target.phone if hasattr(target, "phones") else target


async def settled(result: Any) -> Any:
    return await result if inspect.isawaitable(result) else result


def plain(result: Any) -> Any:
    """As JSON."""
    if isinstance(result, list):
        return [plain(row) for row in result]
    return getattr(result, "raw", result)


def mismatch(wanted: Any, found: Any, place: str = "it") -> str | None:
    """The first part of `wanted` that `found` lacks, as a sentence; None if it lacks none."""
    if isinstance(wanted, dict) and "$count" in wanted:
        return None if len(found) == wanted["$count"] else f"{place} has {len(found)} rows"
    if isinstance(wanted, dict) and "$text" in wanted:
        return None if re.search(wanted["$text"], str(found)) else f"{place} is {found!r}"
    if isinstance(wanted, dict) and "$any" in wanted:
        fits = any(mismatch(wanted["$any"], row) is None for row in found)
        return None if fits else f"no row of {place} fits: {found!r}"
    if isinstance(wanted, dict) and isinstance(found, dict):
        each = (mismatch(value, found.get(name), f"{place}.{name}") for name, value in wanted.items())
        return next((problem for problem in each if problem), None)
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        rows = (mismatch(*pair, f"{place}[{index}]") for index, pair in enumerate(zip(wanted, found)))
        return next((problem for problem in rows if problem), None)
    return None if wanted == found else f"{place} is {found!r}, not {wanted!r}"
