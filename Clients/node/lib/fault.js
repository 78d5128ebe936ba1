// Faults: what is to go wrong, until it is deleted.

import { NoServerError, NotFoundError, SessionOverError } from "./errors.js";

/** The words of a fault beside those of `then`. */
export const BESIDE = ["name", "when", "odds", "limit", "from", "until", "for"];

let number = 0;

/** The fault as the admin API takes it; words other than those of BESIDE go into `then`. */
export function faultOrder({ then = {}, ...words }) {
  number += 1;
  const made = { name: `fault ${process.pid}.${number}`, then: { ...then } };
  for (const [word, value] of Object.entries(words)) {
    if (value !== undefined) (BESIDE.includes(word) ? made : made.then)[word] = value;
  }
  return made;
}

export class Fault {
  #admin;

  constructor(admin, name, session) {
    this.#admin = admin;
    this.name = name;
    this.session = session;
  }

  static async set(admin, order, session) {
    await admin.post("/v1/faults", { ...order, session });
    return new Fault(admin, order.name, session);
  }

  get #path() {
    return `/v1/faults/${encodeURIComponent(this.name)}`;
  }

  state() {
    return this.#admin.get(this.#path, { session: this.session });
  }

  async struck() {
    return (await this.state()).struck;
  }

  [Symbol.asyncDispose]() {
    return this.delete();
  }

  /** Deletes it. It may be gone already, by its time or its session's end. */
  async delete() {
    try {
      await this.#admin.delete(this.#path, { session: this.session });
    } catch (problem) {
      if (!(problem instanceof NotFoundError || problem instanceof SessionOverError)) throw problem;
    }
  }
}

/** True for an error that says that the server or the session has gone. */
export const isOver = (problem) => problem instanceof NoServerError || problem instanceof SessionOverError;

/** Runs `body` with what is open, and closes it at the end. An error of `body` takes precedence. */
export async function during(open, close, body) {
  let result;
  try {
    result = await body(open);
  } catch (problem) {
    try {
      await close(false);
    } catch (also) {
      if (!isOver(also)) throw also;
    }
    throw problem;
  }
  await close(true);
  return result;
}
