// Drawn phones: plain shapes and system fonts. A length of `--pt` is a point of the drawn screen, whatever its size.
import { h, svg, time, short, hue } from "./core.js";

const dyes = ["#3b5bdb", "#0b7285", "#2b8a3e", "#9c36b5", "#c2255c", "#c4430b", "#5f3dc4", "#495057"];

/// `com.example.app` as people call it: Example.
export function appName(id) {
  const parts = String(id ?? "").split(".").filter(Boolean);
  const last = /^(app|ios|iphone|mobile|main)$/i.test(parts.at(-1) ?? "") && parts.length > 1 ? parts.at(-2) : parts.at(-1);
  return last ? last[0].toUpperCase() + last.slice(1) : "App";
}

/// Black or white, whichever can be read on a color such as #0a7d3b.
function ink(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => (parseInt(color.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#000" : "#fff";
}

const isColor = (text) => /^#[0-9a-f]{6}$/i.test(text ?? "");

/// The color of an app: that of its profile, or else one that stays the same for its name.
const dye = (app, tint) => (isColor(tint) ? tint : dyes[hue(String(app)) % dyes.length]);

/// The icon of an app: its first letter on its color.
export function icon(app, tint) {
  const color = dye(app, tint);
  return h("span.icon", { title: app, "aria-hidden": "true", vars: { "--tint": color, "--ink-on-tint": ink(color) } },
    [...appName(app)][0]);
}

/// The tint of an app, as a screen lists them.
export const tintOf = (screen, app) => screen?.tints?.find((each) => each.app === app)?.tint;

/// A share from 0 to 1 as a bar; drawn as SVG, because a style attribute is not allowed here.
function bar(share) {
  return svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "progress", role: "img",
    "aria-label": `${Math.round(share * 100)} percent` },
  svg("rect", { width: 100, height: 4, rx: 2, class: "rest" }),
  svg("rect", { width: 100 * share, height: 4, rx: 2, class: "done" }));
}

/// Number of values in an object, also in those within it: its rows on a card without a template.
function values(object) {
  if (object === null || typeof object !== "object" || Array.isArray(object)) return 0;
  return Object.values(object).reduce((sum, value) =>
    sum + (value !== null && typeof value === "object" && !Array.isArray(value) ? values(value) : 1), 0);
}

/// Without a template: first the content state, then under a rule the attributes.
function pairs({ rows, cut }, contentState) {
  const split = values(contentState);
  const list = (part, name) => part.length ? h("dl." + name, {}, part.map(({ key, value }) =>
    [h("dt", {}, key), h("dd", {}, value)])) : null;
  return [list(rows.slice(0, split), "pairs"), list(rows.slice(split), "pairs.fixed"),
    cut ? h("p.cut", {}, `✂ ${cut} more ${cut === 1 ? "row does" : "rows do"} not fit: a card ends at 160 points`) : null];
}

/// One Live Activity on the Lock Screen.
export function card({ app, state, drawn, contentState, notDrawnYet, question }, tint) {
  const shown = drawn ?? { title: "", rows: [], cut: 0 };
  const color = dye(app, shown.tint ?? tint);
  return h("article.card", { class: "card " + state, vars: { "--tint": color } },
    h("p.source", {}, icon(app, color), h("span", {}, appName(app)), state === "active" ? null : h("em", {}, state)),
    h("p.title", {}, shown.title),
    shown.big ? h("p.big", {}, shown.big) : null,
    shown.line ? h("p.line", {}, shown.line) : null,
    typeof shown.progress === "number" ? bar(shown.progress) : null,
    shown.rows.length ? pairs(shown, contentState) : null,
    shown.buttons?.length ? h("p.buttons", {}, shown.buttons.map(({ title }) => h("span", {}, title))) : null,
    notDrawnYet ? h("p.cut", {}, `newer content is drawn at ${time(notDrawnYet.drawnAt) || "an unknown time"}`) : null,
    question ? h("p.question", {}, question) : null);
}

/// `now`, `2 min ago`: how long before the time of the screen.
export function ago(at, now) {
  const seconds = Math.max(0, (Date.parse(now) - Date.parse(at)) / 1000);
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return seconds < 86400 ? `${Math.floor(seconds / 3600)} h ago` : `${Math.floor(seconds / 86400)} d ago`;
}

function notification(item, screen) {
  return h("article.notification", {}, icon(item.app, tintOf(screen, item.app)),
    h("div", {},
      h("p.title", {}, h("span", {}, item.title || appName(item.app)), h("time", {}, ago(item.at, screen.at))),
      item.subtitle ? h("p.sub", {}, item.subtitle) : null, h("p", {}, item.body)));
}

/// Signs of a status bar: the network, Focus, the battery.
function glyphs(device) {
  const sign = (label, box, ...shapes) => svg("svg", { viewBox: box, role: "img", "aria-label": label },
    svg("title", {}, label), ...shapes);
  const bars = [0, 1, 2, 3].map((at) => svg("rect", { x: 5 * at, y: 9 - 3 * at, width: 3.4, height: 3 + 3 * at, rx: 1,
    class: device.online ? "full" : "empty" }));
  const charge = device.batteryLow ? 4 : 18;
  const power = device.lowPower ? "low" : device.batteryLow ? "flat" : "full";
  const battery = ["Battery", device.batteryLow ? "low" : "", device.lowPower ? "in Low Power Mode" : "",
    device.charging ? "charging" : ""].filter(Boolean).join(", ");
  return h("span.glyphs", {},
    device.focus ? sign("Focus", "0 0 12 12", svg("path", { d: "M8 1a5.2 5.2 0 1 0 3.2 7A4.6 4.6 0 0 1 8 1z", class: "full" })) : null,
    sign(device.online ? "Online" : "Offline", "0 0 19 12", ...bars,
      ...(device.online ? [] : [svg("path", { d: "M1 1L18 12", class: "slash" })])),
    sign(battery, "0 0 27 12", svg("rect", { x: 0.6, y: 0.6, width: 22.8, height: 10.8, rx: 3, class: "line" }),
      svg("rect", { x: 2.2, y: 2.2, width: charge, height: 7.6, rx: 1.6, class: power }),
      svg("rect", { x: 24.6, y: 4, width: 1.8, height: 4, rx: 0.9, class: "full" }),
      ...(device.charging ? [svg("path", { d: "M13 1L8.4 7H12l-1 4.4L15.8 5.4H12z", class: "bolt" })] : [])));
}

/// The Dynamic Island.
function island(screen) {
  const { presentation, activities, visible } = screen.dynamicIsland;
  if (presentation === "absent") return h("div.notch", { "aria-hidden": "true" });
  const cards = visible ? activities.map((id) => screen.lockScreen.find(({ activity }) => activity === id)).filter(Boolean)
    : [];
  const [first, ...rest] = cards;
  if (!first) return h("div.islands", {}, h("div.island.empty", { "aria-label": "Dynamic Island, empty", role: "img" }));
  const small = (shown) => h("div.island.minimal", {}, short(shown.drawn.minimal, 5));
  if (presentation === "expanded") {
    return h("div.islands", {}, h("div.island.expanded", {}, h("p.source", {}, icon(first.app, first.drawn.tint),
      h("b", {}, first.drawn.title)), h("span.big", {}, first.drawn.big ?? ""),
    h("span", {}, first.drawn.line ?? first.drawn.compact.trailing)));
  }
  if (presentation === "minimal") return h("div.islands", {}, cards.map(small));
  return h("div.islands", {}, h("div.island.compact", {}, h("span", {}, short(first.drawn.compact.leading, 9)), h("i"),
    h("span", {}, short(first.drawn.compact.trailing, 9))), rest.map(small));
}

/// The alert of a Live Activity, while it is shown.
const alert = (screen) => screen.alert && h("p.alert", {}, h("b", {}, screen.alert.title ?? ""), " ", screen.alert.body ?? "");

/// Number of notifications that are drawn; no screen has room for more.
const most = 8;

/// The clock of a locked phone, its cards and its notifications.
function locked(screen) {
  const at = new Date(screen.at);
  const write = (form) => at.toLocaleString("en-GB", { timeZone: "UTC", ...form });
  const question = (shown) => screen.prompt?.activity === shown.activity ? screen.prompt.question : null;
  const items = [
    ...screen.lockScreen.map((shown) => card({ ...shown, question: question(shown) }, tintOf(screen, shown.app))),
    ...screen.notifications.slice(0, most).map((item) => notification(item, screen))];
  const stack = h("div.stack", {}, items);
  const more = h("p.more", { hidden: true });
  // What does not fit is counted once the phone has its size.
  const fit = () => {
    const room = stack.clientHeight;
    if (!room) return;
    const cut = [...stack.children].filter((each) => each.offsetTop + each.offsetHeight > room + 1).length;
    const left = cut + Math.max(0, screen.notifications.length - most);
    stack.classList.toggle("cut", left > 0);
    more.hidden = !left;
    more.textContent = `+${left} more`;
  };
  new ResizeObserver(fit).observe(stack);
  return [
    h("p.date", {}, write({ weekday: "long", day: "numeric", month: "long" })),
    h("p.clock", {}, write({ hour: "2-digit", minute: "2-digit" })),
    alert(screen), stack, more, items.length ? null : h("p.none", {}, "No notifications")];
}

/// The home screen of an unlocked phone: the apps with their badges, and a banner if there is one.
function unlocked(device, screen) {
  const installed = device.apps.filter((app) => app.installed);
  const front = installed.find((app) => app.state === "foreground");
  const badge = (app) => screen.badges.find((each) => each.app === app)?.badge;
  return [
    ...screen.notifications.filter(({ banner }) => banner).slice(0, 1).map((item) => notification(item, screen)),
    h("p.says", {}, front ? `Unlocked, ${appName(front.bundleId)} is open` : "Unlocked, home screen"),
    h("ul.apps", { "aria-label": "Apps" }, installed.slice(0, 12).map(({ bundleId }) => h("li", {},
      icon(bundleId, tintOf(screen, bundleId)),
      badge(bundleId) ? h("span.badge", { "aria-label": `${badge(bundleId)} on the badge` }, String(badge(bundleId))) : null,
      h("span.label", {}, appName(bundleId)))))];
}

/// A whole phone. Nothing in it can be clicked.
export function phone(device, screen) {
  return h("div.phone", { class: "phone" + (device.online ? "" : " offline") + (screen.lit ? "" : " dim") },
    h("div.glass", { class: "glass " + (screen.locked ? "locked" : "unlocked") },
      h("div.status", {}, glyphs(device)), island(screen),
      screen.locked ? null : alert(screen),
      screen.locked ? locked(screen) : unlocked(device, screen),
      h("i.home")));
}

const places = { standBy: "StandBy", watch: "Watch, Smart Stack", carPlay: "CarPlay", mac: "Mac, menu bar" };

/// An activity as a place beside the phone shows it, from the same template as its card.
function shownAs(presentation, shown) {
  const { title, big, line, compact, minimal, tint } = shown.drawn;
  const vars = { "--tint": dye(shown.app, tint) };
  if (presentation === "lockScreen") return card(shown);
  if (presentation === "minimal") return h("div.island.minimal", { vars }, short(minimal, 5));
  if (presentation === "compact") {
    return h("div.island.compact", { vars }, h("span", {}, compact.leading), h("span", {}, compact.trailing));
  }
  return h("div.small", { vars }, h("p.title", {}, title), big ? h("p.big", {}, big) : null,
    big ? null : h("p", {}, line ?? compact.trailing));
}

/// What StandBy, the Watch, CarPlay and the Mac show of the same activities.
export function surfaces(screen) {
  return screen.surfaces.map(({ surface, presentation, activities }) => {
    const found = activities.map((id) => screen.lockScreen.find(({ activity }) => activity === id)).filter(Boolean);
    return h("figure.surface", { class: "surface " + surface },
      h("figcaption", {}, places[surface] ?? surface),
      h("div.around", {}, found.map((shown) => shownAs(presentation, shown))));
  });
}

/// Keys that a template can name without quotes.
const plain = (object) => Object.entries(object ?? {}).filter(([key, value]) => /^\w+$/.test(key) && typeof value !== "object")
  .map(([key]) => key);

/// How to give a card that is drawn as keys and values a form of its own, with the keys that it has.
export function templateHint({ app, attributesType, drawn, contentState, attributes }) {
  if (!drawn?.rows.length) return null;
  const state = plain(contentState).map((key) => `{state.${key}}`);
  const fixed = plain(attributes).map((key) => `{attributes.${key}}`);
  const quote = (text) => JSON.stringify(text ?? "");
  const type = attributesType ?? drawn.title;
  return h("details.hint", {}, h("summary", {}, `Draw ${type} as your app does`),
    h("p", {}, "No profile has a ", h("code", {}, "card"), " for it, so its keys and values are listed: first the content state, "
      + "then the attributes. Give your profile a template (docs/profiles.md, “Cards”):"),
    h("pre", { tabindex: 0, "aria-label": "A template" }, [
      "fleet:", "  apps:", `    - bundleId: ${app}`, "      attributesTypes:", `        - name: ${/^\w+$/.test(type) ? type : quote(type)}`, "          card:",
      '            tint: "#0a7d3b"', "            lockScreen:", `              title: ${quote(fixed.slice(0, 2).join(" – ") || type)}`,
      `              big: ${quote(state[0])}`,
      ...(state[1] ? [`              line: ${quote(state[1])}`] : []),
      `            compact: {leading: ${quote(state[0])}, trailing: ${quote(state[1] ?? state[0])}}`,
      `            minimal: ${quote(state[0])}`].join("\n")));
}
