import type { Awaitable } from "../awaitable.ts";
import type { Clock } from "../clock.ts";
import type { Publish } from "../doorcode-event.ts";
import type { CodeKeys } from "../keys.ts";
import type { Store } from "../store/store.ts";
import type { CodeStrategy } from "./code-strategy.ts";
import type { Budgets } from "./limits.ts";
import type { Purpose, Transactions } from "./transaction.ts";

/** What the app's callbacks are told about a login whose code was right. */
export interface ProvenPhone {
  /** E.164. */
  readonly phone: string;
  /** The same when a finished-but-unanswered login is finished again: make it your idempotency key. */
  readonly loginId: string;
}

/** What a callback gets besides: its signal aborts when the login is given up, after 10 s at the latest. */
export interface CallbackContext {
  readonly signal: AbortSignal;
}

/** What the app does when a phone number was proven. */
export interface LoginCallbacks {
  /** Finds or creates the user of a number. The user's id logs in; `undefined` or `null` refuses. */
  onLogin?(proof: ProvenPhone, context: CallbackContext): Awaitable<string | null | undefined>;
  /** Adds a number to the account that is logged in. Its id confirms; `undefined` or `null` refuses. */
  onLink?(
    proof: ProvenPhone & { readonly userId: string },
    context: CallbackContext,
  ): Awaitable<string | null | undefined>;
  /** The number that a logged-in user proves again in a step-up; `undefined` or `null` when there is none. */
  phoneOf?(userId: string): Awaitable<string | null | undefined>;
}

/** Everything that the acts of a login work with, made once at start. */
export interface LoginParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly publish: Publish;
  readonly keys: CodeKeys;
  readonly transactions: Transactions;
  readonly budgets: Budgets;
  readonly cooldownSeconds: number;
  readonly codes: CodeStrategy;
  readonly countries: readonly string[];
  readonly callbacks: LoginCallbacks;
  /** Names the app's keys in the store. */
  readonly name: string;
}

/** The account that a request is logged in to, as far as a login needs to know. */
export interface CurrentSession {
  readonly userId: string;
  readonly sessionId?: string;
  /** What a browser may see of the user. */
  readonly user?: unknown;
}

/** What a session is started for. */
export interface SessionStart extends ProvenPhone {
  readonly userId: string;
  readonly purpose: Purpose;
}

/** A session that was started and may still have to be taken back. */
export interface StartedSession {
  /** Whole `Set-Cookie` values. */
  readonly cookies: readonly string[];
  /** What a browser may see of the user. */
  readonly user?: unknown;
  /** What an app's own `start` returned; stands in the answer. */
  readonly result?: unknown;
  /** Takes it back: the login did not come about. */
  undo(): Promise<void>;
  /** The login stands: ends the session that the browser had before. */
  complete(): Promise<void>;
}

/** The sessions of the app, seen from one request: the kit's own, or those the app brought along. */
export interface SessionPort {
  current(): Promise<CurrentSession | undefined>;
  start(login: SessionStart): Promise<StartedSession>;
  /** Ends the session the request came with, and answers the cookies that say so. */
  end(): Promise<readonly string[]>;
}
