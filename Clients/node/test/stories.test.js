// What a failing test prints.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { Phone, Pushpit } from "../lib/index.js";

const program = process.env.PUSHPIT_BINARY;
const module = new URL("../lib/index.js", import.meta.url).href;

const STORY = /Last pushes of session \S+ \(d\d+\):\s+push \d+ \([0-9A-F-]+\): 200 to d\d+/g;

let pushpit;
before(async () => {
  pushpit = await Pushpit.start({ fleet: 20, program });
});
after(() => pushpit?.stop());

test("a screen has the names of the other libraries, and the row of the admin API", () =>
  pushpit.withSession(async ({ phone }) => {
    assert.deepEqual((await phone.screen()).cards, []);
    await phone.do("startActivity", { contentState: { score: 0 } });
    await phone.send({ aps: { badge: 3 } });
    const { cards, badges, raw } = await phone.expect({ cards: 1, badge: 3 });
    assert.deepEqual(cards[0].contentState, { score: 0 });
    assert.deepEqual(badges, { "com.example.app": 3 });
    assert.deepEqual(raw.lockScreen, cards);
    assert.deepEqual(raw.badges, [{ app: "com.example.app", badge: 3 }]);
  }));

test("a push whose body is not JSON has no payload, and can be copied", () =>
  pushpit.withSession(async ({ phone }) => {
    const sent = await phone.send(undefined, { raw: "Goal!" });
    assert.deepEqual([sent.body, sent.payload, { ...sent }.payload], ["Goal!", undefined, undefined]);
  }));

test("a session whose phones cannot be cleared is closed", async (t) => {
  const open = async () => (await pushpit.admin.get("/v1/sessions", { open: true })).sessions.map(({ name }) => name);
  const before = await open();
  t.mock.method(Phone.prototype, "clear", async () => {
    throw new RangeError("no");
  });
  await assert.rejects(pushpit.session(), RangeError);
  assert.deepEqual(await open(), before);
});

test("a push has the names of the other libraries, and the row of the admin API", () =>
  pushpit.withSession(async ({ phone }) => {
    const sent = await phone.send("Goal!", { collapseId: "goal" });
    const push = await pushpit.push(sent.apnsId);
    for (const one of [sent, push, ...(await phone.pushes())]) {
      assert.deepEqual([one.status, one.outcome, one.headers["apns-collapse-id"]], [200, "banner", "goal"]);
      assert.deepEqual(one.payload, { aps: { alert: "Goal!" } });
      assert.equal(one.body, one.raw.request.body);
      assert.equal(one.why, one.raw.why.sentence);
    }
  }));

test("a body that is no JSON is a mistake of the test, not of the server", async () => {
  const cyclic = {};
  cyclic.self = cyclic;
  for (const by of [10n, cyclic]) {
    await assert.rejects(pushpit.clock.advance(by), {
      name: "PushpitError", message: /^The request cannot be written as JSON: .+/,
    });
  }
});

test("a raw body arrives as it is", () =>
  pushpit.withSession(async ({ phone }) => {
    const { body, outcome } = await phone.send(undefined, { raw: '{"aps": {"alert": "Goal\u00a0!" }}' });
    assert.deepEqual([body, outcome], ['{"aps": {"alert": "Goal\u00a0!" }}', "banner"]);
  }));

test("the server says what is wrong with a kind of token or with words for a screen", () =>
  pushpit.withSession(async ({ phone }) => {
    await assert.rejects(phone.token("pushToTalks"), { name: "InvalidRequestError", message: /did you mean pushToTalk\?/ });
    const shape = { notificatoins: 1 };
    await assert.rejects(phone.expect(shape), { name: "InvalidRequestError", message: /did you mean notifications\?/ });
  }));

test("one update token of several is taken from the state", () =>
  pushpit.withSession(async ({ phone }) => {
    for (const score of [0, 1]) await phone.do("startActivity", { contentState: { score } });
    await assert.rejects(phone.token("update"), {
      name: "NoTokenError",
      message: `${phone.device} has 2 update tokens of com.example.app: take one from state().`,
    });
    const [{ activities }] = (await phone.state()).apps;
    assert.equal(new Set(activities.map(({ updateToken }) => updateToken)).size, 2);
  }));

test("a wait is refused whose time is not a number", () =>
  pushpit.withSession(async (session) => {
    const waits = [
      (within) => session.expect(1, { within }),
      (within) => session.phone.expect({ notifications: 1 }, { within }),
      (within) => pushpit.waitFor(() => false, { within }),
    ];
    for (const wait of waits) {
      await assert.rejects(wait("1s"), {
        name: "PushpitError",
        message: /^within is a number of milliseconds, such as 5000, and not '1s'\./,
      });
      for (const within of [NaN, Infinity, null]) await assert.rejects(wait(within), /^PushpitError: within is a number/);
    }
  }));

test("a push that cannot be made is said with the server's words", () =>
  pushpit.withSession(async ({ phone }) => {
    await assert.rejects(phone.send("Goal!", { tokenKind: "update" }), {
      name: "SendError",
      message: /^d\d+ has no token update: com\.example\.app has device/,
    });
    await assert.rejects(phone.send("Goal!", { priorty: 5 }), {
      name: "InvalidRequestError",
      message: /no key "priorty"; did you mean priority\?/,
    });
  }));

test("an error in a session's body has the stories of its last pushes, the latest last", async () => {
  const own = new Error("The backend sent nothing.");
  const thrown = await pushpit
    .withSession(async ({ phone }) => {
      for (const text of ["One", "Two"]) await phone.send(text);
      throw own;
    })
    .catch((problem) => problem);
  assert.equal(thrown, own);
  const [first, ...rest] = thrown.message.split("\npush ");
  assert.match(first, /^The backend sent nothing\.\n\nLast pushes of session \S+ \(d\d+\):$/);
  assert.equal(rest.length, 2);
  const numbers = rest.map((text) => Number(text.split(" ")[0]));
  assert(numbers[0] < numbers[1], thrown.message);
  assert(thrown.stack.includes(thrown.message), thrown.stack);
});

test("an error without pushes says so, and one that has the stories already gets them once", async () => {
  const nothing = await pushpit.withSession(() => Promise.reject(new Error("No push."))).catch((problem) => problem);
  assert.match(nothing.message, /^No push\.\n\nLast pushes of session .*:\nNothing was pushed\./);
  const once = await pushpit
    .withSession(async (session) => {
      await session.phone.send("One");
      await session.expect(2, { within: 50 });
    })
    .catch((problem) => problem);
  assert.equal(once.message.split("\npush ").length, 2, once.message);
});

test("an error that cannot be changed stays as it is, and the session ends", async () => {
  const own = Object.freeze(new Error("The backend sent nothing."));
  let session;
  const body = (opened) => {
    session = opened;
    throw own;
  };
  await assert.rejects(pushpit.withSession(body), (problem) => problem === own);
  assert.equal((await session.state()).open, false);
});

test("an error whose message has only a getter has the stories, too", async () => {
  const aborted = new DOMException("The operation was aborted.", "AbortError");
  const body = async ({ phone }) => {
    await phone.send("One");
    throw aborted;
  };
  await assert.rejects(pushpit.withSession(body), (problem) => problem === aborted);
  for (const text of [aborted.message, aborted.stack]) {
    assert.match(text, /The operation was aborted\.\n\nLast pushes of session [^]*\npush \d+ \(/);
  }
});

test("an error in two sessions has the stories of both", async () => {
  const body = (outer) => pushpit.withSession(async (inner) => {
    await outer.phone.send("One");
    await inner.phone.send("Two");
    await inner.expect(2, { within: 50 });
  });
  const { message, stack } = await pushpit.withSession(body).catch((problem) => problem);
  for (const text of [message, stack]) assert.equal(text.match(STORY)?.length, 2, text);
});

test("a session is not opened to end with what is no test", async () => {
  const count = async () => (await pushpit.admin.get("/v1/sessions")).sessions.length;
  const before = await count();
  for (const test of [true, { name: "before" }]) {
    await assert.rejects(pushpit.session({ test }), /^PushpitError: test is the context that node:test gives to a test/);
  }
  assert.equal(await count(), before);
});

test("a session that its test forgets ends without a word", async (t) => {
  const expect = [{ pushes: { status: 200 }, count: 2 }];
  await pushpit.withSession({ expect }, (session) => session.forget());
  const session = await pushpit.session({ expect, test: t });
  await session.forget();
  await session[Symbol.asyncDispose]();
});

test("an expectation that is not met has the stories, too", async () => {
  const expect = [{ pushes: { status: 200 }, count: 2 }];
  const broken = await pushpit.withSession({ expect }, ({ phone }) => phone.send("One")).catch((problem) => problem);
  assert.match(broken.message, /^Not all expectations are true\.\n[^]*\nLast pushes of session [^]*\npush \d+ \(/);
});

test("a story names the cause that filters and expectations use", () =>
  pushpit.withSession(async ({ phone }) => {
    await phone.do("permit", { notifications: "denied" });
    await phone.send("One");
    const [push] = await phone.pushes();
    const { cause } = push.raw.story.find((line) => line.cause);
    assert(push.story.split("\n").some((line) => line.endsWith(` [${cause}]`)), push.story);
  }));

/** The output of node:test for a file with these tests, in which `pushpit` is this file's server. */
function printed(tests) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-stories-"));
  const file = path.join(folder, "failing.test.mjs");
  fs.writeFileSync(
    file,
    `import assert from "node:assert/strict";
    import { test } from "node:test";
    import { Pushpit } from ${JSON.stringify(module)};
    const pushpit = await Pushpit.connect(${JSON.stringify(pushpit.url)});
    ${tests}`,
  );
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const options = { encoding: "utf8", env, timeout: 30_000 };
  const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter", "spec", file], options);
  fs.rmSync(folder, { recursive: true });
  // Some versions of Node print the error of a failing test as soon as it fails, too.
  return { status, stdout: stdout.split("failing tests:")[1] };
}

test("the test runner prints the stories of a failing test with withSession", () => {
  const { status, stdout } = printed(`test("fails", () => pushpit.withSession(async ({ phone }) => {
      await phone.send("One");
      assert.equal(1, 2);
    }));`);
  assert.equal(status, 1);
  assert.equal(stdout.match(STORY)?.length, 1, stdout);
});

test("the test runner prints the stories of a failing test whose session ends with it", async (t) => {
  if (t.passed === undefined) return t.skip("before Node 20.12 a test does not tell whether it has passed");
  const { status, stdout } = printed(`test("fails", async (t) => {
      const { phone } = await pushpit.session({ name: "ends with its test", test: t });
      await phone.send("One");
      assert.equal(1, 2);
    });`);
  assert.equal(status, 1);
  assert.match(stdout, /1 !== 2[^]*Last pushes of session ends with its test \(d\d+\):\s+push \d+ \([0-9A-F-]+\): 200 /);
  const closed = await pushpit.admin.get("/v1/sessions/ends%20with%20its%20test");
  assert.equal(closed.open, false);
});

test("a session ends with its test if the error of the test cannot be changed", async (t) => {
  if (t.passed === undefined) return t.skip("before Node 20.12 a test does not tell whether it has passed");
  const { status, stdout } = printed(`test("fails", async (t) => {
      await pushpit.session({ name: "frozen", test: t });
      throw Object.freeze(new Error("frozen"));
    });`);
  assert.equal(status, 1);
  assert.match(stdout, /Error: frozen/);
  assert.equal((await pushpit.admin.get("/v1/sessions/frozen")).open, false);
});

test("a failing test prints the stories of both sessions that end with it", async (t) => {
  if (t.passed === undefined) return t.skip("before Node 20.12 a test does not tell whether it has passed");
  const { stdout } = printed(`test("fails", async (t) => {
      for (const session of [await pushpit.session({ test: t }), await pushpit.session({ test: t })]) {
        await session.phone.send("One");
      }
      assert.equal(1, 2);
    });`);
  assert.equal(stdout.match(STORY)?.length, 2, stdout);
});

test("a test fails if an expectation of the session that ends with it is not true", () => {
  const { status, stdout } = printed(`test("fails", async (t) => {
      const { phone } = await pushpit.session({ expect: [{ pushes: { status: 200 }, count: 2 }], test: t });
      await phone.send("One");
    });`);
  assert.equal(status, 1);
  assert.match(stdout, /Not all expectations are true\.[^]*wanted   2 pushes/);
  assert.equal(stdout.match(STORY)?.length, 1, stdout);
});

test("a test whose session ends with it passes without a word", async (t) => {
  const session = await pushpit.session({ expect: [{ pushes: { status: 200 }, count: 1 }], test: t });
  await session.phone.send("One");
  assert.equal((await session.state()).open, true);
  t.after(() => assert.equal(session.verdict.passed, true));
});
