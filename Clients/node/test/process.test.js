// The server's process: it ends with the tests, however they end.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";

import { Pushpit, version } from "../lib/index.js";

const program = process.env.PUSHPIT_BINARY;
const module = new URL("../lib/index.js", import.meta.url).href;

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Another process that starts a server and then ends in its way: the server's pid, and how the process ended. */
async function starterThatEnds(end) {
  const script = `
    import { Pushpit } from ${JSON.stringify(module)};
    const pushpit = await Pushpit.start({ fleet: 1, program: ${JSON.stringify(program)} });
    console.log(pushpit.pid);
    ${end}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "ignore"] });
  let text = "";
  child.stdout.on("data", (piece) => (text += piece));
  const [code, signal] = await new Promise((resolve) => child.once("close", (...ending) => resolve(ending)));
  return { pid: Number(text), code, signal };
}

for (const [how, end, ending] of [
  ["is killed", 'process.kill(process.pid, "SIGKILL");', [null, "SIGKILL"]],
  ["exits", "process.exit(3);", [3, null]],
  ["throws", 'throw new Error("a test framework that crashed");', [1, null]],
  ["simply ends, without stop()", "", [0, null]],
]) {
  test(`the server ends when its starter ${how}`, { timeout: 30_000 }, async () => {
    const { pid, code, signal } = await starterThatEnds(end);
    assert(pid > 1);
    assert.deepEqual([code, signal], ending);
    // No child of ours: there is no event to wait for.
    for (const until = Date.now() + 20_000; alive(pid); ) {
      assert(Date.now() < until, `the server ${pid} is still there`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });
}

test("a server that stops leaves nothing behind, and can be stopped again", async () => {
  const pushpit = await Pushpit.start({ fleet: 1, program });
  const { PUSHPIT_READY, PUSHPIT_ADMIN } = pushpit.environment();
  assert.equal(PUSHPIT_ADMIN, pushpit.url);
  assert.equal(JSON.parse(fs.readFileSync(PUSHPIT_READY, "utf8")).admin, pushpit.url);
  await pushpit.stop();
  await pushpit.stop();
  assert(!fs.existsSync(path.dirname(PUSHPIT_READY)));
});

test("the error of a start that fails is not lost where nothing else keeps the process running", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-start-"));
  try {
    const file = path.join(folder, "closes-its-output-first");
    fs.writeFileSync(file, "#!/bin/sh\nexec >&-\nsleep 0.3\nexit 1\n", { mode: 0o755 });
    const script = `
      import { Pushpit } from ${JSON.stringify(module)};
      await Pushpit.start({ program: ${JSON.stringify(file)} });`;
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
    assert.match(stderr, /StartError: .* ended with exit code 1 before it was ready\./);
    assert.equal(status, 1);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test("a tape is whole when the server has stopped", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-tape-"));
  try {
    const tape = path.join(folder, "run.tape");
    const pushpit = await Pushpit.start({ fleet: 1, program, tape });
    await pushpit.phone("d0").send("Goal!");
    await pushpit.stop();
    assert.equal(spawnSync(program, ["replay", tape]).status, 0);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
});

test("the package has the program's version", () => {
  assert.equal(spawnSync(program, ["--version"], { encoding: "utf8" }).stdout.trim(), version);
});
