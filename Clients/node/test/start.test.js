// How a server is started, and how what is open is closed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Pushpit, StartError } from "../lib/index.js";

const program = process.env.PUSHPIT_BINARY;

/** The error for these arguments of `start`, which must not start anything. */
async function refusal(...given) {
  const problem = await Pushpit.start(...given).then((own) => own.stop(), (error) => error);
  assert.equal(problem?.constructor, StartError);
  return problem.message;
}

test("options and settings of a server are in force", async () => {
  const settings = { "rules.channelsPerApp": 7, "fleet.seed": 5, "fleet.mix.offline": "5%" };
  const pushpit = await Pushpit.start({ fleet: 3, clock: "manual", settings, program });
  try {
    assert.equal(pushpit.ready.fleet.devices, 3);
    assert.equal((await pushpit.clock.state()).mode, "manual");
    const rows = (await pushpit.admin.get("/v1/settings")).settings;
    const value = (key) => rows.find((row) => row.key === key).value;
    assert.deepEqual([...Object.keys(settings), "prompt.policy"].map(value), ["7", "5", "5%", "never"]);
  } finally {
    await pushpit.stop();
  }
});

test("a setting of a test comes before what tests have by default", async () => {
  const settings = { forTests: false, "fleet.devices": 2, "wire.drainTime": "2s" };
  const pushpit = await Pushpit.start({ settings, program });
  try {
    const rows = (await pushpit.admin.get("/v1/settings")).settings;
    const value = (key) => rows.find((row) => row.key === key).value;
    assert.deepEqual(["forTests", "fleet.devices", "wire.drainTime"].map(value), ["false", "2", "2s"]);
  } finally {
    await pushpit.stop();
  }
});

test("flags are refused with the options that replace them", async () => {
  for (const given of [[{ flags: ["--fleet", "2"], program }], [["--fleet", "2"]], ["--fleet", "2"]]) {
    const told = await refusal(...given);
    assert.match(told, /^Pushpit\.start takes no flags: write \{ fleet: 2, clock: "manual" \} instead of /);
  }
});

test("a misspelt option is refused with all that exist", async () => {
  const told = await refusal({ fleeet: 2, program });
  assert.equal(
    told,
    "Pushpit.start has no option fleeet; it has fleet, clock, settings, program, state, tape, timeout. " +
      "A setting of docs/settings.md is a member of settings.",
  );
});

test("a setting whose group is named __proto__ is refused, and changes no other object", async () => {
  const told = await refusal({ settings: { "__proto__.x": 1 }, program });
  assert.match(told, /__proto__/);
  assert.equal({}.x, undefined);
});

test("a misspelt setting is refused with the nearest one", async () => {
  const told = await refusal({ settings: { "fleet.sed": 2 }, program });
  assert.match(told, /there is no setting fleet\.sed; did you mean fleet\.seed\?$/);
});

test("a group of settings is refused with the whole key of one", async () => {
  for (const [options, whole, key] of [
    [{ settings: { listen: { shareKeys: true } } }, "listen.shareKeys", "listen"],
    [{ settings: { fleet: { mix: { offline: "5%" } } } }, "fleet.mix.offline", "fleet"],
    [{ settings: { fleet: { os: { 26.1: 1 } } } }, "fleet.os", "fleet"],
    [{ settings: { "fleet.seed": 5, fleet: {} } }, "fleet.seed", "fleet"],
    [{ fleet: 3, settings: { fleet: 5 } }, "fleet.devices", "fleet"],
    [{ settings: { listen: null } }, "listen.ports", "listen"],
  ]) {
    const told = await refusal({ ...options, program });
    assert.equal(told, `Settings are given by their whole keys: write "${whole}" in place of ${key}.`);
  }
});

test("the state folder is refused as a setting", async () => {
  const told = await refusal({ settings: { state: "/x" }, program });
  assert.equal(told, "The state folder is no setting of Pushpit.start, but its option state.");
});

test("options and settings that are no objects are refused", async () => {
  for (const settings of ["audit=true", ["audit"], null, 5]) {
    assert.match(await refusal({ settings, program }), /^The settings of Pushpit\.start are an object, such as \{ /);
  }
  for (const options of [null, 5]) assert.match(await refusal(options), /^Pushpit\.start takes no flags: write \{ /);
});

test("shares of versions may be an object", async () => {
  const pushpit = await Pushpit.start({ fleet: 1, settings: { "fleet.os": { 17.6: 1 } }, program });
  try {
    assert.equal((await pushpit.phone("d0").state()).os, "17.6");
  } finally {
    await pushpit.stop();
  }
});

// What `await using` does. The syntax is not in Node 20, so that it cannot stand here.
const dispose = (open) => open[Symbol.asyncDispose]();

test("the end of a scope deletes its fault, closes its session and stops its server", async () => {
  const pushpit = await Pushpit.start({ fleet: 2, program });
  const session = await pushpit.session({ expect: [{ pushes: { status: 200 }, count: 1 }] });
  const fault = await session.fault({ answer: "ServiceUnavailable" });
  assert.equal((await session.phone.send()).status, 503);
  await dispose(fault);
  assert.equal((await session.phone.send()).status, 200);
  await dispose(session);
  assert.equal(session.verdict.passed, true);
  assert.equal((await session.state()).open, false);
  await dispose(pushpit);
  await assert.rejects(session.state(), { name: "NoServerError", message: / was stopped\.$/ });
});

test("the end of a scope is an error if an expectation of its session is not true", async () => {
  const pushpit = await Pushpit.start({ fleet: 1, program });
  try {
    const session = await pushpit.session({ expect: [{ pushes: { status: 200 }, count: 2 }] });
    await session.phone.send("One");
    const broken = await dispose(session).catch((problem) => problem);
    assert.equal(broken.name, "ExpectationError");
    assert.match(broken.message, /^Not all expectations are true\.\n[^]*wanted   2 pushes/);
    assert.match(broken.message, /\nLast pushes of session [^]*\npush \d+ \(/);
  } finally {
    await pushpit.stop();
  }
});

test("more phones are waited for, and sent to, at once than the server has connections", async () => {
  const pushpit = await Pushpit.start({ fleet: 200, program });
  try {
    const phones = Array.from({ length: 200 }, (_, number) => pushpit.phone(`d${number}`));
    const waits = phones.map((phone) => phone.expect({ notifications: 1 }, { within: 30_000 }));
    const sends = phones.map((phone) => phone.send("Goal!"));
    await Promise.all([...sends, ...waits]);
    for (const wait of waits) assert.equal((await wait).notifications[0].body, "Goal!");
  } finally {
    await pushpit.stop();
  }
});
