// Faults and the clock.
import { h, ask, attempt, button, section, facts, every, count } from "./core.js";

const templates = [
  ["429 storm", "30% of pushes are answered 429, with Retry-After 5", {
    name: "429 storm", odds: "30%", then: { answer: "TooManyRequests", retryAfter: 5 } }],
  ["503 outage", "every push is answered 503", { name: "503 outage", then: { answer: "ServiceUnavailable" } }],
  ["GOAWAY", "the next push ends its connection with GOAWAY", {
    name: "GOAWAY", limit: 1, then: { goAway: "NO_ERROR", debug: "{\"reason\":\"Shutdown\"}", before: 2 } }],
  ["Wrong environment", "every push is answered BadDeviceToken, as with a token of the other environment", {
    name: "Wrong environment", then: { answer: "BadDeviceToken" } }],
  ["Slow answers", "answers are 2 seconds late", { name: "Slow answers", then: { delay: "2s" } }],
  ["Silent loss", "1 of 10 pushes is answered 200 and lost", { name: "Silent loss", odds: "10%", then: { lose: true } }],
  ["Tunnel", "20% of the phones are offline", {
    name: "Tunnel", when: { share: "20%" }, then: { devices: { do: "goOffline" } } }],
];

/// Faults that were switched off on this page, so that they can be switched on again.
const off = new Map();

export function open(root) {
  const list = h("ul.faults", { "aria-label": "Faults" });
  const clock = h("div");
  const text = h("textarea", { rows: 3, spellcheck: "false", "aria-label": "A fault as JSON, as for POST /v1/faults" });
  text.value = '{"name": "busy", "limit": 3, "then": {"answer": "TooManyRequests", "retryAfter": 30}}';
  root.append(h("h1", {}, "Faults and clock"), section("Clock", clock), section("Faults", list,
    h("p.bar", {}, button("Remove all faults", async () => {
      await ask("/v1/reset", "POST");
      off.clear();
      await load();
    }))),
    section("Set another fault", text, h("p.bar", {}, button("Set", async () => {
      let fault;
      try {
        fault = JSON.parse(text.value);
      } catch {
        fault = text.value;
      }
      await ask("/v1/faults", "POST", fault);
      await load();
    }))));

  const key = ({ session, name }) => (session ? session + "/" : "") + name;

  async function flip(entry) {
    if (entry.set) {
      const query = entry.set.session ? "?session=" + encodeURIComponent(entry.set.session) : "";
      off.set(key(entry.set), entry);
      await ask("/v1/faults/" + encodeURIComponent(entry.set.name) + query, "DELETE");
    } else {
      await ask("/v1/faults", "POST", entry.order);
    }
    await load();
  }

  async function load() {
    const { faults } = await ask("/v1/faults?limit=200");
    const entries = new Map(templates.map(([name, sentence, order]) => [name, { name, sentence, order }]));
    for (const [name, entry] of off) if (!entries.has(name)) entries.set(name, { ...entry, set: null });
    for (const fault of faults) {
      const known = entries.get(key(fault));
      const order = { name: fault.name, then: fault.then };
      for (const member of ["session", "limit"]) if (fault[member] !== null) order[member] = fault[member];
      for (const member of ["when", "odds"]) if (fault[member]) order[member] = fault[member];
      entries.set(key(fault), { name: key(fault), sentence: known?.sentence ?? JSON.stringify(fault.then),
        order: known?.order ?? order, set: fault });
    }
    const focused = document.activeElement?.dataset?.fault;
    list.replaceChildren(...[...entries.values()].map((entry) => line(entry, flip)));
    if (focused) [...list.querySelectorAll("button")].find((each) => each.dataset.fault === focused)?.focus();
  }

  async function time() {
    const now = await ask("/v1/clock");
    const advance = (step) => async () => {
      await ask("/v1/clock", "POST", { advance: step });
      await time();
    };
    const wait = now.nextDue ? Date.parse(now.nextDue) - now.unixMilliseconds : 0;
    const isManual = now.mode === "manual";
    const focus = [...clock.querySelectorAll("button")].indexOf(document.activeElement);
    clock.replaceChildren(h("p.big-time", { "aria-label": "The simulated time" }, now.now.slice(0, 19).replace("T", " ") + " UTC"),
      facts([["mode", now.mode], ["ahead of this machine by", `${count(Math.round(now.offsetMilliseconds / 1000))} s`],
        ["next event", now.nextDue?.slice(0, 19).replace("T", " ") ?? "nothing"]]),
      h("p.bar", {}, button("+1 min", advance("1m")), button("+1 h", advance("1h")),
        button("To the next event", advance(`${Math.max(1, wait)}ms`), { disabled: !(wait > 0) }),
        button(isManual ? "Let it run" : "Stop it", async () => {
          await ask("/v1/clock", "POST", { mode: isManual ? "wall" : "manual" });
          await time();
        })));
    if (focus >= 0) clock.querySelectorAll("button")[focus]?.focus();
  }

  attempt(load);
  attempt(time);
  return every(1000, () => {
    load().catch(() => {});
    time().catch(() => {});
  });
}

function line(entry, flip) {
  const isOn = Boolean(entry.set);
  const struck = entry.set
    ? `${entry.set.state}, struck ${count(entry.set.struck)} of ${count(entry.set.seen)} seen`
      + (entry.set.devices === null ? "" : `, on ${count(entry.set.devices)} devices`) : "off";
  return h("li", {},
    h("button", { type: "button", role: "switch", "aria-checked": String(isOn), "aria-label": entry.name,
      "data-fault": entry.name, onclick: () => attempt(() => flip(entry)) }),
    h("div", {}, h("b", {}, entry.name), h("p", {}, entry.sentence)), h("span.struck", {}, struck));
}
