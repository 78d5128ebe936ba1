// The types, by the TypeScript compiler: Debian's node-typescript.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

import * as pushpit from "../lib/index.js";

const folder = path.dirname(fileURLToPath(import.meta.url));
const missing = spawnSync("tsc", ["--version"]).error !== undefined;
// Where CI runs, no test may skip what it needs.
const skip = missing && !process.env.CI && "tsc is not installed";

test("the types fit what the module does, and refuse what does not exist", { skip }, async () => {
  const source = path.join(folder, "types/example.ts");
  const made = path.join(folder, "types/example.js");
  try {
    const words = ["--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node", source];
    const { status, stdout } = spawnSync("tsc", words, { encoding: "utf8" });
    assert.equal(status, 0, stdout);
    const { play } = await import(pathToFileURL(made).href);
    const played = await play(process.env.PUSHPIT_BINARY);
    assert.equal(played, `64 430 Goal! 2 open ${pushpit.version} 404 true`);
  } finally {
    fs.rmSync(made, { force: true });
  }
});

test("the module exports what the types declare", () => {
  const declared = fs.readFileSync(path.join(folder, "../lib/index.d.ts"), "utf8");
  const names = [...declared.matchAll(/^export (?:class|function|const) (\w+)/gm)].map((match) => match[1]);
  assert.deepEqual(names.sort(), Object.keys(pushpit).sort());
  for (const name of ["Pushpit", "Session", "Phone", "Fault", "Clock"]) {
    const block = declared.match(new RegExp(`^export class ${name} \\{(.*?)^\\}`, "ms"))[1];
    const methods = [...block.matchAll(/^  (?:static )?(\w+)(?:<T>)?\(/gm)].map((match) => match[1]);
    const own = [...Object.getOwnPropertyNames(pushpit[name].prototype), ...Object.getOwnPropertyNames(pushpit[name])];
    for (const method of methods) assert(own.includes(method), `${name}.${method}`);
  }
});
