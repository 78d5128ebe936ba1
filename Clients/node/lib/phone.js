// One virtual iPhone.

import { ExpectationError, InvalidRequestError, NoTokenError, WaitTimeoutError } from "./errors.js";
import { DEFAULT_WITHIN, screenDifferences, waitFor } from "./waiting.js";

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
    const install = (await this.state()).apps.find((row) => row.bundleId === bundle);
    if (!install) throw new NoTokenError(`${this.device} has no app ${bundle}.`);
    const found = tokens(install, kind)
      .filter(([type, token]) => token && (attributesType === undefined || type === attributesType))
      .map(([, token]) => token);
    if (found.length === 0) {
      const state = install.installed ? "" : ": the app is not installed";
      throw new NoTokenError(`${this.device} has no ${kind} token of ${bundle} now${state}.`);
    }
    if (kind === "update" && found.length > 1) {
      const many = `${found.length} update tokens of ${bundle}`;
      throw new NoTokenError(`${this.device} has ${many}: take one from state().`);
    }
    return found[0];
  }

  /** The screen as the admin API returns it; `cards` are those of its `lockScreen`. */
  async screen() {
    const screen = await this.pushpit.admin.get(`${this.#path}/screen`);
    return { ...screen, cards: screen.lockScreen };
  }

  async log({ process: name, limit = 100 } = {}) {
    return (await this.pushpit.admin.get(`${this.#path}/log`, { process: name, limit })).lines;
  }

  pushes(filters = {}) {
    return (this.session ?? this.pushpit).pushes({ device: this.device, ...filters });
  }

  /** Performs an action of its owner or of the system, by a name of the admin API. Returns the events that it caused.
   * */
  async do(action, details = {}) {
    return (await this.pushpit.admin.post(`${this.#path}/actions`, { do: action, ...details })).events;
  }

  /** Sends a push to it by `pushpit send`. */
  send(payload, options = {}) {
    return this.pushpit.send(payload, { app: this.#app, ...options, to: this.device });
  }

  /** Waits until the screen shows what is given, in the words of `show` of scenario files. */
  async expect(shape, { within = DEFAULT_WITHIN } = {}) {
    let seen;
    const look = async () => {
      seen = await this.screen();
      return screenDifferences(shape, seen).length === 0;
    };
    try {
      await waitFor(look, { within });
    } catch (problem) {
      if (!(problem instanceof WaitTimeoutError)) throw problem;
      const differing = screenDifferences(shape, seen).join("; ");
      throw new ExpectationError(`${this.device} does not show it within ${within / 1000} s: ${differing}.`);
    }
    return seen;
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

/** Tokens of an app of that kind, each with its attributes type where it has one. */
function tokens(install, kind) {
  if (kind === "device") return [[undefined, install.deviceToken]];
  if (kind === "pushToStart") return install.pushToStart.map((row) => [row.attributesType, row.token]);
  if (kind === "update") {
    const running = install.activities.filter((row) => row.state !== "ended" && row.state !== "dismissed");
    return running.map((row) => [row.attributesType, row.updateToken]);
  }
  return install.services.filter((row) => row.kind === kind).map((row) => [undefined, row.token]);
}
