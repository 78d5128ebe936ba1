// Hunts: a test is played again and again, each time with other faults, until one makes it fail. What to play is the
// server's choice.

import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";

import { HuntError, InvalidRequestError, PushpitError } from "./errors.js";
import { BESIDE } from "./fault.js";
import { patience } from "./waiting.js";

const LIBRARY = path.dirname(fileURLToPath(import.meta.url)) + path.sep;

/** Number of plays without trouble, before the hunt begins. */
const PLAIN = 4;
/** Fewer variants than these say nothing. */
const FEW = 10;
/** Milliseconds between two lines that tell how far a hunt is. */
const INTERVAL = 10_000;
/** Factor for the time of a hunt that is making a failure smaller. */
const LONGER = 1.5;
const MOST_SEED = 2 ** 31 - 1;

const entry = ({ name, ...rest }) => rest;
const key = (faults) => JSON.stringify(faults.map(entry));

/** A text that is valid in JSON: no half of a character is left. Node has `toWellFormed` only since 20. */
const wellFormed = (text) => Buffer.from(text).toString();

/** A fault as the call that sets it. */
export function faultCall(fault) {
  const { then, ...beside } = entry(fault);
  const words = Object.keys(then).some((word) => BESIDE.includes(word)) ? { then } : then;
  return `await session.fault(${literal({ ...words, ...beside })});`;
}

function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => {
    return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${literal(inner)}`;
  });
  return members.length > 0 ? `{ ${members.join(", ")} }` : "{}";
}

/** The failure of a test as the server takes it: its sentence, and the line where it failed, outside this library. */
function failure(problem) {
  const message = problem instanceof Error ? `${problem.name}: ${problem.message}` : inspect(problem);
  const lines = (typeof problem?.stack === "string" ? problem.stack.split("\n") : [])
    .map((line) => /(?:\()?((?:file:\/\/)?\/[^():]*):(\d+):\d+\)?$/.exec(line.trim()))
    .filter((found) => found && !found[1].includes("node:"))
    .map(([, file, line]) => [file.startsWith("file:") ? fileURLToPath(file) : file, line])
    .filter(([file]) => !file.startsWith(LIBRARY));
  const at = lines.length > 0 ? `${problem.name} at ${path.relative("", lines[0][0])}:${lines[0][1]}` : undefined;
  return { failure: wellFormed(message.split("\n")[0]), at };
}

const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const kinds = (finds) => `${counted(finds.length, "kind")} of failure`;
const short = (number) => `${Number(number.toPrecision(6))}`;

/** A text that moves no cursor and changes no color. */
const oneLine = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ");

const ignore = () => {};

/** Writes to stderr. If nobody reads it, the stream has an error afterwards, which would end the process. */
function tell(line) {
  const { stderr } = process;
  if (!stderr.listeners("error").includes(ignore)) stderr.on("error", ignore);
  stderr.write(line, () => setImmediate(() => stderr.off("error", ignore)));
}

/** The finds of earlier hunts of a test. */
class Examples {
  constructor(name) {
    this.name = name;
    const slug = name.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(-80);
    const digest = crypto.createHash("sha256").update(name).digest("hex").slice(0, 8);
    this.path = path.join(".pushpit", "hunts", `${slug}-${digest}.json`);
    this.all = [];
    let text;
    try {
      text = fs.readFileSync(this.path, "utf8");
    } catch (problem) {
      if (["ENOENT", "ENOTDIR"].includes(problem.code)) return;
      throw new PushpitError(`${this.path} cannot be read: ${problem.code}.`);
    }
    try {
      this.all = JSON.parse(text).examples;
      this.all.forEach(({ perturbations }) => perturbations.length);
    } catch {
      throw new PushpitError(`${this.path} is not what a hunt keeps; delete it.`);
    }
  }

  add({ words, perturbations, failure }) {
    const wanted = JSON.stringify(perturbations);
    if (this.all.some((one) => JSON.stringify(one.perturbations) === wanted)) return;
    this.all.push({ words, perturbations, failure });
  }

  /** Drops the example with these faults. */
  drop(faults) {
    this.all = this.all.filter((one) => JSON.stringify(one.perturbations.map((part) => part.entry)) !== key(faults));
  }

  /** A sentence if they cannot be written. */
  write() {
    try {
      if (this.all.length === 0) {
        fs.rmSync(this.path, { force: true });
      } else {
        fs.mkdirSync(path.dirname(this.path), { recursive: true });
        const fresh = `${this.path}.${process.pid}`;
        try {
          fs.writeFileSync(fresh, `${JSON.stringify({ test: this.name, examples: this.all }, null, 1)}\n`);
          fs.renameSync(fresh, this.path);
        } finally {
          fs.rmSync(fresh, { force: true });
        }
      }
    } catch (problem) {
      return `What was found could not be kept in ${this.path}: ${problem.code}.`;
    }
    return undefined;
  }
}

/** A hunt with one test. */
class Hunter {
  constructor(pushpit, body, { name, seconds, seed, accept, variants, ...options }) {
    Object.assign(this, { pushpit, body, name, seconds, seed, accept, variants, options });
    this.began = Date.now();
    this.examples = new Examples(name);
    this.notes = [];
    /** The latest plays that failed, by their faults. */
    this.failed = new Map();
    /** True if the server had nothing left to play. */
    this.isOver = false;
    this.took = 0;
    this.plays = 0;
  }

  get spent() {
    return (Date.now() - this.began) / 1000;
  }

  async hunt() {
    const { admin } = this.pushpit;
    const name = wellFormed(this.name);
    const kept = this.examples.all.map((one) => one.perturbations);
    try {
      this.report = await admin.post("/v1/hunts", { name, seed: this.seed, accept: this.accept, kept });
    } catch (problem) {
      if (!(problem instanceof InvalidRequestError && problem.field === "kept")) throw problem;
      throw new PushpitError(`${problem.message} (in ${this.examples.path}; delete it to begin anew)`);
    }
    const place = `/v1/hunts/${this.report.id}`;
    let told = this.began;
    try {
      while (this.#goesOn) {
        if (Date.now() - told >= INTERVAL) {
          told = Date.now();
          this.#tell();
        }
        const { play, over } = await admin.post(`${place}/next`);
        if (!play) {
          this.report = over ?? this.report;
          this.isOver = over !== undefined;
          break;
        }
        await this.#judge(place, play);
      }
    } finally {
      await admin.delete(place).catch(() => {});
      const sentence = this.examples.write();
      this.isKept = !sentence;
      if (sentence) this.notes.push(sentence);
    }
    this.#tellOfTime();
  }

  /** Tells how far it is, where nobody takes it for a result. */
  #tell() {
    const { finds, investigating, played } = this.report;
    const does = investigating ? "makes a failure smaller" : "hunts";
    const most = investigating ? `at most ${short(LONGER * this.seconds)}` : short(this.seconds);
    const parts = [`${counted(played, "variant")} in ${this.spent.toFixed(0)} of ${most} s`];
    if (finds.length > 0) parts.push(kinds(finds));
    else if (!investigating) parts.push("nothing found yet");
    tell(`${oneLine(this.name)} ${does}: ${parts.join(", ")}\n`);
  }

  /**
   * False if the time is over, or enough is played. A failure that is being looked into gets half of the time more. The
   * test is played at least once: it must not pass unseen.
   */
  get #goesOn() {
    if (this.plays === 0) return true;
    if (this.report.investigating) return this.spent < LONGER * this.seconds;
    return this.spent < this.seconds && this.drawn < this.variants;
  }

  /** Number of variants after the first plays, which have no trouble. */
  get drawn() {
    return Math.max(0, this.report.played - PLAIN);
  }

  async #judge(place, variant) {
    const begun = Date.now();
    const verdict = await patience.run(variant.patience, () => this.#play(variant));
    this.took += Date.now() - begun;
    this.plays += 1;
    const known = this.report.finds.length;
    this.report = await this.pushpit.admin.post(`${place}/verdict`, { variant: variant.variant, ...verdict });
    if (variant.purpose === "kept" && verdict.passed) this.examples.drop(variant.faults);
    for (const find of this.report.finds.slice(known)) this.examples.add(find);
    if (this.report.finds.length > known) this.examples.write();
  }

  async #play({ faults }) {
    const session = await this.pushpit.session(this.options);
    try {
      for (const fault of faults) await session.fault(fault);
    } catch (problem) {
      return { session: session.name, problem: problem.message };
    }
    try {
      await this.body(session);
      await session.check();
      return { session: session.name, passed: true };
    } catch (problem) {
      await session.explained(problem);
      this.failed.delete(key(faults));
      this.failed.set(key(faults), problem);
      if (this.failed.size > 200) this.failed.delete(this.failed.keys().next().value);
      return { session: session.name, passed: false, ...failure(problem) };
    }
  }

  #tellOfTime() {
    const { report } = this;
    this.notes.push(...report.notes);
    const { drawn } = this;
    if (this.refusal) return;
    if (report.investigating && !report.unfinished) {
      this.notes.push("A variant failed just before the time was over; a longer hunt would look into it.");
    }
    if (this.finds.length > 0) return;
    if (this.isOver) {
      if (drawn === 0) this.notes.push("Every kind of trouble is accepted, so nothing but the test itself was played.");
    } else if (drawn < Math.min(FEW, this.variants)) {
      const mean = (this.took / Math.max(1, this.plays) / 1000).toFixed(1);
      this.notes.push(
        `Only ${counted(drawn, "variant")} fit into ${short(this.seconds)} s, because a play of the test takes` +
          ` ${mean} s, and the first ${PLAIN} have no trouble. A hunt needs hundreds: raise seconds, or shorten what` +
          " the test waits for.",
      );
    }
  }

  /** The finds with the fewest faults first, and last one that was not made smaller to the end. */
  get finds() {
    const found = [...this.report.finds].sort((one, other) => one.faults.length - other.faults.length);
    return this.report.unfinished ? [...found, this.report.unfinished] : found;
  }

  /** The reason why it ended before its time, or why nothing can be believed. */
  get refusal() {
    return this.report.refusal ?? this.report.doubt ?? undefined;
  }

  /** The error of the test; undefined if nothing was found. */
  get problem() {
    const { refusal, finds } = this;
    const { suspect } = this.report;
    if (refusal && finds.length === 0) {
      const lines = suspect ? ["", "The faults of that variant:", "", ...calls(suspect)] : [];
      const cause = [...this.failed.values()].pop();
      return new HuntError([`Pushpit could not hunt: ${refusal}`, ...lines].join("\n"), { cause });
    }
    if (finds.length === 0) return undefined;
    const [first, ...others] = finds;
    const variants = counted(this.report.played, "variant");
    const hunted = `Pushpit hunted for ${this.spent.toFixed(0)} s: ${variants}, ${kinds(finds)}.`;
    const lines = [`${hunted} ${often(first)}:`, "", ...calls(first), "", `It fails with: ${first.failure}`];
    for (const other of others) {
      lines.push("", `Another failure, ${other.failure}`, `${often(other)}:`, "", ...calls(other));
    }
    if (this.report.finds.length > 0 && this.isKept) {
      lines.push("", `Kept in ${this.examples.path}, and played first the next time.`);
    }
    lines.push(`seed: ${this.seed} draws the same variants again.`, ...this.notes);
    if (refusal) lines.push(`The hunt ended early: ${refusal}`);
    return new HuntError(lines.join("\n"), { cause: this.failed.get(key(first.faults)) });
  }
}

const calls = ({ faults, words }) => faults.flatMap((fault, n) => [`    // ${words[n]}`, `    ${faultCall(fault)}`]);

const often = ({ fails, plays }) =>
  plays < 5 ? "The smallest so far" : `The smallest that fails, ${fails} of ${plays} times`;

/** Plays a test until its time is over; returns what was survived, or throws the smallest failure. */
export async function hunt(pushpit, body, given) {
  let { seconds, seed, accept = [], variants = Infinity, name = body?.name, ...options } = given ?? {};
  if (typeof body !== "function") {
    throw new PushpitError("hunt takes a test, async (session) => { … }, and { seconds: 60 }.");
  }
  if (!(Number.isFinite(seconds) && seconds > 0)) {
    throw new PushpitError(`seconds is how long to hunt, more than 0, and not ${inspect(seconds)}.`);
  }
  seed ??= crypto.randomInt(1, MOST_SEED);
  if (!Number.isInteger(seed) || seed < 0 || seed > MOST_SEED) {
    throw new PushpitError(`seed is a whole number from 0 to ${MOST_SEED}, and not ${inspect(seed)}.`);
  }
  if (!Array.isArray(accept) || !accept.every((word) => typeof word === "string")) {
    throw new PushpitError(`accept is a list of words, such as ["goAway"], and not ${inspect(accept)}.`);
  }
  if (!(variants >= 1 && (Number.isInteger(variants) || variants === Infinity))) {
    throw new PushpitError(`variants is a whole number, 1 or more, and not ${inspect(variants)}.`);
  }
  if (!name) throw new PushpitError("hunt needs the option name for a test that is a function without a name.");
  if (typeof name !== "string") throw new PushpitError(`name is a text, and not ${inspect(name)}.`);
  const hunter = new Hunter(pushpit, body, { name, seconds, seed, accept, variants, ...options });
  await hunter.hunt();
  const problem = hunter.problem;
  if (problem) throw problem;
  const { played, survived, notReached } = hunter.report;
  return { played, survived, notReached, seed, notes: hunter.notes };
}
