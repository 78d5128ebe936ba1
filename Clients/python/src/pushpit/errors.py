"""The errors, each with one sentence that says what is wrong and what to do about it."""

from __future__ import annotations


class PushpitError(Exception):
    """Any error of this package; `sentence` is what `str()` gives."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class ProgramNotFoundError(PushpitError):
    """There is no program to start."""


class WrongVersionError(PushpitError):
    """The package is not for the version of the program or server."""


class StartError(PushpitError):
    """The program was not started, or ended or said nothing before it was ready."""


class NoServerError(PushpitError):
    """Nothing answers, or what answers is not Pushpit; also when a server goes away in the middle of a test."""


class NoFreePhoneError(PushpitError):
    """Every suitable phone belongs to an open session."""


class NoTokenError(PushpitError):
    """The phone currently has no token of this kind."""


class SendError(PushpitError):
    """A push got no answer at all. An answer such as 429 is not an error."""


class WaitTimeoutError(PushpitError, AssertionError):
    """An expected thing did not come in time."""


class ExpectationError(PushpitError, AssertionError):
    """An expectation was not met."""


class RefusedError(PushpitError):
    """The admin API refused a request; `code` and `field` are those of its answer."""

    def __init__(
        self, sentence: str, status: int = 0, code: str = "error", field: str | None = None, path: str | None = None
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.field = field
        self.path = path


class InvalidRequestError(RefusedError):
    """A value, a name or a combination that the API does not accept (400, 413, 415, 422)."""


class NotFoundError(RefusedError):
    """No such device, push, fault or session (404)."""


class ConflictError(RefusedError):
    """The request conflicts with something that exists, such as another open session (409)."""


class SessionOverError(RefusedError):
    """The session is closed, deleted or forgotten."""
