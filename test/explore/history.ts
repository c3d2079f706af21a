import type { Fault } from "./scheduler.ts";

/** A process of the app. A process that has stopped never runs again. */
export interface Process {
  readonly name: string;
  isRunning: boolean;
  /** Ends it. Then none of its requests is answered. */
  stop(): void;
  readonly whenStopped: Promise<undefined>;
}

/** An answer to a request. */
export interface Answer {
  readonly status: number;
  /** The status of the login or the code of the refusal. */
  readonly code: string;
  readonly retryAfterSeconds: number;
}

/** A request that somebody has sent. */
export interface ExploredRequest {
  /** Who sends what: "right code". */
  readonly name: string;
  readonly path: string;
  /** The code that was typed, for a confirm. */
  readonly typed: string | undefined;
  /** The login that the browser has under way: the id in its cookie. */
  readonly login: string | undefined;
  readonly browser: string;
  readonly process: Process;
  /** What its calls have met. */
  readonly faults: { readonly fault: Fault; readonly what: string }[];
  /** `undefined` if its process has stopped before. */
  answer?: Answer;
  /** Places in the order of everything that happened. */
  readonly sentAt: number;
  answeredAt?: number;
  /** What it has reached. */
  readonly reached: Set<Milestone>;
}

/** What a request may reach. */
export type Milestone =
  /** It has raised a counter. */
  | "counted"
  /** The service has compared its code. */
  | "evaluated"
  /** The service has approved its code. */
  | "approved"
  /** After that, it has written something. */
  | "wrote approval"
  /** The app was asked for the user. */
  | "asked the app"
  /** The app has answered. */
  | "app answered"
  /** After that, it has settled its lease. */
  | "settled";

/** A code that the service has compared. */
export interface Evaluation {
  readonly request: ExploredRequest;
  readonly isRight: boolean;
  readonly atMilliseconds: number;
  /** True if an approval of the same login was written before: then nothing can be won by the code. */
  readonly isAfterApproval: boolean;
}

/** A code that the service has sent. */
export interface SentCode {
  readonly request: ExploredRequest;
  readonly phone: string;
  readonly atMilliseconds: number;
}

/** A run of a webhook's handler. */
export interface HandlerRun {
  readonly request: ExploredRequest;
  readonly event: string;
  /** The place of the event among those of its entity. */
  readonly rank: number;
  readonly begunAt: number;
  endedAt?: number;
  isDone?: boolean;
}

/** A request that has raised a counter. */
export interface Raise {
  readonly request: ExploredRequest;
  readonly by: number;
  /** True for the first call in which it raised any. */
  readonly isFirst: boolean;
}

/** Everything that happened in a schedule, in its order. */
export interface History {
  readonly requests: ExploredRequest[];
  readonly evaluations: Evaluation[];
  readonly sentCodes: SentCode[];
  readonly handlerRuns: HandlerRun[];
  /** The requests for which the app was asked for a user. */
  readonly askedForUser: ExploredRequest[];
  /** The counters that requests have raised. */
  readonly raised: Map<string, Raise[]>;
  /** False if a request of a running process was never answered. */
  isEnded: boolean;
  /** What is found when everything is over. */
  readonly found: Found;
}

/** What is found after a schedule. */
export interface Found {
  /** The counts of `raised`. */
  readonly counts: Map<string, number>;
  /** The browsers whose session works. */
  readonly loggedIn: Set<string>;
  /** The valid sessions of the user. */
  sessions: number;
  /** True when a person who could not finish the login began another one, and was refused. */
  isLockedOut: boolean;
  /** The keys that are left after years. */
  readonly left: string[];
}

/** Creates an empty history. */
export function createHistory(): History {
  return {
    requests: [],
    evaluations: [],
    sentCodes: [],
    handlerRuns: [],
    askedForUser: [],
    raised: new Map(),
    isEnded: true,
    found: { counts: new Map(), loggedIn: new Set(), sessions: 0, isLockedOut: false, left: [] },
  };
}

/** Tells whether a request met a fault, or was never answered: then more may be lost than its answer. */
export function isDisturbed({ faults, answer }: ExploredRequest): boolean {
  return faults.length > 0 || answer === undefined;
}
