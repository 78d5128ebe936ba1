/** Orders and their cards: what is pushed when, what apps report, and what the answers of APNs mean for tokens. */
import crypto from 'node:crypto';

import {draws, plan, progress} from './kitchen.js';
import {Outbox} from './outbox.js';

const CARD_STAYS = 3600; // seconds on the Lock Screen after the delivery
const CARD_LIVES = 8 * 3600;
const ALERT_GOOD_FOR = 600;
const STALE_AFTER = 900;
const RECEIPT_AFTER = 60;
const NO_TOKEN_AFTER = 120; // an update token takes seconds to come
const MOST_STARTS = 2; // of an order
const BAD_TOKEN_REST = 600; // before a refused token is tried once more: the mistake may be ours, such as the gateway
const NEWS = {
  accepted: {title: 'The kitchen has your order', body: 'It cooks soon.'},
  cooking: {title: 'The kitchen has your order', body: 'It is cooking.'},
  riding: {title: 'On its way', body: 'Your courier has picked up the order.'},
  door: {title: 'At the door', body: 'Your courier is there.'},
  delivered: {title: 'Delivered', body: 'Enjoy your meal!'},
};

/** A call that is refused, with its status of HTTP. */
export class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export class Tracker {
  #devices = new Map();
  #orders = new Map();

  constructor({gateways, clock, seed, bugs}) {
    Object.assign(this, {gateways, clock, seed, bugs, began: clock.now()});
    const [send, settled] = [push => this.#send(push), (push, outcome) => this.#settled(push, outcome)];
    this.outbox = new Outbox({send, settled, clock, random: draws(seed, 'retries'), bugs});
  }

  /** Does what is due, including pushes. */
  async step() {
    for (const order of [...this.#orders.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) this.#advance(order);
    await this.outbox.run();
  }

  // What apps report

  deviceToken(session, id, token) {
    const device = this.#device(session, id);
    device.token = this.#registered(device.token, token);
  }

  /** Takes a push-to-start token, which may be the one that orders have been waiting for. */
  startToken(session, id, token) {
    const device = this.#device(session, id);
    device.startToken = this.#registered(device.startToken, token);
    for (const order of this.#ordersOf(device)) {
      if (order.card.state === 'none' && !['ordered', 'delivered'].includes(order.stage)) this.#start(order);
    }
  }

  /** Takes an order. Its key is the app's, so that a call that comes twice is one order. */
  order(session, deviceId, restaurant, key) {
    const device = this.#device(session, deviceId);
    if (!device.keys.includes(key)) device.keys.push(key);
    const words = [this.seed, device.id, device.keys.indexOf(key)].join('/');
    const id = crypto.createHash('sha256').update(words).digest('hex').slice(0, 10);
    if (!this.#orders.has(id)) {
      const times = plan(id, this.clock.now(), this.began);
      const card = {state: 'none', starts: 0, told: 0};
      this.#orders.set(id, {id, device, restaurant, times, stage: 'ordered', minutesLeft: 0, stamp: 0, card});
    }
    return {orderId: id};
  }

  /** Takes the update token of a card, which may come late, twice, or in place of another. */
  cardToken(session, orderId, token) {
    const order = this.#orderOf(session, orderId);
    const {card} = order;
    const before = card.token;
    card.token = this.#registered(before, token);
    if (card.token === before || card.state === 'dismissed') return;
    if (before !== undefined) this.#stamp(order); // the phone may lack the last update, and takes it only as news
    card.state = 'active';
    if (order.stage === 'delivered') this.#end(order);
    else if (order.stamp > card.told) this.#update(order);
  }

  /** Takes a dismissal, which also comes when an ended card leaves the screen. */
  dismissed(session, orderId) {
    const order = this.#orderOf(session, orderId);
    order.card.state = 'dismissed';
    this.outbox.drop(`card ${order.id}`);
  }

  receipts(session, deviceId) {
    return this.#ordersOf(this.#device(session, deviceId)).map(({id, restaurant, stage}) => ({id, restaurant, stage}));
  }

  #device(session, id) {
    const device = this.#devices.get(id) ?? {id, session, keys: []};
    if (device.session !== session) throw new Refusal(404, `no device ${id} of this person`);
    this.#devices.set(id, device);
    return device;
  }

  #orderOf(session, id) {
    const order = this.#orders.get(id);
    if (order?.device.session !== session) throw new Refusal(404, `no order ${id} of this person`);
    return order;
  }

  #ordersOf(device) {
    return [...this.#orders.values()].filter(order => order.device === device);
  }

  #registered(before, {value, environment}) {
    const token = before?.value === value ? before : {value};
    return Object.assign(token, {environment, at: this.clock.now(), refusals: 0, restsUntil: 0});
  }

  // An order goes on

  #advance(order) {
    const {stage, minutesLeft} = order;
    if (stage === 'delivered') return;
    Object.assign(order, progress(order.times, this.clock.now()));
    if (order.stage === 'ordered') return;
    if (order.stage === stage && order.minutesLeft === minutesLeft) return this.#lookInto(order);
    this.#stamp(order);
    if (order.stage === 'delivered') this.#finish(order);
    else this.#tell(order, order.stage !== stage);
  }

  #tell(order, isNewStage) {
    const {card, stage} = order;
    const isNews = isNewStage && (stage === 'riding' || stage === 'door');
    if (card.state === 'active') return this.#update(order, isNews && stage === 'door');
    const isFirst = card.state === 'none' || (card.state === 'starting' && this.bugs.has('starts-until-token'));
    const isTold = isFirst && this.#start(order);
    if (isNews && !isTold) this.#notify(order);
  }

  /** Sends a start again if nobody knows what became of it, and no update token shows that there is a card. */
  #lookInto(order) {
    const {state, starts, unansweredAt = Infinity} = order.card;
    const isLost = state === 'starting' && this.clock.now() - unansweredAt >= NO_TOKEN_AFTER;
    if (isLost && starts < MOST_STARTS) this.#start(order);
  }

  #finish(order) {
    this.outbox.drop(`start ${order.id}`);
    if (order.card.state === 'active') this.#end(order);
    this.#notify(order);
    this.#push(order, 'background', {slot: `receipt ${order.id}`, token: order.device.token, priority: 5,
      after: RECEIPT_AFTER, lasts: CARD_LIVES, payload: {aps: {'content-available': 1}}});
  }

  /** Advances the timestamp of the order's state. All attempts to tell that state carry it. */
  #stamp(order) {
    order.stamp = Math.max(order.stamp + 1, Math.floor(this.clock.now()));
  }

  #aps({stamp, stage, minutesLeft}, event, more) {
    return {aps: {timestamp: stamp, event, 'content-state': {stage, minutesLeft}, ...more}};
  }

  /** Starts a card, and returns true if there is a token for that. */
  #start(order) {
    if (order.device.startToken === undefined) return false;
    const starts = order.card.starts + 1;
    Object.assign(order.card, {state: 'starting', starts, unansweredAt: undefined, told: order.stamp});
    const payload = this.#aps(order, 'start', {
      'attributes-type': 'OrderAttributes', attributes: {orderId: order.id, restaurant: order.restaurant},
      'input-push-token': 1, 'stale-date': order.stamp + STALE_AFTER, alert: NEWS[order.stage]});
    this.#push(order, 'start', {slot: `start ${order.id}`, token: order.device.startToken, priority: 10, payload,
      lasts: order.times.delivered - this.clock.now()});
    return true;
  }

  #update(order, isNews = false) {
    const alert = isNews ? {alert: NEWS[order.stage]} : {};
    const payload = this.#aps(order, 'update', {'stale-date': order.stamp + STALE_AFTER, ...alert});
    this.#push(order, 'update', {slot: `card ${order.id}`, token: order.card.token, priority: isNews ? 10 : 5, payload,
      lasts: CARD_LIVES});
  }

  #end(order) {
    const payload = this.#aps(order, 'end', {'dismissal-date': order.stamp + CARD_STAYS});
    this.#push(order, 'end', {slot: `card ${order.id}`, token: order.card.token, priority: 10, payload,
      lasts: CARD_LIVES});
  }

  #notify(order) {
    const payload = {aps: {alert: NEWS[order.stage], sound: 'default'}, orderId: order.id};
    this.#push(order, 'alert', {slot: `${order.stage} ${order.id}`, token: order.device.token, priority: 10, payload,
      lasts: ALERT_GOOD_FOR});
  }

  #push(order, what, {after = 0, lasts, ...push}) {
    if (push.token === undefined || push.token.refusals > 1) return;
    const due = this.clock.now() + after;
    const id = crypto.randomUUID(); // for all attempts
    this.outbox.put({order, what, ...push, id, stamp: order.stamp, due, expires: due + lasts});
  }

  // What APNs answers

  async #send(push) {
    const {token} = push;
    const outcome = await this.gateways[token.environment].send(push);
    if (outcome.status === 200) token.refusals = 0;
    outcome.isOld = outcome.status === 410 && outcome.timestamp < token.at && !this.bugs.has('trusts-old-410');
    if (['BadDeviceToken', 'DeviceTokenNotForTopic'].includes(outcome.reason)) {
      token.refusals += 1;
      token.restsUntil = this.clock.now() + BAD_TOKEN_REST;
      outcome.isBadToken = token.refusals === 1;
    }
    return outcome;
  }

  #settled({order, what, token, stamp}, {status, reason, isUnknown, isOld}) {
    const {card, device} = order;
    if (status === 200) {
      const clears = what === 'start' && this.bugs.has('start-clears-token');
      if (clears) Object.assign(card, {state: 'starting', token: undefined});
      if (what === 'update' || what === 'end') card.told = Math.max(card.told, stamp);
      if (what === 'end' && card.token === token) card.state = 'over';
      return;
    }
    console.error(`${what} of order ${order.id}: ${status} ${reason ?? ''}`);
    if (what === 'start' && isUnknown) card.unansweredAt = this.clock.now();
    else if (what === 'start' && card.state === 'starting') card.state = 'none';
    if (status !== 410 || isOld || this.bugs.has('pushes-on-after-410')) return;
    if (card.token === token) Object.assign(card, {state: 'starting', token: undefined});
    if (device.startToken === token) device.startToken = undefined;
    if (device.token === token) device.token = undefined;
  }
}
