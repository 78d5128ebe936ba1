// Pushes as they come in.
import { h, ask, say, attempt, Stream, time, count, answerChip, reactionChip, hue, row, paced, Refused } from "./core.js";

const most = 500;

/// What a live row can be compared with; other filters are asked of the ledger.
const compared = [
  "apnsId", "status", "reason", "device", "app", "environment", "session", "fate", "outcome", "pushType", "priority",
  "tokenKind", "fault", "sent",
];

/// `d0 410 app=com.example.app`: words are the parameters of GET /v1/pushes, the common ones without a name.
function read(text) {
  const query = new URLSearchParams();
  for (const word of text.match(/(?:[^\s"]|"[^"]*")+/g) ?? []) {
    const at = word.indexOf("=");
    if (at > 0) query.set(word.slice(0, at), word.slice(at + 1).replaceAll('"', ""));
    else if (/^d\d+$/.test(word)) query.set("device", word);
    else if (/^\d{3}$/.test(word)) query.set("status", word);
    else if (/^[0-9a-f-]{36}$/i.test(word)) query.set("apnsId", word);
    else if (word.includes(".")) query.set("topic", word);
    else query.set("reason", word);
  }
  return query;
}

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

const write = (query) => [...query].map(([key, value]) => `${key}=${/\s/.test(value) ? `"${value}"` : value}`).join(" ");

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
    type: "search", value: write(query), placeholder: "d0   410   app=com.example.app   session=checkout",
    "aria-label": "Filter: parameters of GET /v1/pushes", spellcheck: "false",
  });
  const pause = h("button", { type: "button", "aria-pressed": "false", onclick: () => setPaused(!isPaused) }, "Pause");
  root.append(
    h("h1", {}, "Inbox"),
    h("form.bar", { onsubmit: (event) => {
      event.preventDefault();
      const text = String(read(field.value));
      location.hash = "#/" + (text ? "?" + text : "");
    } }, field, h("button", { type: "submit" }, "Filter"), pause, total),
    note,
    h("div.head", { "aria-hidden": "true" },
      ["time", "device", "app", "type", "prio", "event", "message", "APNs", "phone"].map((word) => h("span", {}, word))),
    list,
  );

  const asks = [...query.keys()].some((key) => !compared.includes(key));
  const matches = (push) => [...query].every(([key, value]) => String(push[key] ?? "") === value);

  function setPaused(on) {
    isPaused = on;
    pause.setAttribute("aria-pressed", String(on));
    pause.textContent = on ? "Go on" : "Pause";
    if (!on) {
      skipped = 0;
      load();
    }
    tell();
  }

  function tell() {
    const more = skipped ? `, ${count(skipped)} not listed here` : "";
    total.textContent = rows.length ? `${count(rows.length)} shown${more}` : "";
    note.textContent = isPaused
      ? "Paused." : rows.length ? "" : "No push yet. Send one: pushpit send --to d0";
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
      const kept = new Set(rows.map(({ push }) => push));
      for (const number of known.keys()) if (!kept.has(number)) known.delete(number);
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
    const ledger = new URLSearchParams(query);
    ledger.set("limit", "100");
    try {
      const [{ pushes }, owners] = await Promise.all([ask("/v1/pushes?" + ledger), sessions()]);
      rows = pushes.map(row);
      for (const push of rows) push.session = owners.get(push.push) ?? null;
      fresh = 0;
      list.replaceChildren(...rows.map(item));
      tell();
    } catch (error) {
      if (!(error instanceof Refused)) return true;
      note.textContent = error.message;
      return false;
    }
    return true;
  };
  const loadSoon = paced(load, 500);

  function item(push) {
    const answer = answerChip(push);
    const reaction = reactionChip(push);
    const element = h("li", {},
      h("a", {
        href: "#/push/" + encodeURIComponent(push.apnsId),
        vars: push.session ? { "--hue": String(hue(push.session)) } : {}, class: push.session ? "session" : "",
        title: push.session ? `session ${push.session}` : null,
      },
        h("time", {}, time(push.at)), h("span.device", {}, push.device ?? "–"), h("span.app", {}, push.app ?? "–"),
        h("span.type", {}, push.pushType ?? "–"), h("span.prio", {}, String(push.priority ?? "")),
        h("span.event", {}, push.event ?? ""), h("span.message", {}, push.heading ?? ""), answer, reaction));
    known.set(push.push, { push, element });
    return element;
  }

  function settle({ push: number, ...fate }) {
    const found = known.get(number);
    const push = rows.find(({ push }) => push === number);
    if (push) Object.assign(push, { fate: fate.fate, outcome: fate.outcome, final: fate.final });
    if (found) {
      Object.assign(found.push, { fate: fate.fate, outcome: fate.outcome });
      found.element.querySelector(".chip:last-child").replaceWith(reactionChip(found.push));
    }
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
  attempt(watch);
  if (query.size) say(`Filtered: ${write(query)}`);
  return () => {
    isClosed = true;
    stream?.close();
  };
}
