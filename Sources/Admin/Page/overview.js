// The fleet as a map, and the numbers.
import { h, svg, ask, attempt, section, facts, table, every, count, time, row, reacted } from "./core.js";

const colors = ["--tile-0", "--tile-1", "--tile-2", "--tile-3", "--tile-4", "--tile-5", "--tile-6", "--tile-7"];
/// Pixels of a tile's side, so that a small fleet is more than a line.
const side = (tiles) => (tiles <= 400 ? 24 : tiles <= 1500 ? 16 : 10);

export const fleet = {
  open(root) {
    const canvas = h("canvas", { role: "img", "aria-label": "Map of the fleet; the same in numbers is below" });
    const legend = h("ul.legend");
    const tip = h("p.note", { role: "status" });
    const counts = h("div.columns");
    let shows = "state";
    let summary = null;
    root.append(h("h1", {}, "Fleet"), h("p.bar", {}, h("label", {}, "Color by ", h("select", { onchange: (event) => {
      shows = event.target.value;
      draw();
    } }, h("option", { value: "state" }, "state"), h("option", { value: "fate" }, "last fate")))),
    canvas, legend, tip, counts);

    let edge = side(0);
    const perRow = () => Math.max(8, Math.floor((root.clientWidth || 800) / edge / 2) * 2);
    const index = (event) => {
      const box = canvas.getBoundingClientRect();
      return Math.floor((event.clientY - box.top) / edge) * perRow() + Math.floor((event.clientX - box.left) / edge);
    };
    /// The first device of a tile, as the server deals them out.
    const first = (tile) => Math.ceil((tile * summary.devices) / summary.tiles.devices.length);

    function meaning(tile) {
      const { devices, offline, live, fate } = summary.tiles;
      if (shows === "fate") return fate[tile] === null ? 0 : fate[tile] + 1;
      if (offline[tile] * 2 > devices[tile]) return 1;
      if (live[tile] > 0) return 2;
      return offline[tile] > 0 ? 3 : 4;
    }

    function draw() {
      if (!summary) return;
      const isSingle = summary.devices <= summary.tiles.devices.length;
      const names = shows === "fate" ? ["no push yet", ...summary.fates]
        : ["unknown", isSingle ? "offline" : "most offline", "a Live Activity runs", "some offline", "online"];
      const styles = getComputedStyle(document.documentElement);
      const tint = (number) => styles.getPropertyValue(colors[number % colors.length]);
      const tiles = summary.tiles.devices.length;
      edge = side(tiles);
      const wide = perRow();
      const sharp = Math.max(1, Math.round(devicePixelRatio));
      canvas.width = wide * edge * sharp;
      canvas.height = Math.ceil(tiles / wide) * edge * sharp;
      canvas.style.width = wide * edge + "px";
      canvas.style.height = Math.ceil(tiles / wide) * edge + "px";
      const pen = canvas.getContext("2d");
      pen.scale(sharp, sharp);
      const seen = new Map();
      for (let tile = 0; tile < tiles; tile += 1) {
        const number = meaning(tile);
        seen.set(number, (seen.get(number) ?? 0) + 1);
        pen.fillStyle = tint(number);
        pen.fillRect((tile % wide) * edge, Math.floor(tile / wide) * edge, edge - 1, edge - 1);
      }
      legend.replaceChildren(...[...seen].sort().map(([number, size]) =>
        h("li", {}, h("i", { vars: { "--tint": `var(${colors[number % colors.length]})` } }),
          `${names[number]} (${count(size)})`)));
    }

    canvas.addEventListener("mousemove", (event) => {
      const tile = index(event);
      const devices = summary?.tiles.devices[tile];
      if (!devices) return;
      const { offline, live } = summary.tiles;
      const last = first(tile + 1) - 1;
      tip.textContent = `d${first(tile)}${last > first(tile) ? ` to d${last}` : ""}: ${devices - offline[tile]} online, `
        + `${offline[tile]} offline, ${live[tile]} with a Live Activity`;
    });
    canvas.addEventListener("click", (event) => {
      const tile = index(event);
      if (summary?.tiles.devices[tile]) location.hash = "#/phone/d" + first(tile);
    });

    const load = async () => {
      summary = await ask("/v1/fleet/summary");
      draw();
      const sample = summary.lookedAt < summary.devices ? ` (${count(summary.lookedAt)} of them looked at)` : "";
      counts.replaceChildren(
        section("States", facts([["devices", count(summary.devices) + sample], ["online", count(summary.online)],
          ["offline", count(summary.offline)]])),
        table("Devices by iOS", ["iOS", "devices"], summary.versions.map(({ os, devices }) => [os, devices]), ""),
        table("Apps", ["app", "installed", "Live Activities"], summary.apps.map(({ app, installed, liveActivities }) =>
          [app, installed, liveActivities]), ""));
    };
    attempt(load);
    addEventListener("resize", draw);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    const stop = every(5000, () => load().catch(() => {}));
    return () => {
      stop();
      removeEventListener("resize", draw);
      scheme.removeEventListener("change", draw);
    };
  },
};

/// The answers by which a second is drawn, in the order in which they are stacked.
const answers = ["200", "429", "4xx", "5xx"];
const answerNames = { "4xx": "other 4xx" };

/// Pushes by answer since the start, of the metrics page.
function answered(text) {
  const sums = Object.fromEntries(answers.map((name) => [name, 0]));
  for (const line of text.split("\n")) {
    const status = /^pushpit_pushes_total\{.*status="(\d+)"/.exec(line)?.[1];
    if (status) sums[answers.includes(status) ? status : status[0] + "xx"] += Number(line.slice(line.lastIndexOf(" ") + 1));
  }
  return sums;
}

const total = (second) => answers.reduce((sum, name) => sum + second[name], 0);

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

const seconds = (value) => (value < 0.0005 ? "at once" : value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`);

/// From the arrival of a push to the last line of its story on the phone.
function latencies(pushes) {
  const found = [];
  for (const push of pushes) {
    if (!push.final || !push.reaction || reacted(push) === "dropped" || !push.story.length) continue;
    found.push((Date.parse(push.story.at(-1).at) - Date.parse(push.receivedAt)) / 1000);
  }
  return found.sort((a, b) => a - b);
}

/// Seconds that the chart covers.
const span = 120;

export const numbers = {
  open(root) {
    /// Pushes of each second by answer, the newest last.
    let rates = [];
    let before = null;
    const chart = h("figure.chart");
    const parts = h("div.parts");
    root.append(h("h1", {}, "Numbers"), chart, parts);

    const read = async () => ({ at: performance.now(), sums: answered(await (await fetch("/metrics")).text()) });
    /// What happened before the page was opened, or while it was not seen, is known to the server.
    const recall = async () => {
      const [{ answers: past }, now] = await Promise.all([ask("/v1/rates"), read()]);
      rates = past["200"].map((_, at) => Object.fromEntries(answers.map((name) => [name, past[name][at]])));
      before = now;
      drawRates(chart, rates, total(now.sums));
    };
    const rate = async () => {
      const now = await read();
      const length = (now.at - before.at) / 1000;
      if (length > 2.5 || total(now.sums) < total(before.sums)) return recall();
      rates.push(Object.fromEntries(answers.map((name) => [name, Math.round((now.sums[name] - before.sums[name]) / length)])));
      rates = rates.slice(-span);
      before = now;
      drawRates(chart, rates, total(now.sums));
    };
    const load = async () => {
      const [deliveries, { pushes }, connections, findings] = await Promise.all([
        ask("/v1/deliveries?by=pushType,priority,status"), ask("/v1/pushes?limit=200"), ask("/v1/connections?limit=50"),
        found().catch(() => null)]);
      const none = (text) => h("p.none", {}, text);
      const [delivered, recently, late] = [fates(deliveries), recent(pushes), latency(latencies(pushes))];
      parts.replaceChildren(delivered ?? none("No push was accepted yet."),
        ...(delivered ? [none("A push counts once for each fate that it has had.")] : []),
        h("div.columns", {}, [recently, late].filter(Boolean)),
        callers(connections, pushes) ?? none("No client is connected to APNs now."),
        findings === null ? none("The audit is off; start the server with --audit.") : grouped(findings) ?? none("No findings."));
    };
    const begin = async () => {
      await recall();
      return every(1000, () => rate().catch(() => {}));
    };
    const stops = [every(5000, () => load().catch(() => {}))];
    let isClosed = false;
    attempt(begin).then((stop) => (isClosed ? stop?.() : stops.push(stop ?? (() => {}))));
    attempt(load);
    return () => {
      isClosed = true;
      stops.forEach((stop) => stop());
    };
  },
};

/// Round numbers from 0 to at least `most`, three or four of them.
function marks(most) {
  const wanted = Math.max(1, most / 3);
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= wanted);
  return Array.from({ length: Math.ceil(Math.max(1, most) / step) + 1 }, (_, at) => at * step);
}

/// A column for each second, stacked by answer, with axes.
function drawRates(chart, rates, pushes) {
  // As many units as the chart has pixels, so that texts have their size at any width.
  const width = Math.max(280, (chart.clientWidth || 1000) - 32);
  const [left, top, right, bottom] = [44, 10, width, 150];
  const most = Math.max(0, ...rates.map(total));
  const ticks = marks(most);
  const high = ticks.at(-1);
  const y = (value) => bottom - ((bottom - top) * value) / high;
  const wide = (right - left) / span;
  const view = svg("svg", { viewBox: `0 0 ${width} 172`, role: "img",
    "aria-label": `Pushes a second over the last two minutes, at most ${count(most)}` });
  const label = (x, at, text, anchor) => {
    const element = svg("text", { x, y: at, "text-anchor": anchor });
    element.textContent = text;
    return element;
  };
  for (const tick of ticks) {
    view.append(svg("line", { x1: left, x2: right, y1: y(tick), y2: y(tick), class: "grid" }),
      label(left - 7, y(tick) + 4, count(tick), "end"));
  }
  for (const [ago, text, anchor] of [[120, "2 min ago", "start"], [60, "1 min ago", "middle"], [0, "now", "end"]]) {
    view.append(label(right - ago * wide, bottom + 17, text, anchor));
  }
  const below = rates.map(() => 0);
  for (const name of answers) {
    let path = "";
    rates.forEach((second, at) => {
      if (!second[name]) return;
      const x = right - (rates.length - at) * wide;
      path += `M${x.toFixed(1)} ${y(below[at]).toFixed(1)}V${y(below[at] + second[name]).toFixed(1)}h${Math.max(1, wide - 1).toFixed(1)}V${y(below[at]).toFixed(1)}z`;
      below[at] += second[name];
    });
    if (path) view.append(svg("path", { d: path, class: "answer-" + name }));
  }
  const used = answers.filter((name) => rates.some((second) => second[name]));
  chart.replaceChildren(
    h("figcaption", {}, h("b", {}, `${count(rates.length ? total(rates.at(-1)) : 0)} pushes a second`),
      ` · at most ${count(most)} in the last two minutes · ${count(pushes)} in all`),
    view,
    used.length ? h("ul.legend", {}, used.map((name) => h("li", {}, h("i", { class: "answer-" + name }), answerNames[name] ?? name)))
      : h("p.none", {}, "No push in the last two minutes."));
}

/// Fates by push type and priority, one column for each fate, as Apple's console has them.
function fates({ deliveries }) {
  const columns = [...new Set(deliveries.map(({ status }) => status))];
  const rows = new Map();
  for (const { pushType, priority, status, count: size } of deliveries) {
    const name = `${pushType ?? "none"} ${priority}`;
    if (!rows.has(name)) rows.set(name, { pushType, priority, counts: {} });
    rows.get(name).counts[status] = size;
  }
  return table("Fates by push type and priority", ["push type", "priority", ...columns], [...rows.values()].map((each) =>
    [each.pushType ?? "none", each.priority, ...columns.map((name) => each.counts[name] ?? 0)]));
}

function recent(pushes) {
  const counts = new Map();
  for (const push of pushes.map(row)) {
    const name = push.reason ? `${push.status} ${push.reason}` : String(push.status);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return table(pushes.length < 200 ? "Answers" : "Answers to the last 200 pushes", ["answer", "pushes"], [...counts]);
}

/// Shares of equal value are one row.
function latency(list) {
  const rows = [];
  for (const [name, share] of [["50%", 0.5], ["90%", 0.9], ["99%", 0.99], ["all", 1]]) {
    const value = list.length ? seconds(percentile(list, share)) : null;
    if (rows.at(-1)?.[1] === value) rows.pop();
    if (value !== null) rows.push([name, value]);
  }
  return table(`Delivery time, last ${count(list.length)}`, ["share", "at most"], rows, null, ["at most"]);
}

function callers({ connections }, pushes) {
  const teams = new Map();
  const ages = new Map();
  for (const push of pushes) {
    if (push.provider) teams.set(push.connection, push.provider.teamId);
    const issued = push.request.providerToken?.claims?.iat;
    if (typeof issued === "number" && !ages.has(push.connection)) ages.set(push.connection, Date.now() / 1000 - issued);
  }
  return table("Connections", ["number", "environment", "team", "pushes", "rejected", "token's age", "from"],
    connections.map((each) => [String(each.connection), each.environment, teams.get(each.connection) ?? "unknown",
      each.pushes, each.refused,
      ages.has(each.connection) ? `${Math.max(0, Math.round(ages.get(each.connection) / 60))} min` : "unknown", each.peer]),
    null, ["token's age"]);
}

/// The number of findings of each kind, and the newest of each.
async function found() {
  const { counts } = await ask("/v1/findings?limit=1");
  const kinds = Object.keys(counts).filter((kind) => counts[kind]);
  return Promise.all(kinds.map(async (kind) => {
    const { findings } = await ask(`/v1/findings?limit=1&kind=${kind}`);
    return { kind, size: counts[kind], latest: findings[0] };
  }));
}

function grouped(findings) {
  if (!findings.length) return null;
  const line = ({ kind, size, latest }) => h("li", {},
    h("span.n", {}, `latest ${latest ? time(latest.at).slice(0, 8) : "not kept"}${latest?.device ? ", " + latest.device : ""}`),
    h("b", {}, kind), size > 1 ? ` × ${count(size)}` : "",
    h("p", {}, latest?.sentence ?? "", latest?.apnsId ? [" ", h("a", { href: "#/push/" + latest.apnsId }, "Push")] : null));
  return section("Findings of the audit", h("ul.found", {}, findings.sort((a, b) => b.size - a.size).map(line)));
}
