// What README.md shows runs as it stands.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const text = fs.readFileSync(path.join(folder, "README.md"), "utf8");
const files = [...text.matchAll(/^```js (\S+)\n(.*?)^```$/gms)].map(([, name, code]) => [name, code]);

const hasUsing = Number(process.versions.node.split(".")[0]) >= 24;

/** The file for a Node without `await using`: the test's end disposes what is open. */
function lowered(code) {
  if (hasUsing) return code;
  return code.replace(/await using (\w+) = (.*);/g, "const $1 = $2;\n  t.after(() => $1[Symbol.asyncDispose]());");
}

test("the examples of README.md pass", { timeout: 60_000 }, () => {
  assert.deepEqual(files.map(([name]) => name), ["goal.test.mjs", "clock.test.mjs"]);
  const project = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-readme-"));
  try {
    // What `npm install` of a folder does, which Debian has in another package than Node.
    fs.mkdirSync(path.join(project, "node_modules"));
    fs.symlinkSync(folder, path.join(project, "node_modules/pushpit"));
    for (const [name, code] of files) fs.writeFileSync(path.join(project, name), lowered(code));
    // Not as a part of this run, so that its own summary is printed.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ["--test"], { cwd: project, env, encoding: "utf8" });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /pass 3\n/);
  } finally {
    fs.rmSync(project, { recursive: true });
  }
});
