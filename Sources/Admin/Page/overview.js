// The fleet as a map, and the numbers.
import { h, svg, ask, attempt, section, facts, table, every, count, time, row } from "./core.js";

const colours = ["--tile-0", "--tile-1", "--tile-2", "--tile-3", "--tile-4", "--tile-5", "--tile-6", "--tile-7"];
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
    root.append(h("h1", {}, "Fleet"), h("p.bar", {}, h("label", {}, "Colour by ", h("select", { onchange: (event) => {
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
      const names = shows === "fate" ? ["no push yet", ...summary.fates]
        : ["unknown", "most offline", "a Live Activity runs", "some offline", "online"];
      const styles = getComputedStyle(document.documentElement);
      const tint = (number) => styles.getPropertyValue(colours[number % colours.length]);
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
        h("li", {}, h("i", { vars: { "--tint": `var(${colours[number % colours.length]})` } }),
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
        table("Devices by iOS", ["iOS", "devices"], summary.versions.map(({ os, devices }) => [os, count(devices)]), ""),
        table("Apps", ["app", "installed", "Live Activities"], summary.apps.map(({ app, installed, liveActivities }) =>
          [app, count(installed), count(liveActivities)]), ""));
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

/// The value of a counter of the metrics page, added up over its labels.
function counter(text, name) {
  let sum = 0;
  for (const line of text.split("\n")) {
    if (line.startsWith(name + "{") || line.startsWith(name + " ")) sum += Number(line.slice(line.lastIndexOf(" ") + 1));
  }
  return sum;
}

function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

const seconds = (value) => (value < 0.0005 ? "0 s" : value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`);

/// From the time that a push names, or else its arrival, to the last line of its story on the phone.
function latencies(pushes) {
  const found = [];
  for (const push of pushes) {
    if (!push.final || !push.reaction || push.reaction.outcome === "dropped" || !push.story.length) continue;
    found.push((Date.parse(push.story.at(-1).at) - Date.parse(push.receivedAt)) / 1000);
  }
  return found.sort((a, b) => a - b);
}

export const numbers = {
  open(root) {
    const rates = [];
    let before = null;
    const chart = h("figure.chart");
    const parts = h("div.parts");
    root.append(h("h1", {}, "Numbers"), chart, parts);

    const rate = async () => {
      const text = await (await fetch("/metrics")).text();
      const now = { at: performance.now(), pushes: counter(text, "pushpit_pushes_total") };
      if (before && now.pushes >= before.pushes) {
        rates.push(((now.pushes - before.pushes) * 1000) / (now.at - before.at));
        if (rates.length > 120) rates.shift();
      }
      before = now;
      drawRates(chart, rates, now.pushes);
    };
    const load = async () => {
      const [deliveries, answers, connections, findings, pushes] = await Promise.all([
        ask("/v1/deliveries?by=pushType,priority,status"), ask("/v1/pushes?limit=200"), ask("/v1/connections?limit=50"),
        ask("/v1/findings?limit=20").catch(() => null), null]);
      const shown = answers.pushes;
      parts.replaceChildren(fates(deliveries), h("div.columns", {}, recent(shown), latency(latencies(shown))),
        callers(connections, shown),
        findings ? table("Findings of the audit", ["time", "kind", "device", "what"], findings.findings.map((each) =>
          [time(each.at), each.kind, each.device, each.sentence]), "No finding.")
          : h("p.none", {}, "The audit is off; start the server with --audit."));
    };
    attempt(rate);
    attempt(load);
    const stops = [every(1000, () => rate().catch(() => {})), every(5000, () => load().catch(() => {}))];
    return () => stops.forEach((stop) => stop());
  },
};

function drawRates(chart, rates, pushes) {
  const most = Math.max(0, ...rates);
  const points = rates.map((value, place) => `${(place / 119) * 300},${58 - (value / Math.max(1, most)) * 54}`).join(" ");
  const line = svg("svg", { viewBox: "0 0 300 60", preserveAspectRatio: "none", role: "img",
    "aria-label": "Pushes a second over the last two minutes" });
  line.append(svg("line", { x1: 0, x2: 300, y1: 59, y2: 59, class: "ground" }), svg("polyline", { points, class: "curve" }));
  chart.replaceChildren(line, h("figcaption", {}, h("b", {}, `${count(Math.round(rates.at(-1) ?? 0))} pushes a second`),
    ` · at most ${count(Math.round(most))} in the last two minutes · ${count(pushes)} in all`));
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
    [each.pushType ?? "none", String(each.priority), ...columns.map((name) => count(each.counts[name]))]),
  "No push was accepted yet.");
}

function recent(pushes) {
  const counts = new Map();
  for (const push of pushes.map(row)) {
    const name = push.reason ? `${push.status} ${push.reason}` : String(push.status);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return table("Answers to the last 200 pushes", ["answer", "pushes"], [...counts].map(([name, size]) =>
    [name, count(size)]), "No push yet.");
}

function latency(list) {
  return table(`From APNs to the phone, of the last ${count(list.length)} that were delivered`,
    ["share", "at most"], list.length ? [["50%", 0.5], ["90%", 0.9], ["99%", 0.99], ["all", 1]].map(([name, share]) =>
      [name, seconds(percentile(list, share))]) : [], "No push was delivered yet.");
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
      count(each.pushes), count(each.refused),
      ages.has(each.connection) ? `${Math.max(0, Math.round(ages.get(each.connection) / 60))} min` : "unknown", each.peer]),
    "No provider is connected.");
}
