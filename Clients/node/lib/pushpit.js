// One Pushpit: started here, or connected to.

import path from "node:path";

import { runningServers } from "./address.js";
import { Admin } from "./admin.js";
import { ConflictError, NoFreePhoneError, NoServerError, PushpitError, RefusedError } from "./errors.js";
import { Fault, during, faultOrder } from "./fault.js";
import { withLocalFiles } from "./files.js";
import { hunt } from "./hunt.js";
import { push } from "./models.js";
import { startSettings } from "./options.js";
import { Phone } from "./phone.js";
import { Server, checkProtocol, findProgram } from "./program.js";
import { Session } from "./session.js";
import { waitFor } from "./waiting.js";

const ADVANCE_TIMEOUT = 600_000;

/** A server that listens on all addresses is reached at the address of its admin API, or at this one. */
const EVERYWHERE = { "0.0.0.0": "127.0.0.1", "[::]": "[::1]" };

/** The time for which a session stays open if its test dies on a server that others use, too. */
const SESSION_LIFE = "1h";

/** The world's clock. All tests of a server share it. */
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

  /** Advances by a duration such as `8h`, or by seconds. Resolves after everything due until then has happened. */
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

  constructor(admin, ready, server) {
    this.admin = admin;
    /** The ready line: listeners, certificate authority, keys, fleet. */
    this.ready = ready;
    this.clock = new Clock(admin);
    this.#server = server;
  }

  /**
   * Starts `pushpit serve` on free ports, with phones that show every push at once. `fleet` is the number of phones,
   * `clock` is `wall` or `manual`, and `settings` are all others by their whole keys, such as `"fleet.mix.offline": "5%"`.
   */
  static async start(options = {}) {
    const settings = startSettings(options);
    const { program, state, tape, timeout = 30_000 } = options;
    const server = await Server.start(findProgram(program), settings, { state, tape, timeout });
    const admin = new Admin(server.ready.admin);
    admin.whyGone = () => server.whyGone();
    return new Pushpit(admin, server.ready, server);
  }

  /**
   * Uses a server that runs already; `url` is that of its admin API. Without it, the server is that of PUSHPIT_ADMIN,
   * PUSHPIT_STATE, the default state folder, or port 2190: the first of them that is there. If the server runs in a
   * container or on another machine, its certificate authority and keys are downloaded.
   */
  static async connect(url, { timeout } = {}) {
    const servers = url === undefined ? runningServers() : [{ url }];
    const last = servers.pop();
    for (const server of servers) {
      try {
        return await Pushpit.#connect(server, timeout);
      } catch (problem) {
        if (!(problem instanceof NoServerError)) throw problem;
      }
    }
    return Pushpit.#connect(last, timeout);
  }

  static async #connect(meant, timeout) {
    const admin = new Admin(meant.url, timeout);
    let found;
    try {
      found = await admin.get("/version");
    } catch (problem) {
      if (!(problem instanceof RefusedError)) throw problem;
      throw new NoServerError(`${admin.url} is not Pushpit: it answered GET /version with ${problem.status}.`);
    }
    if (found.name !== "pushpit") {
      throw new NoServerError(`${admin.url} is not Pushpit: its answer to GET /version does not name Pushpit.`);
    }
    checkProtocol(found, `The server at ${admin.url}`);
    const line = await admin.get("/v1/ready");
    if (meant.ca !== undefined && line.ca !== meant.ca) {
      const folder = path.dirname(meant.ca);
      throw new NoServerError(`${admin.url} is another server than that of ${folder}, which has ended.`);
    }
    const ready = await withLocalFiles(admin, line);
    return new Pushpit(admin, ready);
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
    const [key] = this.ready.keys;
    if (key.withheld) {
      throw new PushpitError(`The server at ${this.url} does not return key ${key.keyId}: ${key.withheld}`);
    }
    return key;
  }

  /** The server's process, if it was started here. */
  get pid() {
    return this.#server?.process.pid;
  }

  /** URL of the gateway, in place of https://api.sandbox.push.apple.com. */
  apns(environment = "sandbox") {
    const [, host, port] = /^(.*):(\d+)$/.exec(this.ready.listeners[environment]);
    const reached = host in EVERYWHERE ? (EVERYWHERE[this.admin.host] ?? this.admin.host) : host;
    return `https://${reached}:${port}`;
  }

  /** Environment variables for a backend in its own process: the same ones that `pushpit run` sets. */
  environment() {
    return { PUSHPIT_ADMIN: this.url, ...(this.#server && { PUSHPIT_READY: this.#server.readyFile }) };
  }

  phone(device, { app } = {}) {
    return new Phone(this, device, app);
  }

  /**
   * Opens a session on phones nobody else has; or by `devices`, `keys`, `topics`, or `everything`. It is closed after
   * `expires` at the latest; null is never. `test` is the context of a test of `node:test`: the session is checked and
   * closed when that test is over, and an error of the test has the stories of the session's last pushes.
   */
  async session({ test, ...options } = {}) {
    if (test && typeof test.after !== "function") {
      throw new PushpitError(
        "test is the context that node:test gives to a test, with a function after; a hook of a suite gets none.",
      );
    }
    const session = await this.#opened(options);
    if (test) session.endWith(test);
    return session;
  }

  async #opened({ phones = 1, app, os, expires = SESSION_LIFE, expect = [], everything = false, ...order }) {
    const body = { ...order, expect, ...(expires !== null && { expires }) };
    if (everything || ["devices", "keys", "topics"].some((word) => word in order)) {
      if (os !== undefined) {
        throw new PushpitError(
          "os selects phones for the session to claim; leave it out beside devices, keys, topics or everything.",
        );
      }
      return new Session(this, await this.admin.post("/v1/sessions", body), app);
    }
    if (phones < 1) {
      throw new PushpitError("A session takes one phone or more, or else devices, keys, topics, or everything: true.");
    }
    const session = new Session(this, await this.#claim({ ...body, claim: { count: phones, app, os } }), app);
    try {
      for (const phone of session.phones) await phone.clear();
    } catch (problem) {
      // Nobody else could close it.
      await session.forget().catch(() => {});
      throw problem;
    }
    return session;
  }

  async #claim(order) {
    try {
      return await this.admin.post("/v1/sessions", order);
    } catch (problem) {
      if (!(problem instanceof ConflictError && problem.field === "claim")) throw problem;
      throw new NoFreePhoneError(problem.message);
    }
  }

  /**
   * Opens a session, runs `body`, closes the session, and throws unless its expectations are true. An error has the
   * stories of the session's last pushes. The options may be left out.
   */
  async withSession(...given) {
    const [options, body] = given.length > 1 ? given : [{}, ...given];
    const session = await this.session(options);
    try {
      return await during(session, (went) => (went ? session.check() : session.close()), body);
    } catch (problem) {
      throw await session.explained(problem);
    }
  }

  /**
   * Plays a test, `async (session) => { … }`, again and again with other faults for `seconds`, each time in another
   * session. Throws a HuntError with the smallest faults that make it fail; otherwise returns what was survived.
   * `name` is that of the test, by which finds are kept; the default is the function's.
   */
  hunt(test, options) {
    return hunt(this, test, options);
  }

  /** Sets a fault for all pushes, connections and phones. For one test, use `session.fault`. */
  fault(words) {
    return Fault.set(this.admin, faultOrder(words), undefined);
  }

  async withFault(words, body) {
    const fault = await this.fault(words);
    return during(fault, () => fault.delete(), body);
  }

  async faults() {
    const rows = [];
    for await (const row of this.admin.pages("/v1/faults", "faults")) rows.push(row);
    return rows;
  }

  async deleteFaults() {
    return (await this.admin.post("/v1/reset")).deleted.length;
  }

  async pushes(filters = {}) {
    return (await this.admin.get("/v1/pushes", { limit: 100, ...filters })).pushes.map(push);
  }

  async push(apnsId) {
    return push(await this.admin.get(`/v1/pushes/${encodeURIComponent(apnsId)}`));
  }

  waitFor(look, options) {
    return waitFor(look, options);
  }

  /** Ends the server, if it was started here. */
  async stop() {
    await this.#server?.stop();
  }

  [Symbol.asyncDispose]() {
    return this.stop();
  }
}
