// A session: one test's pushes, phones, faults and verdict.

import { inspect } from "node:util";

import { ExpectationError, PushpitError, SessionOverError, WaitTimeoutError } from "./errors.js";
import { Fault, during, faultOrder, isOver } from "./fault.js";
import { push } from "./models.js";
import { Phone } from "./phone.js";
import { DEFAULT_WITHIN, waitFor } from "./waiting.js";

export class Session {
  #admin;
  #forgotten = false;
  /** Errors that have its stories. */
  #explained = new WeakSet();

  constructor(pushpit, opened, app) {
    this.pushpit = pushpit;
    this.name = opened.name;
    this.phones = (opened.devices ?? []).map((device) => new Phone(pushpit, device, app, this));
    this.#admin = pushpit.admin;
    /** Set when it is closed. */
    this.verdict = undefined;
  }

  get #path() {
    return `/v1/sessions/${encodeURIComponent(this.name)}`;
  }

  get phone() {
    if (this.phones.length === 0) throw new PushpitError(`The session ${this.name} was opened without phones.`);
    return this.phones[0];
  }

  state() {
    return this.#admin.get(this.#path);
  }

  async pushes(filters = {}) {
    return (await this.#admin.get("/v1/pushes", { session: this.name, limit: 100, ...filters })).pushes.map(push);
  }

  async calls(filters = {}) {
    return (await this.#admin.get("/v1/calls", { session: this.name, limit: 100, ...filters })).calls;
  }

  async findings() {
    return (await this.#admin.get("/v1/findings", { session: this.name })).findings;
  }

  /** Stories of its last pushes, the latest last. */
  async stories(last = 5) {
    return (await this.pushes({ limit: last })).map((row) => row.story).reverse().join("\n") || "Nothing was pushed.";
  }

  /** The error of a test, with the stories of its last pushes, and why no push may have come. */
  async explained(problem) {
    if (!(problem instanceof Error) || this.#explained.has(problem)) return problem;
    const devices = this.phones.map((phone) => phone.device).join(", ");
    try {
      let told = await this.stories();
      if (!told.startsWith("push ")) {
        const { troubles } = await this.#admin.get("/v1/troubles", { limit: 3 });
        for (const { at, sentence } of troubles) told += `\nA connection had trouble at ${at}: ${sentence}`;
      }
      const before = problem.message;
      const message = `${before}\n\nLast pushes of session ${this.name}${devices && ` (${devices})`}:\n${told}`;
      // The stack begins with the message, and is what test runners print.
      const stack = problem.stack?.replace(before, () => message);
      // Not assigned: that of a DOMException, as of a fetch that timed out, has only a getter.
      Object.defineProperty(problem, "message", { value: message, writable: true, configurable: true });
      if (stack !== undefined) problem.stack = stack;
      this.#explained.add(problem);
    } catch {
      // Of a server that has gone, and if it cannot be changed, the test's own error is enough.
    }
    return problem;
  }

  /** Sets a fault for its pushes and phones: `fault({ answer: "TooManyRequests", limit: 2 })`. */
  fault(words) {
    return Fault.set(this.#admin, faultOrder(words), this.name);
  }

  /** Sets a fault, runs `body`, and deletes the fault. */
  async withFault(words, body) {
    const fault = await this.fault(words);
    return during(fault, () => fault.delete(), body);
  }

  async deleteFaults() {
    return (await this.#admin.post("/v1/reset", { session: this.name })).deleted.length;
  }

  /** Waits until it has that number of pushes that match the filters, and returns them; more are an error. */
  async expect(count, { within = DEFAULT_WITHIN, ...filters } = {}) {
    if (!Number.isInteger(count) || count < 0) {
      throw new PushpitError(`count is a number of pushes, such as 2, and not ${inspect(count)}.`);
    }
    let seen = [];
    const query = { ...filters, session: this.name, limit: Math.min(count, 999) + 1 };
    const look = async () => {
      seen = [];
      for await (const row of this.#admin.pages("/v1/pushes", "pushes", query)) {
        if (seen.push(push(row)) > count) break;
      }
      return seen.length >= count;
    };
    try {
      await waitFor(look, { within });
    } catch (problem) {
      if (!(problem instanceof WaitTimeoutError)) throw problem;
    }
    if (seen.length === count) return seen;
    const many = `${seen.length}${seen.length > count ? " or more" : ""}`;
    const which = Object.entries(filters).map(([name, value]) => ` ${name}=${value}`).join("");
    const found = `${count} pushes${which} were expected within ${within / 1000} s, and there were ${many}.`;
    throw await this.explained(new ExpectationError(found));
  }

  /** Closes it: its faults are deleted, and its expectations are evaluated. Closing it again changes nothing. */
  async close() {
    if (this.verdict === undefined) {
      const state = await this.state();
      if (!state.open) throw this.#over(state);
      this.verdict = await this.#admin.post(`${this.#path}/close`);
    }
    return this.verdict;
  }

  /** The error for a session that was closed before its test was over: a verdict would cover only a part of it. */
  #over({ expiresAt }) {
    const expired = expiresAt && Date.parse(expiresAt) <= Date.now();
    const why = expired ? `it expired at ${expiresAt}` : "somebody else has closed it";
    return new SessionOverError(
      `The session ${this.name} is closed, and not by its test: ${why}. Its phones may be in another session now.`,
      { status: 409, code: "conflict", field: "session" },
    );
  }

  /** Closes it, and throws an ExpectationError unless all expectations are true. One that is forgotten has none. */
  async check() {
    if (this.#forgotten) return;
    const { passed, expectations } = await this.close();
    if (passed !== false) return;
    const broken = expectations.filter((row) => !row.passed).map((row) => {
      const nearest = row.nearest ? `\n  nearest  ${row.nearest}` : "";
      return `${row.name}\n  wanted   ${row.wanted}\n  found    ${row.found}${nearest}`;
    });
    throw await this.explained(new ExpectationError(["Not all expectations are true.", ...broken].join("\n")));
  }

  /** As `check`. Stories of a test that fails before are told by `withSession`, and by the option `test`. */
  [Symbol.asyncDispose]() {
    return this.check();
  }

  /** Ends with a test of node:test, whose error gets the stories of the last pushes. */
  endWith(test) {
    test.after(async () => {
      // Undefined before Node 20.12.
      if (test.passed !== false) return this.check();
      await this.explained(test.error?.cause ?? test.error);
      await this.close().catch((problem) => {
        if (!isOver(problem)) throw problem;
      });
    });
  }

  async forget() {
    await this.#admin.delete(this.#path);
    this.#forgotten = true;
  }
}
