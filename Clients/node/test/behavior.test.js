// Every case of behavior.json, which every client library must pass.

import assert from "node:assert/strict";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import * as pushpit from "../lib/index.js";

const table = JSON.parse(fs.readFileSync(new URL("../../behavior.json", import.meta.url), "utf8"));
const program = process.env.PUSHPIT_BINARY;
assert(program, "Set PUSHPIT_BINARY to the program that is to be tested; `make client-test` does.");

let server;
let elsewhere;
let anotherVersion;

/** The address of a server that answers everything with this text, and how to close it. */
async function answering(text) {
  const answers = http.createServer((_, response) => response.end(text));
  await new Promise((resolve) => answers.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${answers.address().port}`, close: () => answers.close() };
}

before(async () => {
  server = await pushpit.Pushpit.start({ ...startOptions(table.server), program });
  elsewhere = await answering("hi");
  anotherVersion = await answering('{"name":"pushpit","version":"9.9.9"}');
});

after(async () => {
  elsewhere?.close();
  anotherVersion?.close();
  await server?.stop();
});

const milliseconds = ({ within, timeout, ...rest }) => ({
  ...rest,
  ...(within !== undefined && { within: within * 1000 }),
  ...(timeout !== undefined && { timeout: timeout * 1000 }),
});

/** The target, or the first phone of a session. */
const phone = (target) => (target.phones ? target.phone : target);

/** The options for `start` in place of the table's flags; one that does not exist is an option that does not exist. */
function startOptions(flags = []) {
  const options = {
    "--fleet": (value) => ({ fleet: Number(value) }),
    "--clock": (value) => ({ clock: value }),
    "--host": (value) => ({ settings: { "listen.host": value } }),
    "--port": (value) => ({ settings: { "listen.sandbox": Number(value) } }),
    "--admin-port": (value) => ({ settings: { "listen.admin": Number(value) } }),
  };
  const pairs = flags.flatMap((flag, place) => (place % 2 === 0 ? [[flag, flags[place + 1]]] : []));
  return Object.assign({}, ...pairs.map(([flag, value]) => options[flag]?.(value) ?? { [flag.slice(2)]: value }));
}

/** The answer to a push, as the table has it. */
const answer = ({ status, apnsId, reason }) => ({ status, apnsId, reason });

class Player {
  constructor(folder) {
    this.folder = folder;
    this.started = [];
    this.paused = [];
    fs.mkdirSync(path.join(folder, "bin"));
    fs.symlinkSync(path.resolve(program), path.join(folder, "bin/pushpit"));
    this.state("ready", server.ready);
    this.state("ready/pushpit", server.ready);
    this.state("stale", { ...server.ready, ca: path.join(folder, "stale/ca.pem") });
    // A server was started later than the suite's, and killed.
    const dead = { ...server.ready, admin: "http://127.0.0.1:1" };
    this.state("killed/ready", dead);
    this.state("killed", dead);
    const killed = path.join(folder, "killed/ready");
    fs.writeFileSync(path.join(killed, `${process.pid}.json`), JSON.stringify(server.ready));
    fs.renameSync(path.join(killed, "ready.json"), path.join(killed, "99999999.json"));
    this.scope = {
      killedFolder: path.join(folder, "killed"),
      readyFolder: path.join(folder, "ready"),
      staleFolder: path.join(folder, "stale"),
      pushpit: server,
      programFolder: path.join(folder, "bin"),
      url: server.url,
      port: server.admin.port,
      elsewhere: elsewhere.url,
      anotherVersion: anotherVersion.url,
    };
  }

  /** A state folder with a ready line in it. */
  state(name, ready) {
    fs.mkdirSync(path.join(this.folder, name), { recursive: true });
    fs.writeFileSync(path.join(this.folder, name, "ready.json"), JSON.stringify(ready));
  }

  operations = {
    start: async (_, { env, program: named, flags, ...options }) => {
      if (named?.script) {
        const file = path.join(this.folder, "program");
        fs.writeFileSync(file, `${named.script.join("\n")}\n`, { mode: 0o755 });
        named = file;
      }
      const before = { ...process.env };
      if (env) {
        delete process.env.PUSHPIT_BINARY;
        Object.assign(process.env, env);
      }
      try {
        if (!env) named ??= program;
        const own = await pushpit.Pushpit.start({ ...startOptions(flags), ...milliseconds(options), program: named });
        this.started.push(own);
        return own;
      } finally {
        process.env = before;
      }
    },
    connect: async (_, { url, env = {}, ...options }) => {
      const before = { ...process.env };
      for (const name of ["PUSHPIT_ADMIN", "PUSHPIT_STATE"]) delete process.env[name];
      Object.assign(process.env, env);
      try {
        return await pushpit.Pushpit.connect(url, milliseconds(options));
      } finally {
        process.env = before;
      }
    },
    stop: (target) => target.stop(),
    kill: (target) => void process.kill(target.pid, "SIGKILL"),
    pause: (target) => {
      process.kill(target.pid, "SIGSTOP");
      this.paused.push(target.pid);
    },
    resume: (target) => {
      this.paused = this.paused.filter((pid) => pid !== target.pid);
      process.kill(target.pid, "SIGCONT");
    },
    spoilAuthority: (target) => fs.writeFileSync(target.ca, "Another server's."),
    authority: (target) => fs.readFileSync(target.ca, "utf8"),
    key: async (target) => fs.readFileSync(target.key.p8, "utf8"),
    address: (target) => target.apns(),
    session: (target, options) => target.session(options),
    phone: (target, { device }) => target.phone(device),
    sendTo: async (target, { to, payload, ...options }) => answer(await target.phone(to).send(payload, options)),
    fault: (target, words) => target.fault(words),
    faults: (target) => target.faults(),
    deleteFaults: (target) => target.deleteFaults(),
    clock: (target) => target.clock.state(),
    advance: (target, { by }) => target.clock.advance(by),
    stopClock: (target) => target.clock.stop(),
    runClock: (target) => target.clock.run(),
    wait: (target, options) => target.waitFor(() => false, milliseconds(options)),
    state: (target) => target.state(),
    pushes: (target, filters) => target.pushes(filters),
    stories: (target) => target.stories(),
    expectPushes: (target, { count, ...options }) => target.expect(count, milliseconds(options)),
    close: (target) => target.close(),
    awaitEnd: (target) => pushpit.waitFor(async () => !(await target.state()).open, { what: "The end of the session" }),
    forget: (target) => target.forget(),
    closeOther: (target, { name }) => target.admin.post(`/v1/sessions/${encodeURIComponent(name)}/close`),
    phoneState: (target) => phone(target).state(),
    token: (target, { kind, ...options }) => phone(target).token(kind, options),
    screen: (target) => phone(target).screen(),
    log: (target, options) => phone(target).log(options),
    act: (target, { action, ...details }) => phone(target).do(action, details),
    // The server knows at once whether an answer will ever come.
    send: async (target, { payload, timeout, times = 1, ...options }) => {
      for (let left = times; left > 1; left -= 1) await phone(target).send(payload, options);
      return answer(await phone(target).send(payload, options));
    },
    expectScreen: (target, { shape, ...options }) => phone(target).expect(shape, milliseconds(options)),
    struck: (target) => target.struck(),
    faultState: (target) => target.state(),
    deleteFault: (target) => target.delete(),
  };

  async play(steps) {
    try {
      for (const step of steps) await this.step(step);
    } finally {
      for (const pid of this.paused) process.kill(pid, "SIGCONT");
      await Promise.all(this.started.map((own) => own.stop()));
    }
  }

  async step(step) {
    const target = this.scope[step.on ?? "pushpit"];
    const details = this.filled(step.with ?? {});
    const named = JSON.stringify(step);
    if (step.fails === undefined) {
      const result = await this.do(step, target, details);
      if (step.as) this.scope[step.as] = result;
      if ("gives" in step) assert.equal(mismatch(this.filled(step.gives), raw(result)), null, named);
      return;
    }
    const error = await this.do(step, target, details).then(
      () => assert.fail(`${named} did not fail`),
      (problem) => problem,
    );
    assert.equal(error.constructor, pushpit[step.fails.error], `${named}: ${error.stack}`);
    assert.equal(error.name, step.fails.error);
    assert(error.message.includes(this.filled(step.fails.says)), `${named}: ${error.message}`);
    for (const [name, value] of Object.entries(step.fails.is ?? {})) assert.equal(error[name], value, named);
  }

  async do(step, target, details) {
    const operation = this.operations[step.do];
    assert(operation, `no operation ${step.do}`);
    if (!step.during) return operation(target, details);
    const body = async (it) => {
      this.scope.it = it;
      for (const inner of step.during) await this.step(inner);
    };
    return step.do === "session" ? target.withSession(details, body) : target.withFault(details, body);
  }

  /** With `${name.property}` replaced by what is in scope. */
  filled(value) {
    if (Array.isArray(value)) return value.map((inner) => this.filled(inner));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.filled(inner)]));
    }
    if (typeof value !== "string") return value;
    const lookUp = (_, names) => names.split(".").reduce((found, name) => found[name], this.scope);
    return value.replace(/\$\{([\w.]+)\}/g, lookUp);
  }
}

/** Rows as the admin API has them. */
const raw = (result) => (Array.isArray(result) ? result.map(raw) : (result?.raw ?? result));

/** The first part of `wanted` that `found` lacks, as a sentence; null if it lacks none. */
function mismatch(wanted, found, place = "it") {
  const isObject = wanted !== null && typeof wanted === "object" && !Array.isArray(wanted);
  if (isObject && "$count" in wanted) {
    return found.length === wanted.$count ? null : `${place} has ${found.length} rows`;
  }
  if (isObject && "$text" in wanted) {
    return new RegExp(wanted.$text).test(String(found)) ? null : `${place} is ${found}`;
  }
  if (isObject && "$any" in wanted) {
    return found.some((row) => mismatch(wanted.$any, row) === null) ? null : `no row of ${place} fits`;
  }
  if (isObject && found !== null && typeof found === "object") {
    const each = Object.entries(wanted).map(([name, value]) => mismatch(value, found[name], `${place}.${name}`));
    return each.find((problem) => problem !== null) ?? null;
  }
  if (Array.isArray(wanted) && Array.isArray(found) && wanted.length === found.length) {
    const rows = wanted.map((row, index) => mismatch(row, found[index], `${place}[${index}]`));
    return rows.find((problem) => problem !== null) ?? null;
  }
  if (isDeepStrictEqual(wanted, found)) return null;
  return `${place} is ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`;
}

const isOpenToAll = Number(fs.readFileSync("/proc/sys/net/ipv4/ip_unprivileged_port_start", "utf8")) <= 443;

for (const { case: title, steps, wants } of table.cases) {
  const skip = wants === "privileged ports" && isOpenToAll && "this machine lets everybody listen on port 443";
  test(title, { timeout: 60_000, skip }, async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "pushpit-case-"));
    try {
      await new Player(folder).play(steps);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
}

test("the table is able to fail", () => {
  const pairs = [
    [{ a: 1 }, { a: 2 }], [{ a: 1 }, {}], [[1], [1, 2]], [{ $count: 1 }, []], [{ $text: "^a" }, "ba"],
    [{ $any: { a: 1 } }, [{ a: 2 }]], ["a", "b"],
  ];
  for (const [wanted, found] of pairs) assert.notEqual(mismatch(wanted, found), null, JSON.stringify(wanted));
});
