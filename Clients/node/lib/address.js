// Which server is meant where no address is given.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { NoServerError } from "./errors.js";

/** The admin API of a server with the usual ports. */
const USUAL = "http://127.0.0.1:2190";

/**
 * The admin API of the server that the commands of `pushpit` would use (docs/exit-codes.md), and its certificate authority
 * if a state folder names it.
 */
export function runningServer() {
  const { PUSHPIT_ADMIN: url, PUSHPIT_STATE: named } = process.env;
  if (url) return { url };
  const folder = named ? path.resolve(named.replace(/^~(?=\/)/, os.homedir())) : defaultState();
  try {
    const { admin, ca } = JSON.parse(fs.readFileSync(readyFile(folder), "utf8"));
    return { url: admin, ca };
  } catch {
    if (named) throw new NoServerError(`PUSHPIT_STATE names ${folder}, where no server runs.`);
    return { url: USUAL };
  }
}

/**
 * The ready line of the newest server of a folder that lives: `ready.json` is that of a server even after it was killed.
 */
function readyFile(folder) {
  const own = path.join(folder, "ready");
  const names = fs.existsSync(own) ? fs.readdirSync(own).filter((name) => name.endsWith(".json")) : [];
  const files = names.filter((name) => lives(parseInt(name, 10))).map((name) => path.join(own, name));
  const [newest] = files.sort((one, other) => fs.statSync(other).mtimeMs - fs.statSync(one).mtimeMs);
  return newest ?? path.join(folder, "ready.json");
}

/** True if a process runs. */
function lives(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** The state folder of a server to which none was given. */
function defaultState() {
  return path.join(process.env.XDG_STATE_HOME || path.join(os.homedir(), ".local/state"), "pushpit");
}
