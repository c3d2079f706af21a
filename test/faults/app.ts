import type {
  Doorcode,
  DoorcodeEvent,
  LoginOptions,
  WebhookEvent,
  WebhookHandler,
  WebhookOptions,
} from "@doorcode/core";
import { systemClock } from "@doorcode/core/clock";
import type { Store } from "@doorcode/core/store";
import type { EventTransactionScope } from "@doorcode/postgres";
import { expect } from "vitest";
import { createJournal, type Journal } from "../inbox/journal.ts";
import { type Answer, openBrowser } from "../support/browser.ts";
import type { Host } from "../support/hosts.ts";
import { codeOwners, type LoginSetup, type LoginSetupOptions, setUpLogin } from "../support/login-setup.ts";
import { signed } from "../support/webhook-setup.ts";
import { patience } from "./patience.ts";
import { listen } from "./silence.ts";

/** A whole app, login and webhooks, on the machine's clock. */
export interface App extends LoginSetup {
  readonly doorcode: Doorcode;
  readonly store: Store;
  /** What the handlers were called with, call by call. */
  readonly calls: Journal<WebhookEvent>;
  /** Resolves when that was published. */
  published(type: DoorcodeEvent["type"], count?: number): Promise<void>;
  /** Delivers once, as the service does: it waits for five seconds. */
  deliver(payload: unknown): Promise<Answer>;
  /** @throws when the app told a number, a code or a key to anybody. */
  expectSilence(): void;
}

/** What a test wants otherwise. */
export interface AppOptions extends LoginSetupOptions {
  readonly store: Store;
  readonly webhooks?: Partial<WebhookOptions>;
  /** Runs when the app is asked whose number it is. */
  readonly whenAsked?: () => void;
  /** Handles every event, after it was noted. */
  readonly handle?: WebhookHandler<WebhookEvent, Partial<EventTransactionScope>>;
}

const secret = "whk_of_the_tests";

/** Serves an app; it is closed when the test is over. */
export async function openApp(host: Host, { webhooks, handle, whenAsked, ...given }: AppOptions): Promise<App> {
  const calls = createJournal<WebhookEvent>();
  const note: WebhookHandler<WebhookEvent> = (event, context) => {
    calls.note(event);
    return handle?.(event, context);
  };
  const on = { "message.status.update": note, "verification.update": note, unknown: note };
  const kits: Doorcode[] = [];
  const watched: Host = {
    ...host,
    serve(doorcode, parts) {
      kits.push(doorcode);
      return host.serve(doorcode, parts);
    },
  };
  const options = { clock: systemClock, webhooks: { secret, on, retrySeconds: 0.05, ...webhooks }, ...given.options };
  const spoken = listen();
  const logins: LoginSetup["logins"] = [];
  const onLogin: NonNullable<LoginOptions["onLogin"]> = (proof) => {
    logins.push(proof);
    whenAsked?.();
    // Events tell the user's id.
    return `user ${proof.loginId}`;
  };
  const bench = await setUpLogin(watched, { ...given, login: { onLogin, ...given.login }, options });
  const [doorcode] = kits;
  if (!doorcode) throw new Error("The app was not served.");

  return {
    ...bench,
    logins,
    doorcode,
    store: given.store,
    calls,
    async published(type, count = 1) {
      const found = () => bench.events.filter((event) => event.type === type).length;
      await expect.poll(found, patience).toBeGreaterThanOrEqual(count);
    },
    async deliver(payload) {
      const body = JSON.stringify(payload);
      const headers = Object.fromEntries(signed(body, Math.floor(Date.now() / 1000)));
      const signal = AbortSignal.timeout(5000);
      return openBrowser(bench.url).send("/webhooks", { method: "POST", headers, body, signal });
    },
    expectSilence: () => spoken.expectSilence(bench),
  };
}

/** The code of a refusal, and what a refusal of the store must say. */
export function refusalOf({ status, json, headers }: Answer): readonly unknown[] {
  return [status, json.code, headers.get("retry-after")];
}

/** How a login is refused while the store fails. */
export const failedClosed = [503, "store_unavailable", "1"] as const;

/** How a delivery is refused while the store fails. */
export const notTaken = [503, "store_unavailable", "5"] as const;

/** Every framework with every owner of the code. */
export function casesOf(hosts: readonly Host[]) {
  return hosts.flatMap((host) => codeOwners.map((strategy) => ({ host, ...strategy, on: host.name })));
}

/** Every framework and every owner of the code, each once. */
export function pairsOf(hosts: readonly Host[]) {
  return casesOf(hosts).filter((_, index) => index % (codeOwners.length + 1) === 0);
}
