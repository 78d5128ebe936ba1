// Waiting for something a backend does in its own time. Nothing waits for ever. Times are milliseconds.

import { AsyncLocalStorage } from "node:async_hooks";
import { inspect } from "node:util";

import { PushpitError, RefusedError, WaitTimeoutError } from "./errors.js";

export const DEFAULT_WITHIN = 10_000;

export const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Factor for all waits: a hunt asks whether what did not come comes late. */
export const patience = new AsyncLocalStorage();

/** The moment in that many milliseconds. */
function timeIn(within) {
  if (Number.isFinite(within)) return performance.now() + within * (patience.getStore() ?? 1);
  throw new PushpitError(`within is a number of milliseconds, such as 5000, and not ${inspect(within)}.`);
}

/** Calls `look` until it returns something true, and returns that. */
export async function waitFor(look, { within = DEFAULT_WITHIN, what = "What was expected" } = {}) {
  const until = timeIn(within);
  for (let time = 10; ; time = Math.min(time * 1.5, 250)) {
    // Before the look, which may take longer than the time that is left: what it has seen may be old by then.
    const left = until - performance.now();
    const seen = await look();
    if (seen) return seen;
    if (left <= 0) {
      const last = JSON.stringify(seen) ?? "undefined";
      throw new WaitTimeoutError(`${what} did not come within ${within / 1000} s; at last it was ${last}.`);
    }
    await pause(Math.min(time, left));
  }
}

/** Lets the server wait until an expectation of scenario files is true. Returns its row: `passed`, `nearest`, … */
export async function verified(admin, expectation, within) {
  const until = timeIn(within);
  for (;;) {
    const left = Math.max(until - performance.now(), 0);
    // A server that has stopped answering is noticed meanwhile.
    const time = Math.min(left, admin.timeout / 2);
    try {
      const { passed, expectations } = await admin.post("/v1/verify", { expect: [expectation], within: time / 1000 });
      if (passed || time === left) return expectations[0];
    } catch (problem) {
      // Only so many clients may wait at once.
      if (!(problem instanceof RefusedError && problem.code === "too_many_waiting")) throw problem;
      await pause(100);
    }
  }
}
