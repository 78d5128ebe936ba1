// What README.md shows runs as it stands.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const folder = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const blocks = [...fs.readFileSync(path.join(folder, "README.md"), "utf8").matchAll(/^```js goal.test.mjs\n(.*?)^```$/gms)];

test("README.md", { timeout: 60_000 }, () => {
  assert.equal(blocks.length, 1);
  const project = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-readme-"));
  try {
    // What `npm install` of a folder does, which Debian has in another package than Node.
    fs.mkdirSync(path.join(project, "node_modules"));
    fs.symlinkSync(folder, path.join(project, "node_modules/pushpit"));
    fs.writeFileSync(path.join(project, "goal.test.mjs"), blocks[0][1]);
    // Not as a part of this run, so that its own summary is printed.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ["--test", project], { env, encoding: "utf8" });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /pass 2\n/);
  } finally {
    fs.rmSync(project, { recursive: true });
  }
});
