// One virtual iPhone.

import {
  ConflictError, ExpectationError, InvalidRequestError, NoTokenError, NotFoundError, PushpitError, SendError,
} from "./errors.js";
import { push, screen } from "./models.js";
import { DEFAULT_WITHIN, verified } from "./waiting.js";

/** Kinds of `sent` that leave a client without an answer of APNs. */
const UNANSWERED = ["incomplete", "malformed", "nothing", "reset"];

export class Phone {
  #app;

  constructor(pushpit, device, app, session) {
    this.pushpit = pushpit;
    this.device = device;
    this.session = session;
    this.#app = app;
  }

  get #path() {
    return `/v1/devices/${encodeURIComponent(this.device)}`;
  }

  /** Bundle id of the app that tests use by default: the session's, or the phone's first. */
  async app() {
    this.#app ??= (await this.state()).apps[0].bundleId;
    return this.#app;
  }

  state() {
    return this.pushpit.admin.get(this.#path);
  }

  /** The phone's current token: `device`, `pushToStart`, `update`, or that of a service such as `voip`. */
  async token(kind = "device", { app, attributesType } = {}) {
    const bundle = app ?? (await this.app());
    const query = { device: this.device, kind, app: bundle, live: true };
    const { tokens } = await this.pushpit.admin.get("/v1/tokens", query);
    const found = tokens.filter((row) => attributesType === undefined || row.attributesType === attributesType);
    if (found.length === 0) throw new NoTokenError(`${this.device} has no ${kind} token of ${bundle} now.`);
    if (kind === "update" && found.length > 1) {
      const many = `${found.length} update tokens of ${bundle}`;
      throw new NoTokenError(`${this.device} has ${many}: take one from state().`);
    }
    return found[0].token;
  }

  /** The screen as a person would see it now. */
  async screen() {
    return screen(await this.pushpit.admin.get(`${this.#path}/screen`));
  }

  async log({ process: name, limit = 100 } = {}) {
    return (await this.pushpit.admin.get(`${this.#path}/log`, { process: name, limit })).lines;
  }

  async pushes(filters = {}) {
    if ("device" in filters) {
      throw new PushpitError(`All pushes of a phone are to that phone, ${this.device}; leave device out.`);
    }
    return (this.session ?? this.pushpit).pushes({ ...filters, device: this.device });
  }

  /** Performs an action of its owner or of the system, by a name of the admin API. Returns the events it caused. */
  async do(action, details = {}) {
    return (await this.pushpit.admin.post(`${this.#path}/actions`, { do: action, ...details })).events;
  }

  /**
   * Sends a push to it, in place of your backend. The payload is an object or the text of an alert. The server signs it,
   * and chooses the token and the headers that are not given; options are members of `POST /v1/devices/{id}/pushes`.
   */
  async send(payload, options = {}) {
    const order = { app: this.#app, ...options };
    if (payload !== undefined || order.raw === undefined) {
      order.payload = typeof payload === "object" ? payload : { aps: { alert: payload ?? "Hello" } };
    }
    let sent;
    try {
      sent = push(await this.pushpit.admin.post(`${this.#path}/pushes`, order));
    } catch (problem) {
      const isRefused = problem instanceof ConflictError || problem instanceof NotFoundError;
      throw isRefused ? new SendError(problem.message) : problem;
    }
    if (UNANSWERED.includes(sent.sent.as)) throw new SendError(`The push was not answered: ${sent.why}`);
    return sent;
  }

  /** Waits until the screen shows what is given, in the words of `show` of scenario files. */
  async expect(shape, { within = DEFAULT_WITHIN } = {}) {
    const row = await verified(this.pushpit.admin, { screens: { device: this.device }, show: shape }, within);
    if (row.passed) return this.screen();
    const differing = row.nearest.replace(`${this.device}: `, "");
    throw new ExpectationError(`${this.device} does not show it within ${within / 1000} s: ${differing}.`);
  }

  /** Removes what an earlier test has left on the screen. */
  async clear() {
    const { cards, notifications } = await this.screen();
    for (const { app, activity } of cards) await this.#try("swipe", { app, activity });
    for (const app of new Set(notifications.map((row) => row.app))) await this.#try("clearNotifications", { app });
  }

  async #try(action, details) {
    try {
      await this.do(action, details);
    } catch (problem) {
      // 422: it has gone meanwhile.
      if (!(problem instanceof InvalidRequestError && problem.status === 422)) throw problem;
    }
  }
}
