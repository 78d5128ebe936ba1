// What may be said to `Pushpit.start`.

import { StartError } from "./errors.js";

const OPTIONS = ["fleet", "clock", "settings", "program", "state", "tape", "timeout"];

/** A setting whose value may have members. */
const SHARES = "fleet.os";

/** The settings of a server for tests, as a settings file has them: those that are given come first. */
export function startSettings(options) {
  if (!isObject(options) || options.flags !== undefined) {
    throw new StartError(
      'Pushpit.start takes no flags: write { fleet: 2, clock: "manual" } instead of ["--fleet", "2", "--clock", ' +
        '"manual"], and other flags as settings: { audit: true, "listen.host": "0.0.0.0" } (docs/settings.md).',
    );
  }
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined) {
    throw new StartError(
      `Pushpit.start has no option ${unknown}; it has ${OPTIONS.join(", ")}. ` +
        `A setting of docs/settings.md is a member of settings.`,
    );
  }
  const { fleet, clock, settings = {} } = options;
  if (!isObject(settings)) {
    throw new StartError('The settings of Pushpit.start are an object, such as { "fleet.mix.offline": "5%" }.');
  }
  if ("state" in settings) {
    throw new StartError("The state folder is no setting of Pushpit.start, but its option state.");
  }
  return nested({
    forTests: true,
    "listen.ports": 0,
    "wire.drainTime": "1s",
    ...structuredClone(settings),
    ...(clock !== undefined && { clock }),
    ...(fleet !== undefined && { "fleet.devices": fleet }),
  });
}

/** Settings by their keys, such as `fleet.mix.offline`, as a settings file has them. */
function nested(settings) {
  // Without a prototype, so that a group named __proto__ is not that of all objects.
  const file = Object.create(null);
  for (const [key, value] of Object.entries(settings)) {
    const whole = wholeKey(key, value, Object.keys(settings));
    if (whole !== key) {
      throw new StartError(`Settings are given by their whole keys: write "${whole}" in place of ${key}.`);
    }
    const groups = key.split(".");
    const last = groups.pop();
    let place = file;
    for (const group of groups) place = place[group] ??= Object.create(null);
    place[last] = value;
  }
  return file;
}

/** The key, or that of a setting in the group that it names: in the value, or beside it. */
function wholeKey(key, value, all) {
  const [inner] = isObject(value) && key !== SHARES ? Object.keys(value) : [];
  if (inner !== undefined) return wholeKey(`${key}.${inner}`, value[inner], all);
  return all.find((other) => other.startsWith(`${key}.`)) ?? key;
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
