// Pushes as they come in.
import { h, ask, attempt, Stream, time, count, answerChip, reactionChip, hue, row, paced, Refused } from "./core.js";
import { preview } from "./push.js";

const most = 500;

/// What a live row can be compared with; other filters are asked of the ledger.
const compared = [
  "apnsId", "status", "reason", "device", "app", "environment", "session", "fate", "outcome", "pushType", "priority",
  "tokenKind", "fault", "sent",
];

/// `d0 410 app=com.example.app goal`: parameters of GET /v1/pushes, the common ones without a name. Any other word is
/// looked for in the rows, and so is one in quotes.
function read(text) {
  const query = new URLSearchParams();
  for (const word of text.match(/(?:[^\s"]|"[^"]*")+/g) ?? []) {
    const at = word.startsWith('"') ? 0 : word.indexOf("=");
    const bare = word.replaceAll('"', "");
    if (at > 0) query.set(word.slice(0, at), word.slice(at + 1).replaceAll('"', ""));
    else if (/^d\d+$/.test(word)) query.set("device", word);
    else if (/^\d{3}$/.test(word)) query.set("status", word);
    else if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(word)) query.set("apnsId", word);
    else if (bare) query.append("text", bare);
  }
  return query;
}

/// The filter as a person would write it.
const write = (query) => [...query].map(([key, value]) => {
  if (key !== "text") return `${key}=${/\s/.test(value) ? `"${value}"` : value}`;
  return String(read(value)) === String(new URLSearchParams({ text: value })) ? value : `"${value}"`;
}).join(" ");

/// What a person reads in a row.
const words = (push) => [push.device, push.app, push.pushType, push.event, push.content, push.heading, push.status, push.reason,
  push.outcome, push.fate, push.session, push.apnsId, push.fault].filter(Boolean).join(" ").toLowerCase();

/// The open sessions of the newest pushes, by the number of the push. The stream names them itself.
async function sessions() {
  const owners = new Map();
  const { sessions } = await ask("/v1/sessions?open=true&limit=10");
  await Promise.all(sessions.map(async ({ name }) => {
    const { pushes } = await ask(`/v1/pushes?session=${encodeURIComponent(name)}&limit=100`);
    for (const { sequence } of pushes) owners.set(sequence, name);
  }));
  return owners;
}

/// What has changed comes first; what a start brings comes after its alert.
function message({ content, heading }) {
  const isChange = content?.includes("→");
  return [isChange ? h("b", {}, content) : null, heading, isChange ? null : content].filter(Boolean)
    .flatMap((part, at) => (at ? [" · ", part] : [part]));
}

/// What outlives the view: the number up to which the list was cleared, the push that was opened, the field in use.
const kept = { cleared: 0, opened: null, isFiltering: false };
const wide = matchMedia("(min-width: 1150px)");

/// The push beside the list, as `j` and `k` reach it.
function panel() {
  const place = h("aside.panel", { "aria-label": "The push that is selected", hidden: true });
  let shown = null;
  let load = null;
  const refresh = paced(() => load?.(), 100);
  return {
    place,
    get number() {
      return shown?.push ?? null;
    },
    show(push) {
      if (!wide.matches || push.push === shown?.push) return;
      shown = push;
      const body = h("div");
      load = preview(body, push.apnsId);
      place.replaceChildren(h("p.bar", {}, h("a.button", { href: "#/push/" + encodeURIComponent(push.apnsId) }, "Open"),
        h("button", { type: "button", onclick: () => this.close() }, "Close")), body);
      place.hidden = false;
      place.scrollTop = 0;
      refresh();
    },
    settled: (number) => number === shown?.push && refresh(),
    close() {
      const wasOpen = !place.hidden;
      place.hidden = true;
      shown = load = null;
      return wasOpen;
    },
  };
}

let beside = null;

/// Escape closes the panel first.
export const escape = () => {
  const row = document.querySelector(".rows [aria-current]");
  if (!beside?.close()) return false;
  row?.focus({ preventScroll: true });
  row?.removeAttribute("aria-current");
  beside.close();
  return true;
};

export function open(root, _, query) {
  let rows = [];
  let fresh = 0;
  let isPaused = false;
  let skipped = 0;
  let isLoading = false;
  const late = [];
  const known = new Map();
  const list = h("ol.rows", { "aria-label": "Pushes, newest first" });
  const note = h("p.note", { role: "status" });
  const total = h("span.total");
  const field = h("input", {
    type: "search", value: write(query), placeholder: "goal   d0   410   app=com.example.app   session=checkout",
    "aria-label": "Filter: words, or parameters of GET /v1/pushes", spellcheck: "false",
  });
  const button = (text, work) => h("button", { type: "button", onclick: work }, text);
  const pause = button("Pause", () => setPaused(!isPaused));
  pause.setAttribute("aria-pressed", "false");
  const clear = button("Clear", () => {
    kept.cleared = rows[0]?.push ?? kept.cleared;
    beside.close();
    load();
  });
  const restore = button("Show cleared", () => {
    kept.cleared = 0;
    load();
  });
  beside = panel();
  root.append(
    h("h1", {}, "Inbox"),
    h("form.bar", { onsubmit: (event) => {
      event.preventDefault();
      const text = String(read(field.value));
      const hash = "#/" + (text ? "?" + text : "");
      kept.isFiltering = document.activeElement === field && hash !== location.hash;
      location.hash = hash;
    } }, field, h("button", { type: "submit" }, "Filter"), pause, clear, restore, total),
    note,
    h("div.split", {},
      h("div.list", {}, h("div.head", { "aria-hidden": "true" }, ["time", "device", "app", "type", "prio", "event", "message",
        "APNs", "phone"].map((word) => h("span", {}, word))), list),
      beside.place));
  if (kept.isFiltering) {
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }
  kept.isFiltering = false;

  const texts = query.getAll("text").map((text) => text.toLowerCase());
  const others = [...query].filter(([key]) => key !== "text");
  const asks = others.some(([key]) => !compared.includes(key));
  const matches = (push) => push.push > kept.cleared && others.every(([key, value]) => String(push[key] ?? "") === value)
    && (!texts.length || texts.every((text) => words(push).includes(text)));

  function setPaused(on) {
    isPaused = on;
    pause.setAttribute("aria-pressed", String(on));
    pause.textContent = on ? "Resume" : "Pause";
    if (!on) {
      skipped = 0;
      load();
    }
    tell();
  }

  function tell(refusal) {
    const more = !skipped ? "" : isPaused ? `; ${count(skipped)} more came since` : `; ${count(skipped)} more came too fast to list`;
    const among = texts.length ? ` among the newest ${most}` : "";
    total.textContent = rows.length ? `${count(rows.length)} shown${among}${more}` : "";
    clear.disabled = !rows.length;
    restore.hidden = !kept.cleared;
    note.classList.toggle("refused", Boolean(refusal));
    note.textContent = refusal ?? (isPaused ? "Paused." : rows.length ? "" : query.size ? "No push matches the filter."
      : kept.cleared ? "Cleared. New pushes appear here." : "No push yet. Send one: pushpit send --to d0");
  }

  /// Draws what is new; at most five times a second, so that thousands of pushes a second stay readable.
  const draw = paced(() => {
    const items = rows.slice(0, Math.min(fresh, most)).map(item);
    fresh = 0;
    list.prepend(...items);
    while (list.children.length > most) list.lastChild.remove();
    tell();
  }, 200);

  function add(pushes) {
    if (isLoading) {
      late.push(...pushes);
      return;
    }
    const newest = rows[0]?.push ?? 0;
    const wanted = pushes.filter((push) => push.push > newest && matches(push));
    if (!wanted.length) return;
    rows = [...wanted.toReversed(), ...rows].slice(0, most);
    fresh += wanted.length;
    if (known.size > 4 * most) {
      const still = new Set(rows.map(({ push }) => push));
      for (const number of known.keys()) if (!still.has(number)) known.delete(number);
    }
    draw();
  }

  /// What comes while the list is loaded is added to it, unless it has it already.
  const load = async () => {
    isLoading = true;
    try {
      return await loadList();
    } finally {
      isLoading = false;
      add(late.splice(0));
    }
  };
  const loadList = async () => {
    const ledger = new URLSearchParams(others);
    ledger.set("limit", String(texts.length ? most : 100));
    try {
      const [{ pushes }, owners] = await Promise.all([ask("/v1/pushes?" + ledger), sessions()]);
      // A server that began again counts from 1.
      if (!others.length && (pushes[0]?.sequence ?? 0) < kept.cleared) kept.cleared = 0;
      rows = pushes.map(row);
      for (const push of rows) push.session = owners.get(push.push) ?? null;
      rows = rows.filter((push) => push.push > kept.cleared && texts.every((text) => words(push).includes(text)));
      fresh = 0;
      refill();
      tell();
    } catch (error) {
      if (!(error instanceof Refused)) return true;
      tell(error.message);
      return false;
    }
    return true;
  };
  const loadSoon = paced(load, 500);

  /// Draws the list anew. The row that had the focus, or that was opened before Escape, has it afterwards.
  function refill() {
    const held = [...known.values()].find(({ element }) => element.contains(document.activeElement))?.push.push;
    const wanted = held ?? kept.opened;
    kept.opened = null;
    list.replaceChildren(...rows.map(item));
    if (wanted) known.get(wanted)?.element.firstChild.focus();
  }

  function select(push, link) {
    for (const other of list.querySelectorAll("[aria-current]")) other.removeAttribute("aria-current");
    link.setAttribute("aria-current", "true");
    beside.show(push);
  }

  function item(push) {
    const open = () => (kept.opened = push.push);
    const link = h("a", {
      href: "#/push/" + encodeURIComponent(push.apnsId),
      vars: push.session ? { "--hue": String(hue(push.session)) } : {}, class: push.session ? "session" : "",
      title: push.session ? `session ${push.session}` : null, "aria-current": push.push === beside.number,
      onfocus: () => select(push, link),
      // A click previews where there is room; Enter and a double click open.
      onclick: (event) => {
        if (!wide.matches || event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return open();
        event.preventDefault();
        select(push, link);
      },
      ondblclick: () => {
        open();
        location.hash = link.hash;
      },
    },
    h("time", {}, time(push.at)), h("span.device", {}, push.device ?? "–"), h("span.app", {}, push.app ?? "–"),
    h("span.type", {}, push.pushType ?? "–"), h("span.prio", {}, String(push.priority ?? "")),
    h("span.event", {}, push.event ?? ""),
    h("span.message", {}, message(push)), answerChip(push), reactionChip(push));
    const element = h("li", {}, link);
    known.set(push.push, { push, element });
    return element;
  }

  function settle({ push: number, fate, outcome, final }) {
    const found = known.get(number);
    const push = rows.find(({ push }) => push === number);
    if (push) Object.assign(push, { fate, outcome, final });
    if (found) {
      Object.assign(found.push, { fate, outcome });
      found.element.querySelector(".chip:last-child").replaceWith(reactionChip(found.push));
    }
    beside.settled(number);
  }

  /// What was sent after it was decided, such as an answer that a fault has delayed.
  function answered({ push: number, sent }) {
    const found = known.get(number);
    if (!found) return;
    found.push.sent = sent;
    found.element.querySelector(".chip").replaceWith(answerChip(found.push));
  }

  function take(pushes) {
    if (isPaused) {
      skipped += pushes.length;
      tell();
    } else if (asks) loadSoon();
    else add(pushes);
  }

  let stream = null;
  let isClosed = false;
  /// What the server can filter is filtered there, so that a busy server does not crowd out what is looked for.
  const watch = async () => {
    if (!(await load())) return;
    const wanted = { types: "push,fate,answer" };
    for (const key of ["device", "app", "session"]) if (query.get(key)) wanted[key] = query.get(key);
    if (wanted.session && !(await ask("/v1/sessions/" + encodeURIComponent(wanted.session))).open) return;
    if (isClosed) return;
    stream = new Stream(wanted, {
      push: (push) => take([push]),
      fate: settle,
      answer: answered,
      many: ({ count, last }) => {
        const pushes = last.filter(({ type }) => type === "push");
        last.filter(({ type }) => type === "fate").forEach(settle);
        last.filter(({ type }) => type === "answer").forEach(answered);
        skipped += isPaused ? count - pushes.length : Math.max(0, count - last.length);
        take(pushes);
        tell();
      },
      // A push may have come between the first list and the stream.
      begin: () => isPaused || load(),
      back: () => isPaused || load(),
    });
  };
  tell();
  attempt(watch);
  return () => {
    isClosed = true;
    stream?.close();
  };
}
