// Which servers may be meant where no address is given.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";

import { NoServerError } from "./errors.js";

/** The admin API of a server with the usual ports. */
const USUAL = "http://127.0.0.1:2190";

/**
 * The admin APIs of the servers that may be meant, as for the commands of `pushpit` (docs/exit-codes.md), each with its
 * certificate authority if a state folder names it. The first that answers is meant.
 */
export function runningServers() {
  const { PUSHPIT_ADMIN: url, PUSHPIT_STATE: named } = process.env;
  if (url) return [{ url }];
  const folder = named ? path.resolve(named.replace(/^~(?=\/)/, os.homedir())) : defaultState();
  // The newest server was killed, if another one answers.
  const files = [path.join(folder, "ready.json"), ...readyFiles(path.join(folder, "ready"))];
  const found = files.map(server).filter(Boolean);
  if (named && found.length === 0) throw new NoServerError(`PUSHPIT_STATE names ${folder}, where no server runs.`);
  return named ? found : [...found, { url: USUAL }];
}

/** The ready lines of a folder's servers, newest first. A server that ends removes its own at any moment. */
function readyFiles(folder) {
  try {
    const names = fs.readdirSync(folder).filter((name) => /^[0-9].*\.json$/.test(name));
    const files = names.map((name) => path.join(folder, name));
    const dated = files.map((file) => ({ file, time: fact(file)?.mtimeMs ?? 0 }));
    return dated.sort((one, other) => other.time - one.time).map(({ file }) => file);
  } catch {
    return [];
  }
}

function fact(file) {
  return fs.statSync(file, { throwIfNoEntry: false });
}

/** The server with that ready line. */
function server(file) {
  try {
    if (!fact(file)?.isFile()) return undefined;
    const { admin, ca } = JSON.parse(fs.readFileSync(file, "utf8"));
    return admin.startsWith("http://") ? { url: admin, ca } : undefined;
  } catch {
    return undefined;
  }
}

/** The state folder of a server to which none was given. */
function defaultState() {
  return path.join(process.env.XDG_STATE_HOME || path.join(os.homedir(), ".local/state"), "pushpit");
}
