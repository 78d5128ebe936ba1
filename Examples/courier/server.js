/** The backend: `node server.js`, started by `pushpit run`, or beside a running Pushpit with PUSHPIT_READY and PORT. */
import fs from 'node:fs';
import http from 'node:http';
import {parseArgs} from 'node:util';

import {Gateway, ProviderToken} from './apns.js';
import {BUGS, parseBugs} from './bugs.js';
import {Refusal, Tracker} from './tracker.js';

const TOPIC = 'com.example.courier';
const MOST_CHARACTERS = 64 * 1024;

/** The machine's time, or the one that POST /tick has told. */
class Clock {
  #told = Number(process.env.PUSHPIT_NOW) || undefined;

  get isTold() {
    return this.#told !== undefined;
  }

  now() {
    return this.#told ?? Date.now() / 1000;
  }

  moveTo(now) {
    if (!Number.isFinite(now)) throw new Refusal(400, 'now is missing: seconds since 1970');
    this.#told = Math.max(this.#told, now);
  }
}

function token({token: value, environment}) {
  if (typeof value !== 'string' || !/^([0-9a-f]{2})+$/i.test(value)) {
    throw new Refusal(400, 'token is missing: hex digits');
  }
  if (environment !== 'sandbox' && environment !== 'production') throw new Refusal(400, 'environment is missing');
  return {value: value.toLowerCase(), environment};
}

/** The routes: method and path, and what each does with the person's session, the id in the path, and the body. */
function routes(tracker, clock) {
  const table = {
    'PUT /devices/:id/token': (session, id, body) => tracker.deviceToken(session, id, token(body)),
    'PUT /devices/:id/start-token': (session, id, body) => tracker.startToken(session, id, token(body)),
    'GET /devices/:id/orders': (session, id) => ({orders: tracker.receipts(session, id)}),
    'POST /orders': (session, _id, {device, restaurant, key}) => tracker.order(session, device, restaurant, key),
    'PUT /orders/:id/token': (session, id, body) => tracker.cardToken(session, id, token(body)),
    'POST /orders/:id/dismissed': (session, id) => tracker.dismissed(session, id),
    'GET /health': () => undefined,
    ...(clock.isTold && {'POST /tick': (_session, _id, {now}) => { clock.moveTo(now); return tracker.step(); }}),
  };
  return Object.entries(table).map(([path, handle]) => (
    {pattern: new RegExp(`^${path.replace(':id', '([^/]+)')}$`), handle, isPrivate: /(devices|orders)/.test(path)}));
}

async function body(request) {
  let text = '';
  for await (const part of request.setEncoding('utf8')) {
    text += part;
    if (text.length > MOST_CHARACTERS) throw new Refusal(400, 'the body is too large');
  }
  try {
    return JSON.parse(text || '{}') ?? {};
  } catch {
    throw new Refusal(400, 'the body is no JSON');
  }
}

async function answer(table, request) {
  const path = `${request.method} ${new URL(request.url, 'http://localhost').pathname}`;
  const route = table.find(({pattern}) => pattern.test(path));
  if (route === undefined) return [404, {error: 'no such route'}];
  const session = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  if (route.isPrivate && session === undefined) return [401, {error: 'no session'}];
  try {
    const value = await route.handle(session, route.pattern.exec(path)[1], await body(request));
    return value === undefined ? [204] : [200, value];
  } catch (error) {
    if (error instanceof Refusal) return [error.status, {error: error.message}];
    console.error(error);
    return [500, {error: 'see the log'}];
  }
}

function main() {
  const {values} = parseArgs({options: {
    bug: {type: 'string', multiple: true, default: []},
    'list-bugs': {type: 'boolean'},
    'answer-within': {type: 'string', default: '10'}, // seconds of the machine's clock
  }});
  if (values['list-bugs']) {
    for (const [name, sentence] of Object.entries(BUGS)) console.log(`${name.padEnd(27)} ${sentence}`);
    return;
  }
  const bugs = parseBugs(values.bug);
  const clock = new Clock();
  const ready = JSON.parse(fs.readFileSync(process.env.PUSHPIT_READY, 'utf8'));
  const {keyId, teamId, p8} = ready.keys[0];
  const provider = new ProviderToken({keyId, teamId, pem: fs.readFileSync(p8)}, clock, bugs);
  const ca = fs.readFileSync(ready.ca);
  const gateway = name => new Gateway({url: `https://${ready.listeners[name]}`, ca, topic: TOPIC, provider, clock, bugs,
    answerWithin: Number(values['answer-within']) * 1000});
  const gateways = {sandbox: gateway('sandbox'), production: gateway('production')};
  const tracker = new Tracker({gateways, clock, seed: process.env.PUSHPIT_SEED ?? '1', bugs});
  const table = routes(tracker, clock);
  const server = http.createServer(async (request, response) => {
    const [status, value] = await answer(table, request);
    response.writeHead(status, value && {'content-type': 'application/json'});
    response.end(value && JSON.stringify(value));
  });
  const timer = clock.isTold ? undefined : setInterval(() => tracker.step().catch(console.error), 1000);
  process.once('SIGTERM', () => {
    clearInterval(timer);
    server.close();
    server.closeAllConnections();
    gateways.sandbox.close();
    gateways.production.close();
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
}

main();
