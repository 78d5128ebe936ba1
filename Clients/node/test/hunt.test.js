// Hunts with a test.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { faultCall } from "../lib/hunt.js";
import { HuntError, Pushpit, PushpitError, SendError } from "../lib/index.js";

const program = process.env.PUSHPIT_BINARY;
const backends = fileURLToPath(new URL("../../python/tests/backends/", import.meta.url));

let pushpit;
let folder;
const home = process.cwd();
before(async () => {
  pushpit = await Pushpit.start({ fleet: 40, program });
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-hunt-"));
  process.chdir(folder);
});
after(async () => {
  process.chdir(home);
  fs.rmSync(folder, { recursive: true });
  await pushpit?.stop();
});

/** In place of a backend: pushes until it is answered 200, at most so often. */
async function push(phone, attempts) {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    try {
      if ((await phone.send("Goal!", { collapseId: "goal" })).sent.status === 200) return;
    } catch (problem) {
      if (!(problem instanceof SendError)) throw problem;
    }
  }
}

const goal = (attempts) => async ({ phone }) => {
  await push(phone, attempts);
  await phone.expect({ notifications: 1 }, { within: 1000 });
};

const kept = () => {
  const place = path.join(folder, ".pushpit/hunts");
  return fs.existsSync(place) ? fs.readdirSync(place).map((name) => fs.readFileSync(path.join(place, name), "utf8")) : [];
};

/** The error with which a hunt ends. */
const found = (...given) => pushpit.hunt(...given).then(() => undefined, (problem) => problem);

test("a right backend survives, and a wrong one is found with the smallest fault, which is kept until it passes", async () => {
  const options = { seconds: 60, seed: 1, variants: 12, name: "a goal" };
  const problem = await found(goal(1), options);
  assert.ok(problem instanceof HuntError, problem);
  assert.match(problem.message, /^Pushpit hunted for \d+ s: \d+ variants, 1 kind of failure\. The smallest that fails, 5 of 5/);
  const [call] = /await session\.fault\(.*\);/.exec(problem.message);
  assert.match(call, /limit: 1 }\);$/);
  assert.match(problem.message, /It fails with: ExpectationError: d\d+ does not show it within 1 s/);
  assert.match(problem.cause.message, /Last pushes of session/);
  assert.equal(JSON.parse(kept()[0]).test, "a goal");
  // The line to paste.
  const body = (attempts) => async (session) => {
    await new (Object.getPrototypeOf(async () => {}).constructor)("session", call)(session);
    await goal(attempts)(session);
  };
  await assert.rejects(pushpit.withSession(body(1)));
  await pushpit.withSession(body(9));
  const { played, survived } = await pushpit.hunt(goal(9), options);
  assert.ok(played > 8 && survived.includes("answer"), `${played} ${survived}`);
  assert.deepEqual(kept(), []);
});

test("the bug of a backend in a process of its own is found", async () => {
  const start = async (bug, body) => {
    const env = { ...process.env, ...pushpit.environment(), ...(bug && { BUG: bug }) };
    const child = spawn(process.execPath, [path.join(backends, "with_node.js")], { env, stdio: ["ignore", "pipe", "inherit"] });
    try {
      const port = Number(await new Promise((resolve) => child.stdout.once("data", resolve)));
      const post = (place, order) =>
        fetch(`http://127.0.0.1:${port}${place}`, { method: "POST", body: JSON.stringify(order) });
      return await body(post);
    } finally {
      child.kill();
    }
  };
  const goals = (post) => async ({ phone }) => {
    await post("/followers", { token: await phone.token() });
    await post("/goals", { text: "1 : 0" });
    await post("/goals", { text: "2 : 0" });
    const { notifications } = await phone.expect({ notification: { body: "2 : 0" } }, { within: 3000 });
    assert.equal(notifications.length, 2);
  };
  const options = { seconds: 60, seed: 1, variants: 12, name: "goals" };
  assert.equal(await start(undefined, (post) => found(goals(post), options)), undefined);
  const problem = await start("new_id", (post) => found(goals(post), options));
  assert.ok(problem instanceof HuntError, problem);
  assert.ok(problem.message.split("await session.fault(").length <= 4, problem.message);
  assert.equal(problem.cause.code, "ERR_ASSERTION");
});

test("a test that cannot be hunted with is told why", async () => {
  let plays = 0;
  const cases = [
    [async ({ phone }) => { await push(phone, 9); assert.equal(1 + 1, 3); }, /fails without any trouble: AssertionError/],
    [async ({ phone }) => { await push(phone, 9); assert.notEqual((plays += 1), 3); }, /not always have the same result/],
    [async () => {}, /its session got no push/],
  ];
  for (const [body, sentence] of cases) {
    const problem = await found(body, { seconds: 5, name: "one" });
    assert.match(problem?.message ?? "", sentence);
  }
  // It is played once, however short the time is.
  assert.match((await found(cases[0][0], { seconds: 1e-9, name: "one" }))?.message ?? "", cases[0][1]);
  const { notes } = await pushpit.hunt(({ phone }) => push(phone, 9), { seconds: 1, name: "expects nothing" });
  assert.match(notes.join(), /passes even if no push reaches its phone/);
});

/** All kinds of faults that a hunt draws. */
const everyKind = [
  "answer", "arrival", "lose", "loseAnswer", "delay", "abort", "malformed", "withoutId", "goAway", "halfClose", "reset",
  "close",
];

test("a hunt in which every kind of trouble is accepted says so, and nothing of its time", async () => {
  const options = { seconds: 30, accept: everyKind, name: "accepts everything" };
  assert.deepEqual((await pushpit.hunt(goal(9), options)).notes, [
    "Every kind of trouble is accepted, so nothing but the test itself was played.",
  ]);
});

test("what comes late is no find, and a failure of any length is one", async () => {
  const late = async ({ phone }) => {
    await push(phone, 1);
    const again = (await phone.screen()).notifications.length > 0 ? undefined : pause(2000).then(() => push(phone, 9));
    try {
      await phone.expect({ notifications: 1 }, { within: 1000 });
    } finally {
      await again;
    }
  };
  const { notes } = await pushpit.hunt(late, { seconds: 60, seed: 1, variants: 8, name: "late" });
  assert.match(notes.join(), /A failure is no find, .* 4 times as long.*does not show it within 1 s/);
  const long = async ({ phone }) => {
    await push(phone, 1);
    if ((await phone.screen()).notifications.length === 0) throw new Error(`\udcff${"x".repeat(5000)}`);
  };
  const problem = await found(long, { seconds: 60, seed: 1, variants: 8, name: "long" });
  assert.ok(problem instanceof HuntError, problem);
});

/** Progress lines of a hunt whose name begins with "slow". Each play takes as many milliseconds. */
async function told(t, body, milliseconds, { name, ...options }) {
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const write = t.mock.method(process.stderr, "write", () => true);
  const slow = (session) => {
    t.mock.timers.tick(milliseconds);
    return body(session);
  };
  await found(slow, { seed: 1, name, ...options });
  t.mock.timers.reset();
  const lines = write.mock.calls.map(({ arguments: [line] }) => line).filter((line) => line.startsWith("slow"));
  write.mock.restore();
  return lines;
}

test("a hunt says every ten seconds how far it is", async (t) => {
  assert.deepEqual(await told(t, goal(9), 6000, { seconds: 100, variants: 2, name: "slow" }), [
    "slow hunts: 2 variants in 12 of 100 s, nothing found yet\n",
    "slow hunts: 4 variants in 24 of 100 s, nothing found yet\n",
  ]);
  const name = "slow\u001b[31m\r\n\u202etest\ud800";
  const [line] = await told(t, goal(9), 12000, { seconds: 13, name });
  assert.equal(line, "slow [31m test  hunts: 1 variant in 12 of 13 s, nothing found yet\n");
  const wrong = async ({ phone }) => {
    await push(phone, 1);
    assert.ok((await phone.screen()).notifications.length > 0);
  };
  const lines = await told(t, wrong, 11000, { seconds: 500, variants: 12, name: "slow" });
  const smaller = lines.find((line) => line.includes("smaller"));
  assert.match(smaller, /^slow makes a failure smaller: \d+ variants in \d+ of at most 750 s\n$/);
  assert.match(lines.at(-1), /, 1 kind of failure\n$/);
});

test("a hunt goes on if nobody reads how far it is", async () => {
  const library = new URL("../lib/index.js", import.meta.url).href;
  const script = `
    import { Pushpit } from ${JSON.stringify(library)};
    const pushpit = await Pushpit.connect(${JSON.stringify(pushpit.url)});
    const now = Date.now;
    let plays = 0;
    Date.now = () => now() + 11_000 * plays;
    const body = ({ phone }) => {
      plays += 1;
      return phone.send("Goal!").catch(() => {});
    };
    await pushpit.hunt(body, { seconds: 1000, variants: 1 });
    console.log("the end");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "pipe" });
  child.stderr.destroy();
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  assert.deepEqual([code, said], [0, "the end\n"]);
});

test("options of another form are told", async () => {
  const body = async () => {};
  for (const [given, sentence] of [
    [[body], /^seconds is how long to hunt/],
    [[body, { seconds: 0 }], /^seconds is how long to hunt/],
    [[{ seconds: 5 }], /^hunt takes a test/],
    [[body, { seconds: 5, seed: 0.5 }], /^seed is a whole number/],
    [[body, { seconds: 5, variants: 1.5 }], /^variants is a whole number/],
    [[body, { seconds: 5, variants: 0 }], /^variants is a whole number/],
    [[body, { seconds: 5, variants: "2" }], /^variants is a whole number/],
    [[body, { seconds: 5, name: 17 }], /^name is a text, and not 17/],
    [[body, { seconds: 5, name: "half a letter: \ud83d" }], /its session got no push/],
    [[body, { seconds: 5, accept: "goAway" }], /^accept is a list of words/],
    [[body, { seconds: 5, accept: ["goaway"] }], /did you mean goAway\?/],
    [[async () => {}, { seconds: 5 }], /needs the option name/],
  ]) {
    const problem = await found(...given);
    assert.ok(problem instanceof PushpitError, problem);
    assert.match(problem.message, sentence);
  }
});

test("a fault is printed as the call that sets it", () => {
  for (const [fault, call] of [
    [{ name: "hunt 1", then: { abort: true }, limit: 1 }, "{ abort: true, limit: 1 }"],
    [{ then: { loseAnswer: "CANCEL" }, when: { skip: 2 } }, '{ loseAnswer: "CANCEL", when: { skip: 2 } }'],
    [{ then: { odd: null, for: "2s" } }, '{ then: { odd: null, for: "2s" } }'],
  ]) {
    assert.equal(faultCall(fault), `await session.fault(${call});`);
  }
});
