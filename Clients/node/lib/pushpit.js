// One Pushpit: started here, or connected to.

import { Admin } from "./admin.js";
import { Claims } from "./claims.js";
import { NoServerError, PushpitError, RefusedError } from "./errors.js";
import { Fault, during, faultOrder } from "./fault.js";
import { Phone } from "./phone.js";
import { Server, checkVersion, findProgram } from "./program.js";
import { send } from "./sending.js";
import { Session } from "./session.js";
import { waitFor } from "./waiting.js";

const ADVANCE_TIMEOUT = 600_000;

/** The world's clock. It is one for all tests of a server. */
export class Clock {
  #admin;

  constructor(admin) {
    this.#admin = admin;
  }

  state() {
    return this.#admin.get("/v1/clock");
  }

  /** Milliseconds since 1970. */
  async now() {
    return (await this.state()).unixMilliseconds;
  }

  /** Moves on by a duration such as `8h`, or by seconds; all that falls due on the way has happened after it. */
  advance(by, { timeout = ADVANCE_TIMEOUT } = {}) {
    return this.#admin.post("/v1/clock", { advance: by }, timeout);
  }

  stop() {
    return this.#admin.post("/v1/clock", { mode: "manual" });
  }

  run() {
    return this.#admin.post("/v1/clock", { mode: "wall" });
  }
}

export class Pushpit {
  #server;
  #program;
  #claims;

  constructor(admin, ready, server, program) {
    this.admin = admin;
    /** The ready line: listeners, certificate authority, keys, fleet. */
    this.ready = ready;
    this.clock = new Clock(admin);
    this.#server = server;
    this.#program = program;
    this.#claims = new Claims(admin);
  }

  /** Starts `pushpit serve` on free ports with `--for-tests`; `flags` are further ones of that command. */
  static async start({ flags = [], program, state, tape, timeout = 30_000 } = {}) {
    const words = ["--ports", "0", "--for-tests"];
    if (!flags.some((flag) => flag.split("=")[0] === "--drain-time")) words.push("--drain-time", "1s");
    if (tape !== undefined) words.push("--tape", tape);
    const found = findProgram(program);
    const server = await Server.start(found, [...words, ...flags], state, timeout);
    const admin = new Admin(server.ready.admin);
    admin.whyGone = () => server.whyGone();
    return new Pushpit(admin, server.ready, server, found);
  }

  /** Uses a server that runs already; `url` is that of its admin API. `program` is for `send` only. */
  static async connect(url, { program, timeout } = {}) {
    const admin = new Admin(url, timeout);
    let found;
    try {
      found = await admin.get("/version");
    } catch (problem) {
      if (!(problem instanceof RefusedError)) throw problem;
      throw new NoServerError(`${admin.url} is not Pushpit: it answered GET /version with ${problem.status}.`);
    }
    if (found.name !== "pushpit") throw new NoServerError(`${admin.url} is not Pushpit: its /version says so.`);
    checkVersion(String(found.version), `The server at ${admin.url}`);
    return new Pushpit(admin, await admin.get("/v1/server"), undefined, program);
  }

  get url() {
    return this.admin.url;
  }

  /** PEM file of the certificate authority that the backend must trust. */
  get ca() {
    return this.ready.ca;
  }

  /** A provider key: keyId, teamId, and the file p8. */
  get key() {
    return this.ready.keys[0];
  }

  /** The server's process, where it was started here. */
  get pid() {
    return this.#server?.process.pid;
  }

  /** URL of the gateway, in place of https://api.sandbox.push.apple.com. */
  apns(environment = "sandbox") {
    return `https://${this.ready.listeners[environment]}`;
  }

  /** Variables for a backend in a process of its own: the same that `pushpit run` gives one. */
  environment() {
    return { PUSHPIT_ADMIN: this.url, ...(this.#server && { PUSHPIT_READY: this.#server.readyFile }) };
  }

  phone(device, { app } = {}) {
    return new Phone(this, device, app);
  }

  /** Opens a session on phones nobody else has; or by `devices`, `keys`, `topics`, or `everything`. */
  async session({ phones = 1, app, os, expect = [], everything = false, ...order } = {}) {
    const body = { ...order, expect };
    if (everything || ["devices", "keys", "topics"].some((word) => word in order)) {
      return new Session(this, await this.admin.post("/v1/sessions", body), app);
    }
    if (phones < 1) {
      throw new PushpitError("A session takes one phone or more, or else devices, keys, topics, or everything: true.");
    }
    const criteria = { ...(app !== undefined && { app }), ...(os !== undefined && { os }) };
    const session = new Session(this, await this.#claims.open(phones, criteria, body), app);
    for (const phone of session.phones) await phone.clear();
    return session;
  }

  /** Opens a session, does `body`, closes it, and throws unless what it expected is true. */
  async withSession(options, body) {
    const session = await this.session(options);
    return during(session, (went) => (went ? session.check() : session.close()), body);
  }

  /** Sets a fault for all pushes, connections and phones. For one test, use `session.fault`. */
  fault(words) {
    return Fault.set(this.admin, faultOrder(words), undefined);
  }

  async withFault(words, body) {
    const fault = await this.fault(words);
    return during(fault, () => fault.heal(), body);
  }

  async faults() {
    const rows = [];
    for await (const row of this.admin.pages("/v1/faults", "faults")) rows.push(row);
    return rows;
  }

  async heal() {
    return (await this.admin.post("/v1/reset")).removed;
  }

  async pushes(filters = {}) {
    return (await this.admin.get("/v1/pushes", { limit: 100, ...filters })).pushes;
  }

  push(apnsId) {
    return this.admin.get(`/v1/pushes/${encodeURIComponent(apnsId)}`);
  }

  /** Sends a push by `pushpit send`, with a provider token made for it. */
  async send(payload, options = {}) {
    return send(findProgram(this.#program), this.url, this.ca, payload, options);
  }

  waitFor(look, options) {
    return waitFor(look, options);
  }

  /** Ends the server, if it was started here. */
  async stop() {
    await this.#server?.stop();
  }
}
