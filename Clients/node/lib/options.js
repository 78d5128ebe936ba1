// What may be said to `Pushpit.start`.

import { StartError } from "./errors.js";

const OPTIONS = ["fleet", "clock", "settings", "program", "state", "tape", "timeout"];

/** The settings of a server for tests, as a settings file has them: those that are given come first. */
export function startSettings(options) {
  const { flags, fleet, clock, settings } = options;
  if (typeof options !== "object" || Array.isArray(options) || flags !== undefined) {
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
  const file = {};
  for (const [key, value] of Object.entries(settings)) {
    const groups = key.split(".");
    const last = groups.pop();
    let place = file;
    for (const group of groups) place = place[group] ??= {};
    place[last] = value;
  }
  return file;
}
