// What README.md and docs/hunting.md show runs as it stands.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The files that a document shows, by name. */
function shown(document) {
  const text = fs.readFileSync(path.join(folder, document), "utf8");
  return [...text.matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name, code]);
}

const hasUsing = Number(process.versions.node.split(".")[0]) >= 24;

/** The file for a Node without `await using`: the test's end disposes what is open. */
function lowered(code) {
  if (hasUsing) return code;
  return code.replace(/await using (\w+) = (.*);/g, "const $1 = $2;\n  t.after(() => $1[Symbol.asyncDispose]());");
}

/** Runs the files as tests of a project that has the library. */
function run(files) {
  const project = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-readme-"));
  try {
    // What `npm install` of a folder does, which Debian has in another package than Node.
    fs.mkdirSync(path.join(project, "node_modules"));
    fs.symlinkSync(folder, path.join(project, "node_modules/pushpit"));
    for (const [name, code] of files) fs.writeFileSync(path.join(project, name), lowered(code));
    // Not as a part of this run, so that its own summary is printed.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    return spawnSync(process.execPath, ["--test"], { cwd: project, env, encoding: "utf8" });
  } finally {
    fs.rmSync(project, { recursive: true });
  }
}

test("the examples of README.md pass", { timeout: 60_000 }, () => {
  const files = shown("README.md");
  assert.deepEqual(files.map(([name]) => name), ["goal.test.mjs", "clock.test.mjs"]);
  const { status, stdout } = run(files);
  assert.equal(status, 0, stdout);
  assert.match(stdout, /pass 3\n/);
});

test("the example of docs/hunting.md fails with a call to paste", { timeout: 100_000 }, () => {
  const files = shown("../../docs/hunting.md");
  assert.deepEqual(files.map(([name]) => name), ["goal.test.mjs"]);
  const { status, stdout } = run(files);
  assert.equal(status, 1, stdout);
  assert.match(stdout, /Pushpit hunted for \d+ s: \d+ variants, .* of failure\. The smallest that fails, 5 of 5/);
  assert.match(stdout, /^ *await session\.fault\({ answer: ".*", limit: 1 }\);$/m);
  assert.match(stdout, /fail 1\n/);
});
