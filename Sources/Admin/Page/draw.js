// Drawn phones: plain shapes and system fonts.
import { h, svg, button, time, short } from "./core.js";

/// A share from 0 to 1 as a bar; drawn as SVG, because a style attribute is not allowed here.
function bar(share) {
  const view = svg("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "progress", role: "img",
    "aria-label": `${Math.round(share * 100)} percent` });
  view.append(
    svg("rect", { width: 100, height: 4, rx: 2, class: "rest" }),
    svg("rect", { width: 100 * share, height: 4, rx: 2, class: "done" }));
  return view;
}

/// One Live Activity on the Lock Screen. `buttons` are put below it.
export function card({ app, state, drawn, notDrawnYet }, ...buttons) {
  const shown = drawn ?? { title: "", rows: [], cut: 0 };
  return h("article.card", { class: "card " + state, vars: shown.tint ? { "--tint": shown.tint } : {} },
    h("p.source", {}, h("span", {}, app ?? ""), state === "active" ? null : h("em", {}, state)),
    h("p.title", {}, shown.title),
    shown.big ? h("p.big", {}, shown.big) : null,
    shown.line ? h("p.line", {}, shown.line) : null,
    typeof shown.progress === "number" ? bar(shown.progress) : null,
    shown.rows.length ? h("dl.rows-of-card", {}, shown.rows.map(({ key, value }) =>
      [h("dt", {}, key), h("dd", {}, value)])) : null,
    shown.cut ? h("p.cut", {}, `… ${shown.cut} more, cut at 160 points`) : null,
    notDrawnYet ? h("p.cut", {}, `newer content is drawn at ${time(notDrawnYet.drawnAt) || "an unknown time"}`) : null,
    buttons.length ? h("p.bar", {}, buttons) : null);
}

function notification(item, actions) {
  return h("article.notification", { class: "notification" + (item.banner ? " banner" : "") },
    h("p.source", {}, h("span", {}, item.app), h("time", {}, time(item.at).slice(0, 5))),
    item.title ? h("p.title", {}, item.title) : null, item.subtitle ? h("p", {}, item.subtitle) : null,
    h("p", {}, item.body),
    actions ? h("p.bar", {}, button("Tap", () => actions.act({ do: "tapNotification", app: item.app,
      notification: item.number }))) : null);
}

/// The Dynamic Island.
function island(screen, actions) {
  const { presentation, activities, visible } = screen.dynamicIsland;
  if (presentation === "absent") return null;
  const find = (id) => screen.lockScreen.find(({ activity }) => activity === id);
  if (!visible) return h("div.island.empty", { "aria-label": "Dynamic Island, empty", role: "img" });
  const cards = activities.map(find).filter(Boolean);
  const first = cards[0];
  if (!first) return h("div.island.empty", { "aria-label": "Dynamic Island, empty", role: "img" });
  const press = (card) => actions && button("Long press", () => actions.act({ do: "longPress", app: card.app,
    activity: card.activity }), { class: "on-island" });
  if (presentation === "expanded") {
    return h("div.island.expanded", {}, h("b", {}, first.drawn.title), h("span.big", {}, first.drawn.big ?? ""),
      h("span", {}, first.drawn.line ?? first.drawn.compact.trailing));
  }
  if (presentation === "minimal") {
    return h("div.islands", {}, cards.map((card) => h("div.island.minimal", {}, short(card.drawn.minimal, 5))));
  }
  const compact = h("div.island.compact", {}, h("span", {}, short(first.drawn.compact.leading, 9)), h("i"),
    h("span", {}, short(first.drawn.compact.trailing, 9)));
  const others = cards.slice(1).map((card) => h("div.island.minimal", {}, short(card.drawn.minimal, 5)));
  return h("div.islands", {}, compact, others, press(first));
}

/// A whole phone. `actions.act` carries out an order; without it nothing can be clicked.
export function phone(device, screen, actions) {
  const asks = screen.lockScreen.filter(({ state }) => state === "prompting");
  const cards = screen.lockScreen.map((shown) => {
    const order = (name) => () => actions.act({ do: name, app: shown.app, activity: shown.activity });
    const buttons = !actions ? [] : shown.state === "prompting" || screen.prompt?.activity === shown.activity
      ? [h("span.question", {}, screen.prompt?.question ?? ""), button("Allow", order("allow")),
        button("Don’t Allow", order("deny"))]
      : [button("Tap", order("tap")), button("Swipe away", order("swipe"))];
    return card(shown, ...buttons);
  });
  const isEmpty = !cards.length && !screen.notifications.length;
  return h("div.phone", { class: "phone" + (device.online ? "" : " offline") + (screen.lit ? " lit" : "") },
    island(screen, actions),
    screen.alert ? h("p.alert", {}, h("b", {}, screen.alert.title ?? ""), " ", screen.alert.body ?? "") : null,
    h("p.clock", {}, screen.locked ? "locked" : "unlocked", device.online ? "" : " · offline",
      asks.length ? " · asks" : ""),
    h("div.stack", {}, cards, screen.notifications.slice(0, actions ? 20 : 3).map((item) => notification(item, actions)),
      isEmpty ? h("p.none", {}, "nothing on the screen") : null),
    screen.badges.length
      ? h("p.badges", {}, screen.badges.map(({ app, badge }) => h("span.badge", { title: app }, String(badge)))) : null);
}

const places = { standBy: "StandBy", watch: "Watch, Smart Stack", carPlay: "CarPlay", mac: "Mac, menu bar" };

/// An activity as a place beside the phone shows it, from the same template as its card.
function shownAs(presentation, shown) {
  const { title, big, line, compact, minimal, tint } = shown.drawn;
  const vars = tint ? { "--tint": tint } : {};
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
