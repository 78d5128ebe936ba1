// The admin API over plain HTTP: one request, one answer or one error.

import http from "node:http";

import {
  ConflictError, InvalidRequestError, NoServerError, NotFoundError, PushpitError, RefusedError, SessionOverError,
} from "./errors.js";
import { pause } from "./waiting.js";

/** Milliseconds for which a server is asked again that has as many connections as it can have. */
const BUSY_FOR = 5000;

export class Admin {
  constructor(url, timeout = 30_000) {
    let parts;
    try {
      parts = new URL(url.includes("//") ? url : `http://${url}`);
    } catch {
      parts = { protocol: "" };
    }
    if (parts.protocol !== "http:" || !parts.hostname || parts.port === "0") {
      throw new PushpitError(`${url} is not the address of an admin API, such as http://127.0.0.1:2190.`);
    }
    this.host = parts.hostname;
    // URL leaves out the port 80 of http.
    this.port = Number(parts.port) || (/:80(\/|$)/.test(url) ? 80 : 2190);
    this.url = `http://${this.host}:${this.port}`;
    this.timeout = timeout;
    /** The reason why the server has ended, from the owner of its process. */
    this.whyGone = async () => undefined;
  }

  get(path, query) {
    return this.request("GET", path, { query });
  }

  post(path, body = {}, timeout = undefined) {
    return this.request("POST", path, { body, timeout });
  }

  /** An answer that is not JSON. */
  async text(path) {
    const { status, content } = await this.#exchange("GET", path, path, undefined, this.timeout);
    if (status !== 200) throw new NoServerError(`${this.url} answered GET ${path} with ${status}.`);
    return content;
  }

  delete(path, query) {
    return this.request("DELETE", path, { query });
  }

  /** All rows of a list, page by page. */
  async *pages(path, rows, query = {}) {
    let cursor;
    do {
      const page = await this.get(path, { limit: 100, cursor, ...query });
      yield* page[rows];
      cursor = page.next;
    } while (cursor !== null);
  }

  async request(method, path, { query = {}, body, timeout = this.timeout } = {}) {
    const asked = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    const text = asked.map((pair) => pair.map(encodeURIComponent).join("=")).join("&");
    const until = performance.now() + BUSY_FOR;
    let status, content, answer;
    do {
      if (answer) await pause(50);
      ({ status, content } = await this.#exchange(method, path, text ? `${path}?${text}` : path, body, timeout));
      answer = parsed(content);
    } while (status === 503 && answer?.code === "unavailable" && performance.now() < until);
    if (answer === null || typeof answer !== "object" || Array.isArray(answer)) {
      throw new NoServerError(`${this.url} is not Pushpit: it answered ${method} ${path} with ${status} and no JSON.`);
    }
    if (status >= 400) throw refusal(status, answer);
    return answer;
  }

  async #exchange(method, path, target, body, timeout) {
    const data = body === undefined ? undefined : written(body);
    try {
      return await exchange(this, method, target, data, timeout);
    } catch (problem) {
      if (problem.timedOut) {
        throw new NoServerError(`The server at ${this.url} did not answer ${method} ${path} in ${timeout / 1000} s.`);
      }
      const known = await this.whyGone();
      const why = problem.code ?? problem.message;
      throw new NoServerError(known ?? `No server answers at ${this.url} (${why}); is it still running?`);
    }
  }
}

function parsed(content) {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

function written(body) {
  try {
    return JSON.stringify(body);
  } catch (problem) {
    throw new PushpitError(`The request cannot be written as JSON: ${problem.message.split("\n")[0]}.`);
  }
}

function exchange({ host, port }, method, target, data, timeout) {
  return new Promise((resolve, reject) => {
    const headers = { accept: "application/json" };
    if (data !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-length"] = Buffer.byteLength(data);
    }
    const hostname = host.replace(/^\[|\]$/g, "");
    const request = http.request({ host: hostname, port, method, path: target, headers, agent: false }, (response) => {
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("end", () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode, content: Buffer.concat(pieces).toString() });
      });
      response.on("error", fail);
    });
    const timer = setTimeout(() => request.destroy(Object.assign(new Error("timed out"), { timedOut: true })), timeout);
    function fail(problem) {
      clearTimeout(timer);
      reject(problem);
    }
    request.on("error", fail);
    request.end(data);
  });
}

const KINDS = {
  400: InvalidRequestError, 413: InvalidRequestError, 415: InvalidRequestError, 422: InvalidRequestError,
  404: NotFoundError, 409: ConflictError, 410: SessionOverError,
};

/** The error for an answer of 400 and more. */
function refusal(status, answer) {
  const sentence = String(answer.error ?? `The server answered ${status}.`);
  const over = answer.field === "session" && (status === 404 || (status === 409 && sentence.includes(" is closed")));
  const Kind = over ? SessionOverError : (KINDS[status] ?? RefusedError);
  return new Kind(sentence, { status, code: answer.code, field: answer.field, path: answer.path });
}
