// The frame of the page: which view is open, the keyboard.
import { h, say } from "./core.js";
import * as inbox from "./inbox.js";
import * as push from "./push.js";
import { grid, phone } from "./phones.js";
import * as control from "./control.js";
import { fleet, numbers } from "./overview.js";

const views = [
  { path: "", name: "Inbox", view: inbox },
  { path: "push", view: push },
  { path: "phones", name: "Phones", view: grid },
  { path: "phone", view: phone },
  { path: "fleet", name: "Fleet", view: fleet },
  { path: "faults", name: "Faults and clock", view: control },
  { path: "numbers", name: "Numbers", view: numbers },
];

const root = document.getElementById("view");
let current = null;
let close = null;

document.getElementById("views").append(
  ...views.filter(({ name }) => name).map(({ path, name }) => h("a", { href: "#/" + path, "data-path": path }, name)),
);

/// `#/push/ID?query`: the view, its subject, its query.
function place() {
  const text = location.hash.replace(/^#\/?/, "");
  const [path, query = ""] = text.split("?", 2);
  const [name, ...rest] = path.split("/");
  return { name, subject: decodeURIComponent(rest.join("/")), query: new URLSearchParams(query) };
}

function go() {
  const { name, subject, query } = place();
  const found = views.find(({ path }) => path === name) ?? views[0];
  close?.();
  root.replaceChildren();
  root.className = "view-" + (found.path || "inbox");
  current = found.view;
  close = current.open(root, subject, query) ?? null;
  const tab = { push: "", phone: "phones" }[found.path] ?? found.path;
  for (const link of document.querySelectorAll("#views a")) {
    if (link.dataset.path === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = (subject ? subject + " · " : "") + (found.name ?? "Pushpit") + " · Pushpit";
  scrollTo(0, 0);
}

/// `/` goes to the filter, `j` and `k` through the rows, Escape closes a panel or goes back.
addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, select, textarea");
  if (event.key === "Escape") {
    if (isTyping) event.target.blur();
    else if (current.escape?.()) return;
    else if (location.hash.length > 2) history.length > 1 ? history.back() : (location.hash = "#/");
    return;
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    const field = document.querySelector("main input[type=search]");
    if (!field) return;
    event.preventDefault();
    field.focus();
  } else if (event.key === "j" || event.key === "k") {
    const links = [...document.querySelectorAll("main .rows a, main .phones a")];
    const held = links.indexOf(document.activeElement);
    const at = held >= 0 ? held : links.findIndex((link) => link.hasAttribute("aria-current"));
    const next = links[event.key === "j" ? Math.min(at + 1, links.length - 1) : Math.max(at - 1, 0)];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  } else if (event.key === "?") {
    say("/ goes to the filter, j and k move through the rows and preview them, Enter opens one, Escape goes back.");
  }
});

// A fragment of the address is a view, so the link to the view moves the focus itself.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  root.focus();
});

addEventListener("hashchange", go);
go();
