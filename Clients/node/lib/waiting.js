// Waiting for something a backend does in its own time. Nothing waits for ever. Times are milliseconds.

import { isDeepStrictEqual } from "node:util";

import { ExpectationError, WaitTimeoutError } from "./errors.js";

export const DEFAULT_WITHIN = 10_000;

/** Calls `look` until it returns something true, and returns that. */
export async function waitFor(look, { within = DEFAULT_WITHIN, what = "What was expected" } = {}) {
  const until = performance.now() + within;
  // The admin API has no stream of events to wait on.
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 250)) {
    // Before the look, which may take longer than the time that is left: what it has seen may be old by then.
    const left = until - performance.now();
    const seen = await look();
    if (seen) return seen;
    if (left <= 0) {
      const last = JSON.stringify(seen) ?? "undefined";
      throw new WaitTimeoutError(`${what} did not come within ${within / 1000} s; at last it was ${last}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, left)));
  }
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** The differences of `found` from `wanted`. Objects may have additional members; lists and values must be equal. */
export function differences(wanted, found, place = "") {
  if (isObject(wanted) && isObject(found)) {
    return Object.entries(wanted).flatMap(([key, value]) => {
      const inner = place ? `${place}.${key}` : key;
      return key in found ? differences(value, found[key], inner) : [`${inner} is missing`];
    });
  }
  if (isDeepStrictEqual(wanted, found)) return [];
  return [`${place || "it"} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`];
}

const SHAPE = ["cards", "card", "notifications", "notification", "badge"];

/** The differences between a screen and what is wanted, in the words of `show` in scenario files. */
export function screenDifferences(shape, screen) {
  const unknown = Object.keys(shape).find((word) => !SHAPE.includes(word));
  if (unknown !== undefined || Object.keys(shape).length === 0) {
    const named = unknown === undefined ? "none was given" : `'${unknown}' is none of them`;
    throw new ExpectationError(`A screen is described by ${SHAPE.join(", ")}; ${named}.`);
  }
  const rows = {
    card: screen.cards,
    notification: screen.notifications,
  };
  const found = [];
  for (const word of ["card", "notification"]) {
    const many = shape[`${word}s`];
    if (many !== undefined && many !== rows[word].length) found.push(`${word}s are ${rows[word].length}, not ${many}`);
  }
  for (const word of ["card", "notification"]) {
    if (word in shape) found.push(...nearest(word, shape[word], rows[word]));
  }
  const badge = screen.badges.reduce((sum, each) => sum + each.badge, 0);
  if ("badge" in shape && badge !== shape.badge) found.push(`badge is ${badge}, not ${shape.badge}`);
  return found;
}

function nearest(word, wanted, rows) {
  const candidates = rows.map((row) => differences(wanted, row, word));
  return candidates.sort((a, b) => a.length - b.length)[0] ?? [`there is no ${word}`];
}
