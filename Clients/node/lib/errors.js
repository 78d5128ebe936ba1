// What can go wrong, each with one sentence that says what and what to do about it: the message.

export class PushpitError extends Error {
  constructor(sentence) {
    super(sentence);
    this.name = new.target.name;
  }
}

export class ProgramNotFoundError extends PushpitError {}
export class WrongVersionError extends PushpitError {}
export class StartError extends PushpitError {}
export class NoServerError extends PushpitError {}
export class NoFreePhoneError extends PushpitError {}
export class NoTokenError extends PushpitError {}
export class SendError extends PushpitError {}
export class WaitTimeoutError extends PushpitError {}
export class ExpectationError extends PushpitError {}
/** The result of a hunt that has found something; its cause is the test's own error. */
export class HuntError extends PushpitError {
  constructor(sentence, { cause } = {}) {
    super(sentence);
    if (cause !== undefined) this.cause = cause;
  }
}

export class RefusedError extends PushpitError {
  constructor(sentence, { status = 0, code = "error", field, path } = {}) {
    super(sentence);
    Object.assign(this, { status, code, field, path });
  }
}

export class InvalidRequestError extends RefusedError {}
export class NotFoundError extends RefusedError {}
export class ConflictError extends RefusedError {}
export class SessionOverError extends RefusedError {}
