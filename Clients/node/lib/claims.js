// Phones for sessions: each test gets one that no other test has.

import { ConflictError, NoFreePhoneError } from "./errors.js";

const PAGE = 50;

/** Ids of the phones that meet some criteria, read page by page as they are needed. */
class Pool {
  #admin;
  #cursor;
  #whole = false;

  constructor(admin, criteria) {
    this.#admin = admin;
    this.criteria = criteria;
    this.ids = [];
    /** Where the next claim begins: used phones are used again only after all others. */
    this.next = 0;
  }

  async at(index) {
    while (index >= this.ids.length && !this.#whole) {
      const query = { state: "online", limit: PAGE, cursor: this.#cursor, ...this.criteria };
      const page = await this.#admin.get("/v1/devices", query);
      this.ids.push(...page.devices.map((row) => row.id));
      this.#cursor = page.next;
      this.#whole = page.next === null;
    }
    return this.ids[index];
  }

  /** Each phone once, beginning at `next`. */
  async *round() {
    const start = this.next;
    for (let index = start; (await this.at(index)) !== undefined; index += 1) yield [index, this.ids[index]];
    for (let index = 0; index < Math.min(start, this.ids.length); index += 1) yield [index, this.ids[index]];
  }
}

export class Claims {
  #admin;
  #pools = new Map();
  #turn = Promise.resolve();

  constructor(admin) {
    this.#admin = admin;
  }

  /** A session on `count` phones that are in no open session. Claims of one process take turns. */
  open(count, criteria, order) {
    const opened = this.#turn.then(() => this.#open(count, criteria, order));
    this.#turn = opened.catch(() => {});
    return opened;
  }

  async #open(count, criteria, order) {
    const key = JSON.stringify(criteria);
    if (!this.#pools.has(key)) this.#pools.set(key, new Pool(this.#admin, criteria));
    const pool = this.#pools.get(key);
    const taken = new Set();
    let chosen = [];
    for await (const row of pool.round()) {
      if (taken.has(row[1])) continue;
      chosen.push(row);
      if (chosen.length < count) continue;
      try {
        const devices = chosen.map(([, device]) => device);
        const opened = await this.#admin.post("/v1/sessions", { ...order, devices });
        pool.next = row[0] + 1;
        return opened;
      } catch (problem) {
        if (!(problem instanceof ConflictError)) throw problem;
        for (const device of await this.#taken(problem)) taken.add(device);
        // A session that was closed meanwhile is passed over as well: the next phone will do.
        taken.add(row[1]);
        chosen = chosen.filter(([, device]) => !taken.has(device));
      }
    }
    throw await this.#noneFree(pool, count);
  }

  /** Phones of open sessions. One that is told by something else may share pushes with every phone's. */
  async #taken(conflict) {
    if (conflict.field !== "session") throw conflict; // its name is taken
    const taken = [];
    for await (const session of this.#admin.pages("/v1/sessions", "sessions", { open: true })) {
      if (session.devices === null) throw conflict;
      taken.push(...session.devices);
    }
    return taken;
  }

  async #noneFree(pool, count) {
    const which = Object.entries(pool.criteria).map((pair) => pair.join(" ")).join(" and ");
    const many = pool.ids.length;
    const phones = `phone${many === 1 ? "" : "s"}${which ? ` with ${which}` : ""}`;
    if (many < count) {
      return new NoFreePhoneError(`${count} phones are wanted, and the fleet has ${many} ${phones} online.`);
    }
    const names = [];
    for await (const session of this.#admin.pages("/v1/sessions", "sessions", { open: true })) names.push(session.name);
    const shown = names.slice(0, 5).join(", ") + (names.length > 5 ? ", …" : "");
    return new NoFreePhoneError(
      `No phone is free: of ${many} ${phones} online, not ${count === 1 ? "one" : count} is outside the open ` +
        `sessions (${shown}). Close those that are over, or start with a larger fleet.`,
    );
  }
}
