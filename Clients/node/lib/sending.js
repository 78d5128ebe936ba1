// Pushes of the tests' own, by `pushpit send`: for a first try, and where a test has no backend.

import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

import { SendError } from "./errors.js";
import { cleanEnvironment } from "./program.js";

/** `options` are flags of `pushpit send` in camel case, and `timeout` in milliseconds. */
export async function send(program, admin, { ca, keys }, payload, { timeout = 30_000, ...options }) {
  const state = path.dirname(ca);
  if (!fs.existsSync(path.join(state, "keys.json"))) await register(program, state, keys);
  const words = ["send", "--admin", admin, "--state", state];
  if (payload !== undefined) words.push("--payload", "-");
  for (const [name, value] of Object.entries(options)) {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) words.push(flag);
    else if (value !== undefined && value !== false) words.push(flag, String(value));
  }
  const { problem, stdout, stderr } = await run(program, words, timeout, body(payload));
  if (problem?.killed) throw new SendError(`The push was not answered within ${timeout / 1000} s.`);
  if (typeof problem?.code === "string") throw new SendError(`${program} cannot be started: ${problem.code}.`);
  const [, status, apnsId, answer] = /^(\d+) ?(\S*) ?(.*)$/s.exec(stdout.trim()) ?? [];
  if (status === undefined) {
    throw new SendError(sentence(stderr) ?? `pushpit send ended with ${problem?.code ?? 0}, and said nothing.`);
  }
  return { status: Number(status), apnsId, reason: reason(answer) };
}

/** Tells the program of keys that were downloaded. */
async function register(program, state, keys) {
  for (const { p8, keyId, teamId } of keys) {
    const words = ["keys", "add", p8, "--key-id", keyId, "--team-id", teamId, "--state", state];
    const { problem, stderr } = await run(program, words, 30_000, "");
    if (problem) throw new SendError(sentence(stderr) ?? `pushpit keys add ended with ${problem.code}.`);
  }
}

function run(program, words, timeout, input) {
  return new Promise((resolve) => {
    const child = execFile(program, words, { timeout, env: cleanEnvironment() }, (problem, stdout, stderr) =>
      resolve({ problem, stdout, stderr }),
    );
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

function sentence(stderr) {
  const lines = stderr.split("\n").filter(Boolean);
  return (lines.find((line) => line.startsWith("Error: ")) ?? lines.at(-1))?.replace(/^Error: /, "");
}

function body(payload) {
  if (typeof payload === "string") return JSON.stringify({ aps: { alert: payload } });
  return payload === undefined || payload instanceof Uint8Array ? (payload ?? "") : JSON.stringify(payload);
}

function reason(answer) {
  try {
    return JSON.parse(answer).reason ?? null;
  } catch {
    return null;
  }
}
