// Pushes of the tests' own, by `pushpit send`: for a first try, and where a test has no backend.

import { execFile } from "node:child_process";
import path from "node:path";

import { SendError } from "./errors.js";
import { cleanEnvironment } from "./program.js";

/** `options` are flags of `pushpit send` in camel case, and `timeout` in milliseconds. */
export async function send(program, admin, ca, payload, { timeout = 30_000, ...options }) {
  const words = ["send", "--admin", admin, "--state", path.dirname(ca)];
  if (payload !== undefined) words.push("--payload", "-");
  for (const [name, value] of Object.entries(options)) {
    const flag = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) words.push(flag);
    else if (value !== undefined && value !== false) words.push(flag, String(value));
  }
  const { problem, stdout, stderr } = await new Promise((resolve) => {
    const child = execFile(program, words, { timeout, env: cleanEnvironment() }, (problem, stdout, stderr) =>
      resolve({ problem, stdout, stderr }),
    );
    child.stdin.on("error", () => {});
    child.stdin.end(body(payload));
  });
  if (problem?.killed) throw new SendError(`The push was not answered within ${timeout / 1000} s.`);
  if (typeof problem?.code === "string") throw new SendError(`${program} cannot be started: ${problem.code}.`);
  const [, status, apnsId, answer] = /^(\d+) ?(\S*) ?(.*)$/s.exec(stdout.trim()) ?? [];
  if (status === undefined) {
    const lines = stderr.split("\n").filter(Boolean);
    const said = (lines.find((line) => line.startsWith("Error: ")) ?? lines.at(-1))?.replace(/^Error: /, "");
    throw new SendError(said ?? `pushpit send ended with ${problem?.code ?? 0}, and said nothing.`);
  }
  return { status: Number(status), apnsId, reason: reason(answer) };
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
