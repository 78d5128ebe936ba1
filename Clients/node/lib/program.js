// Finds the program, starts `pushpit serve`, and sees to it that the server ends with this process.

import { execFile, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { ProgramNotFoundError, StartError, WrongVersionError } from "./errors.js";

const here = path.dirname(fileURLToPath(import.meta.url));

export const version = JSON.parse(fs.readFileSync(path.join(here, "../package.json"), "utf8")).version;

const STOP_TIMEOUT = 15_000;

// Reads one line from this process. If this process dies, the line never comes: then the server is told to end, and its
// folder goes with it. The pid is not used once the end of the server is known.
const WATCHER = `
if read -r _; then exit 0; fi
kill -TERM "$1" 2>/dev/null
n=0
while kill -0 "$1" 2>/dev/null && [ $n -lt 150 ]; do sleep 0.1; n=$((n + 1)); done
kill -KILL "$1" 2>/dev/null
rm -rf -- "$2"
`;

function isProgram(file) {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The program: the one that is named, that of PUSHPIT_BINARY, that in this package, or that on PATH. */
export function findProgram(program) {
  const named = program ?? (process.env.PUSHPIT_BINARY || undefined);
  if (named !== undefined) {
    if (isProgram(named)) return path.resolve(named);
    throw new ProgramNotFoundError(
      program !== undefined
        ? `${named} is not a program that can be started.`
        : `PUSHPIT_BINARY names ${named}, which is not a program that can be started.`,
    );
  }
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter(Boolean);
  const found = [path.join(here, "../bin"), ...folders].map((folder) => path.join(folder, "pushpit")).find(isProgram);
  if (found) return path.resolve(found);
  throw new ProgramNotFoundError(
    "The program pushpit was not found: this package brings none for this platform, and there is none on the PATH; " +
      "install the Debian package or the tarball (make deb tarball), or build it (make build) and set " +
      "PUSHPIT_BINARY to it.",
  );
}

/** Number of the ready line and the admin API that this package knows. */
const PROTOCOL = 1;

/** `found` is a ready line, or the answer to GET /version. */
export function checkProtocol(found, what) {
  if (found.protocol === PROTOCOL) return;
  const wanted = `this package (pushpit ${version}) is for protocol ${PROTOCOL}`;
  throw new WrongVersionError(`${what} is Pushpit ${found.version}, and ${wanted}; use the same version of both.`);
}

/** The environment of this process without PUSHPIT_ variables: tests set everything by flags. */
function cleanEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PUSHPIT_")));
}

/** A running `pushpit serve` that belongs to this process. */
export class Server {
  #watcher;
  #stopped = false;

  /** `settings` are those of a settings file; `state` and `tape` name a folder and a file. */
  static async start(program, settings, { state, tape, timeout }) {
    const server = new Server(program, settings, state, tape);
    try {
      await server.#launched;
      server.#watch();
      server.ready = await server.#readyLine(timeout);
      checkProtocol(server.ready, program);
      // From now on neither keeps this process running: where it ends without stop(), the watcher ends the server.
      server.process.unref();
      server.process.stdout.unref();
      return server;
    } catch (problem) {
      await server.stop();
      throw problem;
    }
  }

  #launched;

  constructor(program, settings, state, tape) {
    this.program = program;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-"));
    this.readyFile = path.join(this.folder, "ready.json");
    this.log = path.join(this.folder, "server.log");
    const log = fs.openSync(this.log, "w");
    const file = path.join(this.folder, "settings.json");
    fs.writeFileSync(file, JSON.stringify(settings));
    const words = ["--config", file, "--state", state ?? path.join(this.folder, "state"), "--ready-file", this.readyFile];
    if (tape !== undefined) words.push("--tape", tape);
    // A session of its own: Ctrl-C is for the tests, which then end the server in order.
    this.process = spawn(program, ["serve", ...words], {
      stdio: ["ignore", "pipe", log],
      env: cleanEnvironment(),
      detached: true,
    });
    fs.closeSync(log);
    this.ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.#launched = new Promise((resolve, reject) => {
      this.process.once("spawn", resolve);
      this.process.once("error", (problem) => reject(new StartError(`${program} cannot be started: ${problem.code}.`)));
    });
  }

  #watch() {
    const words = ["-c", WATCHER, "pushpit-watcher", String(this.process.pid), this.folder];
    this.#watcher = spawn("/bin/sh", words, { stdio: ["pipe", "ignore", "ignore"], detached: true });
    this.#watcher.unref();
    this.#watcher.stdin.unref();
    this.#watcher.stdin.on("error", () => {});
    this.ended.then(() => this.#releaseWatcher());
  }

  #releaseWatcher() {
    this.#watcher?.stdin.end("done\n");
    this.#watcher = undefined;
  }

  async #readyLine(timeout) {
    let text = "";
    const line = new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new StartError(`${this.program} was not ready within ${timeout / 1000} s.${this.#lastWords()}`)),
        timeout,
      );
      this.process.stdout.on("data", (piece) => {
        text += piece;
        if (!text.includes("\n")) return;
        clearTimeout(timer);
        resolve(text.slice(0, text.indexOf("\n")));
      });
      this.process.stdout.once("close", () => {
        clearTimeout(timer);
        this.ended.then(() => resolve(undefined));
      });
    });
    const found = await line;
    if (found === undefined) throw await this.#startError();
    let ready;
    try {
      ready = JSON.parse(found);
    } catch {
      ready = undefined;
    }
    if (typeof ready?.admin === "string" && typeof ready.version === "string") return ready;
    throw new StartError(`${this.program} is not Pushpit: it printed no ready line.`);
  }

  async #startError() {
    const shown = await new Promise((resolve) => {
      const options = { timeout: 5000, env: cleanEnvironment() };
      execFile(this.program, ["--version"], options, (_, stdout) => resolve((stdout ?? "").trim()));
    });
    if (/^\d/.test(shown) && shown !== version) {
      try {
        checkProtocol({ version: shown }, this.program);
      } catch (problem) {
        return problem;
      }
    }
    return new StartError(`${this.program} ended with ${this.#ending()} before it was ready.${this.#lastWords()}`);
  }

  #ending() {
    const { exitCode, signalCode } = this.process;
    return signalCode ? `signal ${signalCode}` : `exit code ${exitCode}`;
  }

  /** The server's error, or the last line it wrote, as a sentence to put behind another. */
  #lastWords() {
    const lines = fs.readFileSync(this.log, "utf8").split("\n").filter((line) => line.trim());
    const chosen = lines.filter((line) => line.startsWith("Error: ")).at(-1) ?? lines.at(-1);
    return chosen ? ` It said: ${chosen.replace(/^Error: /, "")}` : "";
  }

  /** A sentence if the process has ended. */
  async whyGone() {
    if (this.#stopped) return `The server at ${this.ready.admin} was stopped.`;
    if (!(await within(500, this.ended))) return undefined;
    // Somebody else has ended it: its last line has nothing to do with that.
    const words = ["SIGKILL", "SIGTERM"].includes(this.process.signalCode) ? "" : this.#lastWords();
    return `The server at ${this.ready.admin} has ended, with ${this.#ending()}.${words}`;
  }

  /** Ends the server, by its pid. Stopping it again has no effect. */
  async stop() {
    if (!this.#stopped && this.process.pid !== undefined) {
      this.process.ref();
      if (this.process.exitCode === null && this.process.signalCode === null) {
        this.process.kill("SIGTERM");
        if (!(await within(STOP_TIMEOUT, this.ended))) this.process.kill("SIGKILL");
      }
      await this.ended;
    }
    this.#stopped = true;
    this.#releaseWatcher();
    this.process.stdout?.destroy();
    await fs.promises.rm(this.folder, { recursive: true, force: true });
  }
}

/** True if the promise is fulfilled within this many milliseconds. */
async function within(milliseconds, promise) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  const kept = await Promise.race([promise.then(() => true), late]);
  clearTimeout(timer);
  return kept;
}
