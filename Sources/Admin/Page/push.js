// One push: its story, its request, what was on the screen.
import { h, ask, say, attempt, button, section, facts, row, reacted, answerChip, reactionChip, Stream, time, short }
  from "./core.js";
import { card, templateHint } from "./draw.js";

/// A push with the card that its phone showed, also if the phone has dropped the push.
async function read(id) {
  const push = await ask("/v1/pushes/" + encodeURIComponent(id));
  if (!push.onScreen && push.tokenKind === "update" && reacted(push) === "dropped") push.unchanged = await shownBefore(push);
  return push;
}

/// The card that earlier pushes for the same activity have left on the phone; null if there are none.
async function shownBefore(push) {
  const activity = (story) => story.find((line) => line.activity)?.activity;
  const query = new URLSearchParams({ device: push.device, pushType: "liveactivity", limit: 50, cursor: push.sequence });
  const { pushes } = await ask("/v1/pushes?" + query);
  return pushes.find(({ story, onScreen }) => onScreen?.after && activity(story) === activity(push.story))?.onScreen.after ?? null;
}

export function open(root, id) {
  const body = h("div", {}, h("p.none", {}, "Loading…"));
  root.append(h("h1", {}, "Push"), body);
  let shown = null;
  const load = async () => {
    try {
      shown = await read(id);
      body.replaceChildren(...draw(shown, load));
    } catch (error) {
      body.replaceChildren(h("p.none", {}, error.message));
    }
  };
  load();
  const stream = new Stream({ types: "fate" }, {
    fate: ({ push }) => push === shown?.sequence && load(),
    many: () => shown && !shown.final && load(),
    back: load,
  });
  return () => stream.close();
}

/// Draws the push beside a list; returns how to draw it again.
export function preview(body, id) {
  return async () => {
    try {
      const push = await read(id);
      const brief = row(push);
      body.replaceChildren(...[
        h("p.lead", {}, answerChip(brief), " ", reactionChip(brief)),
        h("p.why", {}, push.why.sentence), screens(push),
        story(push), lint(push),
        section("Payload", h("pre", { tabindex: 0, "aria-label": "Payload" }, pretty(push.request)))].filter(Boolean));
    } catch (error) {
      body.replaceChildren(h("p.none", {}, error.message));
    }
  };
}

function draw(push, load) {
  const brief = row(push);
  return [
    h("p.lead", {}, answerChip(brief), " ", reactionChip(brief), " ", h("code", {}, push.apnsId)),
    h("p.why", {}, push.why.sentence),
    h("p.bar", {},
      button("Send again", () => again(push, load)), button("Copy as curl", () => copy(push)),
      button("Download .apns", () => download(push)),
      push.device ? h("a.button", { href: "#/phone/" + push.device }, "Phone " + push.device) : null),
    h("div.columns", {},
      h("div", {},
        story(push),
        screens(push),
        section("The rule", facts([
          ["rule", push.why.rule], ["evidence", push.why.evidence], ["source", push.why.source], ["fault", push.fault],
        ])),
        lint(push)),
      h("div", {},
        section("Request", facts(requestFacts(push)), h("pre", { tabindex: 0, "aria-label": "Payload" }, pretty(push.request))),
        section("Answer", facts([
          ["status", String(push.answer.status)], ...push.answer.headers.map(({ name, value }) => [name, value]),
          ["sent", push.sent.as === "answer" ? null : push.sent.as + (push.sent.why ? `: ${push.sent.why}` : "")],
          ["body", push.answer.body],
        ])))),
  ];
}

function story({ story }) {
  return section("What happened", story.length ? h("ol.story", {}, story.map(line))
    : h("p.none", {}, "APNs rejected it, so no phone has received it."));
}

function line(entry) {
  return h("li", {}, h("time", {}, time(entry.at)), h("b", {}, entry.process), h("span", {}, entry.sentence));
}

function screens(push) {
  const isUnchanged = Boolean(push.unchanged);
  const { before, after } = push.onScreen ?? { before: push.unchanged, after: push.unchanged };
  if (!before && !after) return null;
  const side = (title, shown) => h("figure", {}, h("figcaption", {}, title),
    shown ? card({ ...shown, app: push.app }) : h("p.none", {}, "no card"));
  return section("On the screen", h("div.screens", {}, side("Before", before),
    side(isUnchanged ? "After: unchanged" : "After", after)),
  push.content ? h("p.note.change", {}, isUnchanged ? "Not shown: " : "", h("b", {}, push.content)) : null,
  templateHint({ app: push.app, ...(after ?? before) }));
}

function lint(push) {
  // Most remarks of a story are also those of lint, which name the member.
  const linted = new Set((push.lint ?? []).map(({ sentence }) => sentence));
  const found = [
    ...(push.lint ?? []).map(({ weight, path, sentence }) => `${weight}: ${path ? path + ": " : ""}${sentence}`),
    ...push.story.filter(({ event, sentence }) => event === "remark" && !linted.has(sentence))
      .map(({ sentence }) => sentence),
  ];
  if (!found.length) return null;
  return section("Remarks about the payload", h("ul.lint", {}, found.map((text) => h("li", {}, text))));
}

function requestFacts({ request, environment, connection, stream, provider }) {
  const token = request.path.split("/").pop();
  return [
    ["path", h("span", { title: token }, request.path.replace(token, short(token, 16)))],
    ...request.headers.map(({ name, value }) => [name, name === "authorization"
      ? h("span", { title: value }, short(value, 24)) : value]),
    ["provider", provider ? `key ${provider.keyId} of team ${provider.teamId}` : null],
    ["received", `${environment}, connection ${connection}, stream ${stream}`],
    ["payload", `${request.bodyBytes} bytes`],
  ];
}

function pretty({ body, bodyEncoding }) {
  if (bodyEncoding !== "utf8") return "not UTF-8; in Base64:\n" + body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

async function again(push, load) {
  const sent = await ask(`/v1/pushes/${encodeURIComponent(push.apnsId)}/again`, "POST");
  say(`Sent again: ${sent.answer.status}${sent.reason ? " " + sent.reason : ""}.`);
  if (sent.apnsId === push.apnsId) load();
  else location.hash = "#/push/" + sent.apnsId;
}

const quote = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

async function copy(push) {
  const server = await ask("/v1/ready");
  const port = server.listeners[push.environment].split(":").pop();
  const headers = push.request.headers.filter(({ name }) => name !== "authorization" && !name.startsWith(":")
    && !["content-length", "user-agent", "host"].includes(name));
  const words = ["curl", "--http2", "--cacert", quote(server.ca), "-H", quote("authorization: bearer YOUR_TOKEN")];
  for (const { name, value } of headers) words.push("-H", quote(`${name}: ${value}`));
  words.push("-d", quote(push.request.body), quote(`https://localhost:${port}${push.request.path}`));
  await navigator.clipboard.writeText(words.join(" "));
  say("Copied. Replace YOUR_TOKEN with your provider token.");
}

function download(push) {
  const payload = JSON.parse(push.request.body);
  if (push.app) payload["Simulator Target Bundle"] = push.app;
  const link = h("a", {
    href: URL.createObjectURL(new Blob([JSON.stringify(payload, null, 2) + "\n"], { type: "application/json" })),
    download: push.apnsId + ".apns",
  });
  link.click();
  URL.revokeObjectURL(link.href);
}
