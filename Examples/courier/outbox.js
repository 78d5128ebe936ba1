/** Pushes that are to be sent, one in each slot: a newer one replaces one that waits for its turn or its retry. */

const FIRST_WAIT = 2; // seconds, doubled with each attempt
const LONGEST_WAIT = 60;
const KEY_WAIT = 60; // after a refusal of the key, which somebody has to put right
const IN_FLIGHT = 200;

export class Outbox {
  #slots = new Map();
  #flying = new Set();
  #busy = new Set(); // tokens: APNs refuses too many pushes at once to one
  #jobs = 0;

  constructor({send, settled, clock, random, bugs}) {
    Object.assign(this, {send, settled, clock, random, bugs});
  }

  put(push) {
    const slot = this.bugs.has('retry-overtakes') ? `${push.slot} ${this.#jobs++}` : push.slot;
    if (this.#slots.get(slot)?.what === 'end' && push.what === 'update') return;
    this.#slots.set(slot, {...push, slot, attempts: 0});
  }

  drop(slot) {
    this.#slots.delete(slot);
  }

  /** Sends what is due, and resolves when all of it is answered. */
  async run() {
    for (let due = this.#due(); due.length > 0 || this.#flying.size > 0; due = this.#due()) {
      if (this.bugs.has('one-failure-ends-the-round')) {
        await this.#round(due);
      } else {
        for (const push of due.slice(0, IN_FLIGHT - this.#flying.size)) this.#launch(push);
        await Promise.race(this.#flying);
      }
    }
  }

  /** Returns what is due: one push for each token, in an order that does not depend on that of the apps' calls. */
  #due() {
    const now = this.clock.now();
    const busy = new Set(this.#busy);
    return [...this.#slots.values()]
      .filter(({due, token}) => due <= now && token.restsUntil <= now)
      .sort((a, b) => a.due - b.due || (a.slot < b.slot ? -1 : 1))
      .filter(({token}) => !busy.has(token) && busy.add(token));
  }

  #launch(push) {
    const flight = this.#attempt(push).finally(() => this.#flying.delete(flight));
    this.#flying.add(flight);
  }

  async #round(due) {
    for (const [at, push] of due.entries()) {
      const {status} = await this.#attempt(push);
      if (status < 400 || status === 429 || status >= 500) continue;
      for (const lost of due.slice(at + 1)) this.drop(lost.slot);
      return;
    }
  }

  async #attempt(push) {
    push.attempts += 1;
    this.#busy.add(push.token);
    const {aps} = push.payload;
    if (this.bugs.has('retry-overtakes') && aps.timestamp) aps.timestamp = Math.floor(this.clock.now());
    const outcome = await this.send(push);
    this.#busy.delete(push.token);
    const next = this.clock.now() + this.#wait(push, outcome);
    const isBusy = (outcome.status === 429 || outcome.status >= 500) && next < Infinity;
    if (isBusy && !this.bugs.has('retry-overtakes')) push.token.restsUntil = next;
    const isNewest = this.#slots.get(push.slot) === push;
    if (isNewest && next < push.expires) {
      push.due = next;
    } else {
      if (isNewest) this.drop(push.slot);
      this.settled(push, outcome);
    }
    return outcome;
  }

  /** Returns the seconds until the next attempt, without end if there is to be none. */
  #wait({what, token, attempts}, {status, reason, isUnknown, isOld, isBadToken, retryAfter = 0}) {
    const backoff = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempts - 1)) * (0.8 + 0.4 * this.random());
    if (isUnknown) {
      // A phone drops an update that it has, by its timestamp. A start or a notification it would show twice.
      const isIdempotent = what === 'update' || what === 'end';
      return isIdempotent || (what === 'alert' && this.bugs.has('resends-unanswered-alert')) ? backoff : Infinity;
    }
    if (status === 429 && this.bugs.has('gives-up-at-429')) return Infinity;
    if (reason === 'ExpiredProviderToken' || reason === 'InvalidProviderToken') return backoff;
    if (status === 403 || reason === 'TooManyProviderTokenUpdates') return KEY_WAIT;
    if (isBadToken) return token.restsUntil - this.clock.now();
    return status === 0 || status === 429 || status >= 500 || isOld ? Math.max(backoff, retryAfter) : Infinity;
  }
}
