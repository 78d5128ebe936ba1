/** APNs over node:http2: one provider token, a connection to each gateway, and the outcome of each attempt. */
import crypto from 'node:crypto';
import http2 from 'node:http2';

const {NGHTTP2_CANCEL, NGHTTP2_REFUSED_STREAM} = http2.constants;
const RENEW_AFTER = 40 * 60; // seconds; Apple: at least every 60 minutes,
const RENEW_FLOOR = 20 * 60; // and at most every 20
const PING_AFTER = 30; // seconds without a push, after which a connection must show that it is alive
const PING_WITHIN = 1000; // milliseconds
const TRIES = 3; // of a push that no gateway has looked at, on one connection after another
const SICK_AFTER = 3; // answers of 500 in a row: some hosts never recover

export class ProviderToken {
  #issued = -Infinity;
  #text = '';

  constructor({keyId, teamId, pem}, clock, bugs) {
    Object.assign(this, {keyId, teamId, clock, key: crypto.createPrivateKey(pem)});
    this.isKept = bugs.has('keeps-provider-token');
  }

  get text() {
    this.#renew(RENEW_AFTER);
    return this.#text;
  }

  /** True if APNs would accept no other token yet. It cannot have expired either. */
  get isYoung() {
    return this.#age < RENEW_FLOOR;
  }

  /** Reacts to an `ExpiredProviderToken`. */
  expired() {
    this.#renew(RENEW_FLOOR);
  }

  get #age() {
    return this.clock.now() - this.#issued;
  }

  #renew(age) {
    if (this.#age < age || (this.isKept && this.#text)) return;
    this.#issued = this.clock.now();
    const part = value => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({alg: 'ES256', kid: this.keyId})}.${part({iss: this.teamId, iat: Math.floor(this.#issued)})}`;
    const signature = crypto.sign('sha256', Buffer.from(text), {key: this.key, dsaEncoding: 'ieee-p1363'});
    this.#text = `${text}.${signature.toString('base64url')}`;
  }
}

/** A connection that has received SETTINGS, and is usable until it fails, closes or is told to go away. */
class Connection {
  lastStream = Infinity;
  isUsable = true;
  failures = 0;
  #open = 0;
  #waiting = [];
  #pinging;

  constructor(session, clock) {
    Object.assign(this, {session, clock, usedAt: clock.now()});
  }

  static open(url, ca, {clock, within, seesGoaway}) {
    return new Promise((resolve, reject) => {
      const session = http2.connect(url, {ca});
      const connection = new Connection(session, clock);
      const timer = setTimeout(() => session.destroy(new Error('no SETTINGS in time')), within);
      const lose = error => { clearTimeout(timer); connection.leave(); reject(error); };
      session.on('remoteSettings', () => { clearTimeout(timer); connection.#wake(); resolve(connection); });
      session.on('error', lose);
      session.on('goaway', (_code, lastStream) => { connection.lastStream = lastStream; });
      if (!seesGoaway) return;
      session.on('goaway', () => connection.leave());
      session.on('close', () => lose(new Error('closed')));
    });
  }

  /** Opens no other stream. */
  leave() {
    this.isUsable = false;
    this.#wake();
  }

  /** Lets open streams finish, and closes. */
  retire() {
    this.leave();
    this.session.close();
  }

  /** Waits for a free stream, and returns false if there will be none. Node would queue the stream, and never tell
   * whether it was sent. */
  async acquire() {
    while (this.isUsable && this.#open >= this.session.remoteSettings.maxConcurrentStreams) {
      await new Promise(resolve => this.#waiting.push(resolve));
    }
    if (this.isUsable) this.#open += 1;
    return this.isUsable;
  }

  release() {
    this.#open -= 1;
    this.#wake();
  }

  #wake() {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** True if the connection was used lately, or answers a PING. */
  async isAlive() {
    if (this.clock.now() - this.usedAt < PING_AFTER) return true;
    this.#pinging ??= this.#ping().finally(() => { this.#pinging = undefined; });
    if (await this.#pinging) return true;
    this.session.destroy();
    return false;
  }

  #ping() {
    return new Promise(resolve => {
      setTimeout(resolve, PING_WITHIN, false).unref();
      if (this.session.destroyed || !this.session.ping(error => resolve(!error))) resolve(false);
    });
  }

  /** True if the gateway has never looked at the stream: the push may be sent again at once (RFC 9113, 8.7). */
  isUnprocessed({id, rstCode}) {
    return id === undefined || id > this.lastStream || rstCode === NGHTTP2_REFUSED_STREAM;
  }
}

export class Gateway {
  #connection;
  #opening;

  constructor({url, ca, topic, provider, clock, bugs, answerWithin}) {
    Object.assign(this, {url, ca, topic, provider, clock, answerWithin});
    this.seesGoaway = !bugs.has('keeps-session-after-goaway');
  }

  /** Makes an attempt. Status 0 is no answer; `isUnknown` is then true if the phone may have the push. */
  async send(push) {
    for (let number = 0; number < TRIES; number++) {
      let connection;
      try {
        connection = await this.#ready();
      } catch (error) {
        return {status: 0, reason: error.message};
      }
      const outcome = await this.#attempt(connection, push);
      if (!outcome.isUnprocessed) return this.#judged(connection, outcome);
    }
    return {status: 0, reason: 'not processed'};
  }

  close() {
    this.#connection?.session.destroy();
  }

  async #ready() {
    const current = this.#connection;
    if (current?.isUsable && (!this.seesGoaway || await current.isAlive())) return current;
    const {clock, answerWithin: within, seesGoaway} = this;
    this.#opening ??= Connection.open(this.url, this.ca, {clock, within, seesGoaway})
      .then(connection => { this.#connection = connection; return connection; })
      .finally(() => { this.#opening = undefined; });
    return this.#opening;
  }

  async #attempt(connection, push) {
    if (!await connection.acquire()) return {isUnprocessed: true};
    return new Promise(resolve => {
      let stream;
      try {
        stream = connection.session.request(this.#headers(push));
      } catch { // the session is closing, or closed
        if (this.seesGoaway) connection.retire();
        connection.release();
        return resolve({isUnprocessed: true});
      }
      connection.usedAt = this.clock.now();
      const answer = {status: 0, body: ''};
      const timer = setTimeout(() => {
        stream.close(NGHTTP2_CANCEL);
        connection.retire(); // a connection that is silent for so long is dead
      }, this.answerWithin);
      stream.setEncoding('utf8');
      stream.on('response', headers => Object.assign(answer, {status: headers[':status'], headers}));
      stream.on('data', text => { answer.body += text; });
      stream.on('error', error => { answer.error = error.code; });
      stream.on('close', () => {
        clearTimeout(timer);
        connection.release();
        setImmediate(() => resolve(this.#outcome(connection, stream, answer))); // after the events of a GOAWAY
      });
      stream.end(JSON.stringify(push.payload));
    });
  }

  #headers({what, token, id, priority, expires}) {
    const isCard = ['start', 'update', 'end'].includes(what);
    return {
      ':method': 'POST', ':path': `/3/device/${token.value}`, authorization: `bearer ${this.provider.text}`,
      'apns-id': id, 'apns-push-type': isCard ? 'liveactivity' : what,
      'apns-topic': isCard ? `${this.topic}.push-type.liveactivity` : this.topic,
      'apns-priority': String(priority), 'apns-expiration': String(Math.floor(expires)),
    };
  }

  #outcome(connection, stream, {status, headers, body, error}) {
    if (status === 0) {
      const isUnprocessed = connection.isUnprocessed(stream);
      return {status, isUnprocessed, isUnknown: !isUnprocessed, reason: error};
    }
    let told = {};
    try {
      told = JSON.parse(body || '{}') ?? {};
    } catch {} // a proxy on the way may answer with something else
    const {reason, timestamp} = told;
    return {status, reason, timestamp: timestamp / 1000, retryAfter: Number(headers['retry-after']) || 0};
  }

  /** Replaces connections to hosts that are sick, or whose clock is wrong. */
  #judged(connection, outcome) {
    const isTokenRefused = ['ExpiredProviderToken', 'InvalidProviderToken'].includes(outcome.reason);
    if (isTokenRefused && this.provider.isYoung) connection.retire(); // other hosts accept it
    if (outcome.reason === 'ExpiredProviderToken') this.provider.expired();
    connection.failures = outcome.status === 500 ? connection.failures + 1 : 0;
    if (connection.failures >= SICK_AFTER) connection.retire();
    return outcome;
  }
}
