// What a failing test prints.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { Pushpit, story } from "../lib/index.js";

const program = process.env.PUSHPIT_BINARY;
const module = new URL("../lib/index.js", import.meta.url).href;

let pushpit;
before(async () => {
  pushpit = await Pushpit.start({ flags: ["--fleet", "20"], program });
});
after(() => pushpit?.stop());

test("the cards of a screen are those of its lock screen", () =>
  pushpit.withSession({}, async ({ phone }) => {
    assert.deepEqual((await phone.screen()).cards, []);
    await phone.do("startActivity", { contentState: { score: 0 } });
    const { cards } = await phone.expect({ cards: 1 });
    assert.deepEqual(cards[0].contentState, { score: 0 });
  }));

test("an error in a session's body has the stories of its last pushes, the latest last", async () => {
  const own = new Error("The backend sent nothing.");
  const thrown = await pushpit
    .withSession({}, async ({ phone }) => {
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
  const nothing = await pushpit.withSession({}, () => Promise.reject(new Error("No push."))).catch((problem) => problem);
  assert.match(nothing.message, /^No push\.\n\nLast pushes of session .*:\nNothing was pushed\./);
  const once = await pushpit
    .withSession({}, async (session) => {
      await session.phone.send("One");
      await session.expect(2, { within: 50 });
    })
    .catch((problem) => problem);
  assert.equal(once.message.split("\npush ").length, 2, once.message);
});

test("an expectation that is not met has the stories, too", async () => {
  const expect = [{ pushes: { status: 200 }, count: 2 }];
  const broken = await pushpit.withSession({ expect }, ({ phone }) => phone.send("One")).catch((problem) => problem);
  assert.match(broken.message, /^Not all expectations are true\.\n[^]*\nLast pushes of session [^]*\npush \d+ \(/);
});

test("a story names the cause that filters and expectations use", () =>
  pushpit.withSession({}, async ({ phone }) => {
    await phone.do("permit", { notifications: "denied" });
    await phone.send("One");
    const [push] = await phone.pushes();
    const { cause } = push.story.find((line) => line.cause);
    assert(story(push).split("\n").some((line) => line.endsWith(` [${cause}]`)), story(push));
  }));

test("the test runner prints the stories of a failing test", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-stories-"));
  const file = path.join(folder, "failing.test.mjs");
  fs.writeFileSync(
    file,
    `import assert from "node:assert/strict";
    import { test } from "node:test";
    import { Pushpit } from ${JSON.stringify(module)};
    test("fails", async () => {
      const pushpit = await Pushpit.connect(${JSON.stringify(pushpit.url)}, { program: ${JSON.stringify(program)} });
      await pushpit.withSession({}, async ({ phone }) => {
        await phone.send("One");
        assert.equal(1, 2);
      });
    });
    `,
  );
  const { NODE_TEST_CONTEXT, ...env } = process.env;
  const options = { encoding: "utf8", env, timeout: 30_000 };
  const { stdout, status } = spawnSync(process.execPath, ["--test", "--test-reporter", "spec", file], options);
  fs.rmSync(folder, { recursive: true });
  assert.equal(status, 1);
  assert.match(stdout, /Last pushes of session \S+ \(d\d+\):\s+push \d+ \([0-9A-F-]+\): 200 to d\d+/);
});
