// The phones: a grid of them, and one of them large.
import { h, ask, attempt, button, section, facts, refill, say, Stream, paced, every, time, Refused } from "./core.js";
import { phone as draw, surfaces, templateHint, icon, tintOf, appName, ago } from "./draw.js";

const perPage = 12;
/// Milliseconds after which the card of a start by push has appeared (timing.appearance), with a margin.
const appeared = 600;

export const grid = {
  open(root, _, query) {
    const places = new Map();
    const list = h("ul.phones", { "aria-label": "Phones" });
    const note = h("p.note", { role: "status" });
    const field = h("input", { type: "search", value: query.get("device") ?? "", placeholder: "d17", spellcheck: "false",
      "aria-label": "Go to a phone by its id" });
    const choose = (name, label, values, words = {}) => h("label", {}, label + " ", h("select", {
      onchange: (event) => {
        if (event.target.value) query.set(name, event.target.value);
        else query.delete(name);
        query.delete("cursor");
        location.hash = "#/phones?" + query;
      } }, values.map((value) => h("option", { value, selected: value === (query.get(name) ?? "") },
      words[value] ?? (value || "any")))));
    const pager = h("p.bar");
    root.append(h("h1", {}, "Phones"),
      h("form.bar", { onsubmit: (event) => {
        event.preventDefault();
        if (field.value.trim()) location.hash = "#/phone/" + encodeURIComponent(field.value.trim());
      } }, field, h("button", { type: "submit" }, "Open"),
      choose("online", "State", ["", "true", "false"], { true: "online", false: "offline" }),
      choose("os", "iOS", ["", "16", "17", "18", "26", "27"])),
      note, list, pager);

    const show = async (device) => {
      const place = places.get(device.id);
      const screen = await ask(`/v1/devices/${device.id}/screen`);
      place?.replaceChildren(h("a", { href: "#/phone/" + device.id, "aria-label": label(device, screen) },
        draw(device, screen), h("span.under", {}, h("b", {}, device.id), ` iOS ${device.os}`)));
    };
    const load = async () => {
      const asked = new URLSearchParams(query);
      asked.delete("device");
      asked.set("limit", String(perPage));
      const { devices, next } = await ask("/v1/devices?" + asked);
      places.clear();
      list.replaceChildren(...devices.map((device) => {
        const place = h("li");
        places.set(device.id, place);
        return place;
      }));
      await Promise.all(devices.map(show));
      note.textContent = devices.length ? "" : "No phone matches.";
      pager.replaceChildren(...(query.get("cursor") ? [button("Back", () => history.back())] : []),
        ...(next ? [button("Next", () => {
          query.set("cursor", next);
          location.hash = "#/phones?" + query;
        })] : []));
    };
    const changed = new Set();
    const refresh = paced(() => {
      const names = [...changed];
      changed.clear();
      for (const name of names) {
        attempt(async () => places.has(name) && show(await ask("/v1/devices/" + name)));
      }
    }, 300);
    const touch = ({ device }) => {
      if (!places.has(device)) return;
      changed.add(device);
      refresh();
    };
    const pushed = (event) => {
      touch(event);
      if (places.has(event.device)) setTimeout(touch, appeared, event);
    };
    attempt(load);
    const stream = new Stream({ types: "push,fate,phone,broadcast" }, {
      push: pushed, fate: touch, phone: touch, broadcast: touch, back: () => attempt(load),
      many: () => {
        for (const name of places.keys()) changed.add(name);
        refresh();
      },
    });
    // Clocks go on while nothing happens, and alerts end.
    const stop = every(20_000, () => {
      for (const name of places.keys()) changed.add(name);
      refresh();
    });
    return () => {
      stop();
      stream.close();
    };
  },
};

function label(device, screen) {
  const cards = screen.lockScreen.length;
  const notes = screen.notifications.length;
  return `Phone ${device.id}, iOS ${device.os}, ${device.online ? "online" : "offline"}, `
    + `${cards} Live ${cards === 1 ? "Activity" : "Activities"}, ${notes} notification${notes === 1 ? "" : "s"}`;
}

export const phone = {
  open(root, id) {
    const place = h("div.drawn");
    const about = h("div.columns");
    const seen = h("ul.seen");
    const hints = h("div");
    const orders = h("div.bar", { role: "group", "aria-label": "Actions" });
    const log = h("ol.story");
    let process = "";
    const choice = h("label", {}, "Process ", h("select", { onchange: (event) => {
      process = event.target.value;
      attempt(loadLog);
    } }, ["", "apsd", "liveactivitiesd", "chronod", "SpringBoard", "app"].map((name) =>
      h("option", { value: name }, name || "all"))));
    root.append(h("h1", {}, "Phone " + id), sizes(place),
      h("div.columns.with-phone", {}, place, h("div", {}, section("On the screen", seen, hints), section("Actions", orders),
        about, section("Log", h("p.bar", {}, choice), log))));

    const act = async (order) => {
      await ask(`/v1/devices/${encodeURIComponent(id)}/actions`, "POST", order);
      await load();
    };
    const loadLog = async () => {
      const query = new URLSearchParams({ limit: "50", ...(process ? { process } : {}) });
      const { lines } = await ask(`/v1/devices/${encodeURIComponent(id)}/log?${query}`);
      log.replaceChildren(...lines.map((line) => h("li", {}, h("time", {}, time(line.at)), h("b", {}, line.process),
        h("span", {}, line.sentence))));
      if (!lines.length) log.replaceChildren(h("li.none", {}, "Nothing yet."));
    };
    const load = async () => {
      const path = "/v1/devices/" + encodeURIComponent(id);
      const [device, screen] = await Promise.all([ask(path), ask(path + "/screen")]);
      place.replaceChildren(draw(device, screen), ...surfaces(screen));
      const showsOlder = Boolean(seen.querySelector("details[open]"));
      refill(seen, onScreen(screen, act));
      if (showsOlder) seen.querySelector("details")?.setAttribute("open", "");
      const isOpen = Boolean(hints.querySelector("[open]"));
      hints.replaceChildren(...[screen.lockScreen.map(templateHint).find(Boolean)].filter(Boolean));
      if (isOpen) hints.firstChild?.setAttribute("open", "");
      fill(orders, device, act);
      about.replaceChildren(section("State", facts(state(device))), ...device.apps.map((app) => appOf(app, act)));
      await loadLog();
    };
    const first = async () => {
      try {
        await load();
      } catch (error) {
        place.replaceChildren(h("p.none", {}, error instanceof Refused ? error.message : "The server did not answer."));
      }
    };
    const refresh = paced(() => attempt(load), 200);
    const pushed = () => {
      refresh();
      setTimeout(refresh, appeared);
    };
    first();
    const stream = new Stream({ device: id }, {
      push: pushed, fate: refresh, phone: refresh, broadcast: refresh, call: refresh, many: refresh, back: refresh,
    });
    stream.source.addEventListener("error", () => {
      if (stream.source.readyState === EventSource.CLOSED && place.querySelector(":scope > .none")) stream.close();
    });
    const stop = every(5000, () => place.querySelector(".phone") && refresh());
    return () => {
      stop();
      stream.close();
    };
  },
};

/// What the screen shows as a list, each with what a person can do with it.
function onScreen(screen, act) {
  const line = (app, title, sub, ...buttons) => h("li", {}, icon(app, tintOf(screen, app)),
    h("div", {}, h("b", {}, title), h("p", {}, sub)), h("p.bar", {}, buttons));
  const island = screen.dynamicIsland;
  const cards = screen.lockScreen.map((card) => {
    const { app, activity, attributesType, state, drawn } = card;
    const order = (text, name) => button(text, () => act({ do: name, app, activity }),
      { "data-name": `${name} ${activity}`, "aria-label": `${text}: ${drawn.title || attributesType}` });
    const asks = screen.prompt?.activity === activity;
    const sub = `Live Activity of ${appName(app)}, ${state}`;
    const press = (drawn.buttons ?? []).map(({ name, title }) =>
      button(title, () => act({ do: "pressButton", app, activity, button: name }),
        { "data-name": `button ${name} ${activity}`, "aria-label": `${title}: ${drawn.title || attributesType}` }));
    const longPress = island.visible && island.presentation !== "expanded" && island.activities.includes(activity);
    return line(app, drawn.title || attributesType, asks ? screen.prompt.question : sub,
      ...(asks || state === "prompting" ? [order("Allow", "allow"), order("Don’t Allow", "deny")]
        : [order("Tap", "tap"), order("Swipe away", "swipe")]), longPress ? order("Long press", "longPress") : null, press);
  });
  const notifications = screen.notifications.slice(0, 20).map(({ app, title, body, at, number, banner, buttons, reply }) => {
    const name = title || appName(app);
    const order = (text, key, action) => button(text, () => act({ ...action, app, notification: number }),
      { "data-name": `${key} ${number}`, "aria-label": `${text}: ${name}` });
    return line(app, name, `${body} · ${banner ? "banner, " : ""}${ago(at, screen.at)}`,
      order("Tap", "notification", { do: "tapNotification" }),
      ...buttons.map((each) => order(each.title, "button " + each.name, { do: "pressButton", button: each.name })),
      reply === null ? null : button(reply, () => answer(`${reply}: ${name}`, (text) =>
        act({ do: "answerNotification", app, notification: number, text })),
      { "data-name": `reply ${number}`, "aria-label": `${reply}: ${name}` }));
  });
  const left = screen.notifications.length - notifications.length;
  const older = notifications.splice(5);
  if (left > 0) older.push(h("li.none", {}, `and ${left} older notifications`));
  const all = [...cards, ...notifications];
  if (older.length) all.push(h("li", {}, h("details.older", {}, h("summary", {}, `${older.length} older`), h("ul.seen", {}, older))));
  return all.length ? all : h("li.none", {}, "Nothing. Send it something: the push appears here by itself.");
}

/// Asks for a text, in a dialog so that a refresh of the page does not take it away.
function answer(title, send) {
  const field = h("input", { type: "text", "aria-label": title });
  const dialog = h("dialog.reply", { "aria-label": title, onclose: () => dialog.remove() },
    h("form.bar", { method: "dialog", onsubmit: () => attempt(() => send(field.value)) },
      h("label", {}, title + " ", field), h("button", { type: "submit" }, "Send"),
      button("Cancel", () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
}

/// The screens whose measures Apple's Human Interface Guidelines have, in points. Phones of the fleet have no model.
const screens = ["393 × 852", "430 × 932"];

function sizes(place) {
  const chosen = localStorage.getItem("screen") === screens[1] ? screens[1] : screens[0];
  const show = (size) => place.classList.toggle("large", size === screens[1]);
  show(chosen);
  return h("label.size", {}, "Screen ", h("select", { onchange: (event) => {
    localStorage.setItem("screen", event.target.value);
    show(event.target.value);
  } }, screens.map((size) => h("option", { value: size, selected: size === chosen }, size))));
}

function fill(bar, device, act) {
  const app = device.apps.find(({ installed }) => installed)?.bundleId;
  const flip = (is, off, on, orders) => button(is ? off : on, () => act({ do: is ? orders[0] : orders[1] }));
  const focus = document.activeElement?.closest?.("[role=group]") === bar ? [...bar.children].indexOf(document.activeElement) : -1;
  bar.replaceChildren(
    button("Open app", () => act({ do: "open", app })), button("Leave app", () => act({ do: "leave", app })),
    button("Force quit", () => act({ do: "forceQuit", app })),
    flip(device.locked, "Unlock", "Lock", ["unlock", "lock"]),
    flip(device.online, "Go offline", "Go online", ["goOffline", "goOnline"]),
    flip(device.screenOn, "Darken screen", "Light screen", ["darkenScreen", "lightScreen"]),
    button("Reboot", () => act({ do: "reboot" })),
    button(device.lowPower ? "Low power off" : "Low power on", () =>
      act({ do: "switch", what: "lowPower", on: !device.lowPower })),
    button("Clear notifications", () => act({ do: "clearNotifications", app })),
    button("Delete app", async () => {
      await act({ do: "uninstall", app });
      say(`${app} is deleted from ${device.id}. Its tokens are answered 410 later.`);
    }));
  if (focus >= 0) bar.children[focus]?.focus();
}

function state(device) {
  const on = (names) => names.filter(([, is]) => is).map(([name]) => name).join(", ");
  return [
    ["iOS", device.os], ["network", device.online ? "online" : "offline"],
    ["power", on([["charging", device.charging], ["low power mode", device.lowPower], ["battery low", device.batteryLow],
      ["hot", device.thermalPressure]]) || "normal"],
    ["screen", on([["locked", device.locked], ["on", device.screenOn], ["Focus", device.focus], ["StandBy", device.standBy]])
      || "off, unlocked"],
    ["around it", on([["Watch", device.watch], ["CarPlay", device.carPlay], ["Mac", device.mac]])],
    ["stored at APNs", device.storedPushes ? String(device.storedPushes) : ""],
  ];
}

function appOf(app, act) {
  const running = app.activities.filter(({ state }) => state !== "dismissed");
  return section(app.bundleId, facts([
    ["state", app.state], ["environment", app.environment], ["notifications", app.notifications],
    ["starts by push left", String(app.startsLeft)], ["update budget", app.updateBudget],
    ...running.map((activity) => [activity.attributesType,
      `${activity.state}, started by ${activity.startedBy}${activity.updatesLeft === null ? "" : `, ${activity.updatesLeft} updates left`}`]),
  ]), h("p.bar", {}, button(app.notifications === "authorized" ? "Refuse notifications" : "Allow notifications", () =>
    act({ do: "permit", app: app.bundleId, notifications: app.notifications === "authorized" ? "denied" : "authorized" }))));
}
