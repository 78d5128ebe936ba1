// What all views share: elements, requests, the event stream.

/// Makes an element. Strings become text, never markup: payloads are hostile.
export function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  set(element, attributes);
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/// The same for SVG.
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function set(element, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "vars") for (const [name, text] of Object.entries(value)) element.style.setProperty(name, text);
    else element.setAttribute(key, value === true ? "" : value);
  }
}

const state = document.getElementById("state");

export class Refused extends Error {}

/// Asks the admin API. Throws Refused with the server's sentence, or TypeError when there is no server.
export async function ask(path, method = "GET", body) {
  const options = { method, headers: {} };
  if (body !== undefined) {
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    show(false);
    throw error;
  }
  show(true);
  const text = await response.text();
  let value = null;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (!response.ok) throw new Refused(value?.error ?? `The server answered ${response.status}.`);
  return value;
}

let noticeTimer;

/// Says a sentence at the top of the page for some seconds.
export function say(sentence) {
  const notice = document.getElementById("notice");
  notice.textContent = sentence;
  notice.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (notice.hidden = true), 6000);
}

/// Does something that a person ordered; an error is said.
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    say(error instanceof Refused ? error.message : "The server did not answer.");
    return null;
  }
}

/// True while the view has no event stream, because its filter is not valid.
let isRefused = false;

function show(isThere) {
  const live = isRefused ? "not live: this filter is not valid" : "live";
  const words = isThere ? live : "The server went away. Trying again…";
  if (state.textContent !== words) state.textContent = words;
  state.className = isThere ? "there" : "gone";
}

/// The event stream of one view. `handlers` has functions by the type of event, `back` for a server that began again
/// or events that were missed, and `many`.
export class Stream {
  constructor(query, handlers) {
    this.query = query;
    this.handlers = handlers;
    this.last = null;
    this.run = null;
    this.open();
  }

  open() {
    isRefused = false;
    const query = new URLSearchParams(this.query);
    if (this.last !== null) query.set("after", this.last);
    this.source = new EventSource("/v1/events?" + query);
    for (const type of ["push", "fate", "answer", "broadcast", "call", "phone", "many", "gap", "begin"]) {
      this.source.addEventListener(type, (event) => this.take(type, event));
    }
    this.source.onerror = () => {
      // Chromium does not connect again after an answer other than 200, and does not say what it was.
      if (this.source.readyState === EventSource.CLOSED) this.refused();
      else show(false);
    };
  }

  /// Says why there is no stream, such as too many viewers, and tries again.
  async refused() {
    const stop = new AbortController();
    try {
      const response = await fetch(this.source.url, { signal: stop.signal });
      show(true);
      const sentence = response.ok ? null : (await response.json()).error;
      if (sentence && sentence !== this.told) say(sentence);
      if (response.status === 400) {
        // The same filter would be refused again.
        stop.abort();
        isRefused = true;
        show(true);
        return;
      }
      this.told = sentence;
    } catch {
      show(false);
    }
    stop.abort();
    if (!this.isClosed) this.again();
  }

  again() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.source.close();
      this.open();
    }, 2000);
  }

  take(type, event) {
    const value = JSON.parse(event.data);
    this.last = event.lastEventId;
    if (type === "begin") {
      show(true);
      if (this.run === null) this.handlers.begin?.();
      else if (this.run !== value.run) this.handlers.back?.();
      this.run = value.run;
    } else if (type === "gap") {
      this.handlers.back?.();
    } else if (type === "many") {
      this.handlers.many?.(value);
    } else {
      this.handlers[type]?.(value);
    }
  }

  close() {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.source.close();
  }
}

/// Calls a function at most once in so many milliseconds, and not at all while the page is not seen.
export function paced(work, pause) {
  let timer = null;
  return () => {
    if (timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      if (document.hidden) document.addEventListener("visibilitychange", () => work(), { once: true });
      else work();
    }, pause);
  };
}

/// Calls a function every so many milliseconds while the page is seen; returns how to stop.
export function every(pause, work) {
  const timer = setInterval(() => document.hidden || work(), pause);
  return () => clearInterval(timer);
}

export const time = (text) => (text ? text.slice(11, 23) : "");
export const count = (number) => Number(number ?? 0).toLocaleString("en");
export const short = (text, most = 12) => (text && text.length > most ? text.slice(0, most) + "…" : (text ?? ""));

/// A chip: what APNs or the phone said, in a color.
export function chip(text, kind, title) {
  return h("span.chip." + kind, { title }, text);
}

export function answerChip(row) {
  if (row.sent && row.sent !== "answer") return chip(row.sent, "bad", `decided: ${row.status}`);
  return chip(row.reason ? `${row.status} ${row.reason}` : String(row.status), row.status === 200 ? "good" : "bad", row.reason);
}

/// Of a row: `outcome` is what the phone did.
export function reactionChip({ status, outcome, fate: words }) {
  const fate = words ?? "";
  if (status !== 200) return chip("not delivered", "none", fate);
  const isLost = fate.startsWith("Discarded") || outcome === "dropped";
  const waits = fate.startsWith("Stored") || outcome === "held";
  const kind = isLost ? "bad" : waits ? "wait" : outcome === "nothing" ? "none" : "good";
  return chip(outcome ?? fate.split(" - ").pop(), kind, fate);
}

/// What the phone did with a push of the ledger; null if it has not received it.
export const reacted = (push) => push.reaction?.outcome ?? null;

/// A hue from 0 to 359 that stays the same for a name.
export function hue(name) {
  let sum = 7;
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 359;
  return sum;
}

/// A push of the ledger as the row that the event stream would have sent.
export function row(push) {
  const headers = Object.fromEntries(push.request.headers.map(({ name, value }) => [name, value]));
  let aps = {};
  try {
    aps = JSON.parse(push.request.body)?.aps ?? {};
  } catch {
    aps = {};
  }
  const alert = aps?.alert;
  const words = typeof alert === "string" ? [alert] : [alert?.title, alert?.body].filter((x) => typeof x === "string");
  return {
    push: push.sequence, at: push.receivedAt, apnsId: push.apnsId, environment: push.environment,
    device: push.device, app: push.app, tokenKind: push.tokenKind, pushType: headers["apns-push-type"],
    priority: Number(headers["apns-priority"] ?? 10), event: typeof aps?.event === "string" ? aps.event : null,
    heading: words.join(" — ").slice(0, 160), content: push.content ?? null, status: push.answer.status, reason: push.reason, sent: push.sent.as,
    fate: push.fate.split(", ").pop(), outcome: reacted(push), final: push.final, fault: push.fault,
    session: null,
  };
}

export function button(text, work, attributes = {}) {
  return h("button", { type: "button", onclick: () => attempt(work), ...attributes }, text);
}

export function section(title, ...children) {
  return h("section", {}, h("h2", {}, title), ...children);
}

/// Replaces what an element contains. A button that had the focus gets it back, if there is one of its name.
export function refill(element, ...children) {
  const named = element.contains(document.activeElement) ? document.activeElement.dataset.name : null;
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (named) [...element.querySelectorAll("button")].find((each) => each.dataset.name === named)?.focus();
}

/// Rows of names and values.
export function facts(pairs) {
  return h("dl.facts", {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

/// A table that scrolls by itself where the page is narrow. A cell that is a number, and what is below a head in `right`,
/// stands at the right.
export function table(caption, heads, rows, none, right = []) {
  if (!rows.length) return none ? h("p.none", {}, none) : null;
  const isFigure = (at) => right.includes(heads[at]) || rows.some((cells) => typeof cells[at] === "number");
  const cell = (tag, at, text, attributes) => h(isFigure(at) ? tag + ".n" : tag, attributes ?? {},
    typeof text === "number" ? count(text) : text ?? "");
  return h("div.scroll", { tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, heads.map((head, at) => cell("th", at, head, { scope: "col" })))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((text, at) => cell("td", at, text)))))));
}
