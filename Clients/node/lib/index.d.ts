// Types of the module. Members of rows are those of the admin API (openapi.yaml); the most used ones are named here.
// Times in options are milliseconds.

export interface Notification {
  app: string; title: string; subtitle: string; body: string; sound: string | null; interruptionLevel: string;
  threadId: string | null; category: string | null; collapseId: string | null; banner: boolean; quiet: boolean;
}

export interface Card {
  app: string; activity: string; attributesType: string; state: "prompting" | "active" | "stale" | "ended";
  isStale: boolean; contentState: any; attributes: any; relevanceScore: number;
}

export interface Screen {
  device: string; locked: boolean; lit: boolean; cards: Card[]; notifications: Notification[];
  badges: { app: string; badge: number }[]; alert: any; prompt: any; sounds: string[]; bells: any[];
  dynamicIsland: { presentation: string; activities: string[]; visible: boolean };
}

export interface StoryLine { process: string; event: string; sentence: string; cause?: string; [member: string]: any }

export interface Push {
  apnsId: string; reason: string | null; fate: string;
  /** Reaction of the phone; null if it has not received the push. */
  outcome: string | null;
  /** Reasons for discarding, storing or dropping it, and the remarks on it. */
  causes: string[];
  answer: { decision: "accepted" | "refused" | "unprocessed"; status: number; body: string; headers: { name: string; value: string }[] };
  sent: { as: string; status?: number; [member: string]: any };
  request: {
    method: string; path: string; headers: { name: string; value: string }[]; body: string; [member: string]: any;
  };
  device: string | null; app: string | null; tokenKind: string | null; fault: string | null;
  reaction: { outcome: string; cause: string | null; detail: string | null; remarks: string[] } | null;
  why: { sentence: string; [member: string]: any }; story: StoryLine[]; [member: string]: any;
}

export interface Expectation { name: string; passed: boolean; wanted: string; found: string; nearest: string | null }

export interface Verdict {
  name: string; open: boolean; passed: boolean | null; counts: Record<string, number>; expectations: Expectation[];
  findings: any[]; [member: string]: any;
}

export interface Answer { status: number; apnsId: string; reason: string | null }

/** The text of an alert, a body as it is, or a body as JSON. */
export type Payload = string | Uint8Array | Record<string, any>;

/** Flags of `pushpit send` in camel case. */
export interface SendOptions {
  to?: string; token?: string; app?: string; topic?: string; pushType?: string; priority?: number; expiration?: number;
  collapseId?: string; id?: string; keyId?: string; production?: boolean; timeout?: number;
}

export interface Shape {
  notifications?: number; notification?: Partial<Notification>; cards?: number; badge?: number;
  card?: { state?: Card["state"]; contentState?: any; attributes?: any; app?: string; [member: string]: any };
}

export interface Waiting { within?: number }

/** The words of docs/faults.md: those listed here say where and when, all others what happens. */
export interface FaultWords {
  name?: string; when?: Record<string, any>; odds?: string | number; limit?: number; from?: string | number;
  until?: string | number; for?: string | number; then?: Record<string, any>; [consequence: string]: any;
}

export interface SessionOptions {
  phones?: number; app?: string; os?: string; name?: string; ledger?: number; expect?: Record<string, any>[];
  devices?: string[]; keys?: string[]; topics?: string[]; everything?: boolean;
  /** The time for which the session stays open if nobody closes it, such as `10m`; null means forever. */
  expires?: string | null;
}

export interface StartOptions {
  flags?: string[]; program?: string; state?: string; tape?: string; timeout?: number;
}

export class Fault {
  private constructor();
  readonly name: string;
  state(): Promise<Record<string, any>>;
  struck(): Promise<number>;
  delete(): Promise<void>;
}

export class Phone {
  private constructor();
  readonly device: string;
  readonly session: Session | undefined;
  readonly pushpit: Pushpit;
  app(): Promise<string>;
  state(): Promise<Record<string, any>>;
  token(kind?: string, options?: { app?: string; attributesType?: string }): Promise<string>;
  screen(): Promise<Screen>;
  log(options?: { process?: string; limit?: number }): Promise<StoryLine[]>;
  pushes(filters?: Record<string, any>): Promise<Push[]>;
  do(action: string, details?: Record<string, any>): Promise<Record<string, any>[]>;
  send(payload?: Payload, options?: SendOptions): Promise<Answer>;
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
  state(): Promise<Record<string, any>>;
  pushes(filters?: Record<string, any>): Promise<Push[]>;
  calls(filters?: Record<string, any>): Promise<Record<string, any>[]>;
  findings(): Promise<Record<string, any>[]>;
  stories(last?: number): Promise<string>;
  fault(words: FaultWords): Promise<Fault>;
  withFault<T>(words: FaultWords, body: (fault: Fault) => T | Promise<T>): Promise<T>;
  deleteFaults(): Promise<number>;
  expect(count: number, options?: Waiting & Record<string, any>): Promise<Push[]>;
  close(): Promise<Verdict>;
  check(): Promise<void>;
  forget(): Promise<void>;
}

export class Clock {
  private constructor();
  state(): Promise<Record<string, any>>;
  now(): Promise<number>;
  advance(by: string | number, options?: { timeout?: number }): Promise<Record<string, any>>;
  stop(): Promise<Record<string, any>>;
  run(): Promise<Record<string, any>>;
}

export class Pushpit {
  private constructor();
  static start(options?: StartOptions): Promise<Pushpit>;
  static connect(url?: string, options?: { program?: string; timeout?: number }): Promise<Pushpit>;
  readonly url: string;
  readonly ca: string;
  readonly key: { keyId: string; teamId: string; environment: string; p8: string; [member: string]: any };
  readonly ready: Record<string, any>;
  readonly pid: number | undefined;
  readonly clock: Clock;
  apns(environment?: "sandbox" | "production" | "channels" | "productionChannels"): string;
  environment(): Record<string, string>;
  phone(device: string, options?: { app?: string }): Phone;
  session(options?: SessionOptions): Promise<Session>;
  withSession<T>(options: SessionOptions, body: (session: Session) => T | Promise<T>): Promise<T>;
  fault(words: FaultWords): Promise<Fault>;
  withFault<T>(words: FaultWords, body: (fault: Fault) => T | Promise<T>): Promise<T>;
  faults(): Promise<Record<string, any>[]>;
  deleteFaults(): Promise<number>;
  pushes(filters?: Record<string, any>): Promise<Push[]>;
  push(apnsId: string): Promise<Push>;
  send(payload?: Payload, options?: SendOptions): Promise<Answer>;
  waitFor<T>(look: () => T | Promise<T>, options?: Waiting & { what?: string }): Promise<T>;
  stop(): Promise<void>;
}

export function waitFor<T>(look: () => T | Promise<T>, options?: Waiting & { what?: string }): Promise<T>;
/** The story of a push, one sentence per line. */
export function story(push: Push): string;
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
/** The admin API refused a request. */
export class RefusedError extends PushpitError {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  readonly path: string | undefined;
}
export class InvalidRequestError extends RefusedError {}
export class NotFoundError extends RefusedError {}
export class ConflictError extends RefusedError {}
export class SessionOverError extends RefusedError {}
