// Types of the module. Rows, orders and words are made from the program's documents by scripts/node-types.
// Times in options are milliseconds.

import type * as api from "./api.js";
import type * as scenario from "./scenario.js";

export type { api, scenario };

declare global {
  // Not in the libraries of TypeScript before 5.2.
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

/** The screen as a person would see it; `raw` is the row of the admin API. */
export interface Screen extends Omit<api.Screen, "lockScreen" | "badges"> {
  /** Live Activities on the Lock Screen. */
  cards: api.Card[];
  /** By bundle id; only apps that have one. */
  badges: Record<string, number>;
  readonly raw: api.Screen;
}

/** A push with its answer, and what became of it; `raw` is the row of the admin API. */
export interface Push extends Omit<api.Push, "why" | "story"> {
  /** The status that APNs decided. `sent` is what was sent to the client. */
  status: number;
  /** As text; in base64 if it is not UTF-8. */
  body: string;
  headers: Record<string, string>;
  /** The body as JSON; undefined if it is not JSON. */
  readonly payload: any;
  why: string;
  /** A text with one sentence per line. */
  story: string;
  readonly raw: api.Push;
}

export type Notification = api.Notification;
export type Card = api.Card;
export type Verdict = api.Session;

/** The text of an alert, or a body as JSON. */
export type Payload = string | Record<string, any>;

/** The headers and the recipient of a push, which otherwise follow from its payload. */
export type SendOptions = Omit<api.PushOrder, "payload">;

/** The words for a screen that is waited for. */
export type Shape = NonNullable<scenario.Expectation["show"]>;

export interface Waiting { within?: number }

/** The words of docs/faults.md; those of `then` may stand beside the others. */
export type FaultWords = Partial<scenario.Fault> & Partial<scenario.Fault["then"]>;

export type PushFilters = Omit<api.ListPushesQuery, "session" | "cursor">;
export type CallFilters = Omit<api.ListCallsQuery, "session" | "cursor">;

/** The name of an action, and what must or may be said to it. */
export type ActionName = api.Action["do"];
type ActionWith<Name, One = api.Action> = One extends { do: infer Names }
  ? Name extends Names ? Omit<One, "do"> : never
  : never;
type Details<Name> = ActionWith<Name> extends infer Words
  ? keyof Words extends never ? [] : {} extends Words ? [details?: Words] : [details: Words]
  : never;

export interface SessionOptions extends Omit<api.SessionOrder, "claim" | "expect" | "expires"> {
  phones?: number;
  app?: string;
  os?: string;
  everything?: boolean;
  expect?: scenario.Expectation[];
  /** The time for which the session stays open if nobody closes it, such as `10m`; null means forever. */
  expires?: string | null;
  /** The context of a test of `node:test`: the session ends with it, and a failing test tells the last pushes. */
  test?: { after(hook: () => Promise<void>): void; readonly passed?: boolean; readonly error?: any };
}

export interface HuntOptions extends Omit<SessionOptions, "test" | "name"> {
  seconds: number;
  /** Draws the same variants again; by default each hunt draws others. */
  seed?: number;
  /** The words of faults, such as `goAway`, and the reasons, such as `TooManyRequests`, that are not played. */
  accept?: string[];
  /** The number of variants after which the hunt ends, if its time is not over before. */
  variants?: number;
  /** The name of the test, by which finds are kept in `.pushpit/hunts`. Default: that of the function. */
  name?: string;
}

export interface Hunted {
  played: number;
  /** Kinds of faults that struck, and never failed the test. */
  survived: string[];
  /** Kinds of faults that were set, and never struck. */
  notReached: string[];
  seed: number;
  notes: string[];
}

export interface StartOptions {
  /** The number of phones. */
  fleet?: number;
  clock?: "wall" | "manual";
  /** Settings by their whole keys, such as `"fleet.mix.offline": "5%"` (docs/settings.md). */
  settings?: Omit<scenario.Settings, "state">;
  program?: string; state?: string; tape?: string; timeout?: number;
}

export class Fault {
  private constructor();
  readonly name: string;
  state(): Promise<api.Fault>;
  struck(): Promise<number>;
  delete(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export class Phone {
  private constructor();
  readonly device: string;
  readonly session: Session | undefined;
  readonly pushpit: Pushpit;
  app(): Promise<string>;
  state(): Promise<api.Device>;
  token(kind?: api.TokenKind, options?: { app?: string; attributesType?: string }): Promise<string>;
  screen(): Promise<Screen>;
  log(options?: { process?: api.Process; limit?: number }): Promise<api.LogLine[]>;
  pushes(filters?: PushFilters): Promise<Push[]>;
  do<Name extends ActionName>(action: Name, ...details: Details<Name>): Promise<api.Event[]>;
  send(payload?: Payload, options?: SendOptions): Promise<Push>;
  expect(shape: Shape, options?: Waiting): Promise<Screen>;
  clear(): Promise<void>;
}

export class Session {
  private constructor();
  readonly name: string;
  readonly pushpit: Pushpit;
  readonly phones: Phone[];
  readonly phone: Phone;
  readonly verdict: Verdict | undefined;
  state(): Promise<api.Session>;
  pushes(filters?: PushFilters): Promise<Push[]>;
  calls(filters?: CallFilters): Promise<api.Call[]>;
  findings(): Promise<api.Finding[]>;
  stories(last?: number): Promise<string>;
  fault(words: FaultWords): Promise<Fault>;
  withFault<T>(words: FaultWords, body: (fault: Fault) => T | Promise<T>): Promise<T>;
  deleteFaults(): Promise<number>;
  expect(count: number, options?: Waiting & PushFilters): Promise<Push[]>;
  close(): Promise<Verdict>;
  check(): Promise<void>;
  forget(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export class Clock {
  private constructor();
  state(): Promise<api.Clock>;
  now(): Promise<number>;
  advance(by: string | number, options?: { timeout?: number }): Promise<api.Clock>;
  stop(): Promise<api.Clock>;
  run(): Promise<api.Clock>;
}

export class Pushpit {
  private constructor();
  static start(options?: StartOptions): Promise<Pushpit>;
  static connect(url?: string, options?: { timeout?: number }): Promise<Pushpit>;
  readonly url: string;
  readonly ca: string;
  /** `p8` is a file. */
  readonly key: Pick<api.ProviderKey, "keyId" | "teamId" | "environment"> & { p8: string };
  readonly ready: api.GetReadyAnswer;
  readonly pid: number | undefined;
  readonly clock: Clock;
  apns(environment?: Exclude<keyof api.GetReadyAnswer["listeners"], "relay">): string;
  environment(): Record<string, string>;
  phone(device: string, options?: { app?: string }): Phone;
  session(options?: SessionOptions): Promise<Session>;
  withSession<T>(options: SessionOptions, body: (session: Session) => T | Promise<T>): Promise<T>;
  withSession<T>(body: (session: Session) => T | Promise<T>): Promise<T>;
  hunt(test: (session: Session) => unknown, options: HuntOptions): Promise<Hunted>;
  fault(words: FaultWords): Promise<Fault>;
  withFault<T>(words: FaultWords, body: (fault: Fault) => T | Promise<T>): Promise<T>;
  faults(): Promise<api.Fault[]>;
  deleteFaults(): Promise<number>;
  pushes(filters?: Omit<api.ListPushesQuery, "cursor">): Promise<Push[]>;
  push(apnsId: string): Promise<Push>;
  waitFor<T>(look: () => T | Promise<T>, options?: Waiting & { what?: string }): Promise<T>;
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function waitFor<T>(look: () => T | Promise<T>, options?: Waiting & { what?: string }): Promise<T>;
export const version: string;

/** Any error of this module; its message is one sentence. */
export class PushpitError extends Error {}
export class ProgramNotFoundError extends PushpitError {}
export class WrongVersionError extends PushpitError {}
export class StartError extends PushpitError {}
export class NoServerError extends PushpitError {}
export class NoFreePhoneError extends PushpitError {}
export class NoTokenError extends PushpitError {}
export class SendError extends PushpitError {}
export class WaitTimeoutError extends PushpitError {}
export class ExpectationError extends PushpitError {}
/** The result of a hunt that has found something; its cause is the test's own error. */
export class HuntError extends PushpitError {}
/** The admin API refused a request. */
export class RefusedError extends PushpitError {
  readonly status: number;
  readonly code: api.Error["code"];
  readonly field: string | undefined;
  readonly path: string | undefined;
}
export class InvalidRequestError extends RefusedError {}
export class NotFoundError extends RefusedError {}
export class ConflictError extends RefusedError {}
export class SessionOverError extends RefusedError {}
