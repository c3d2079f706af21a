import type {
  Doorcode,
  DoorcodeEvent,
  LoginOptions,
  WebhookEvent,
  WebhookHandler,
  WebhookOptions,
} from "@doorcode/core";
import { type Store, systemClock } from "@doorcode/core/store";
import { expect } from "vitest";
import { createJournal, type Journal } from "../inbox/journal.ts";
import type { EffectScope } from "../inbox/open-engine.ts";
import { type Answer, openBrowser } from "../support/browser.ts";
import type { Host } from "../support/hosts.ts";
import { codeOwners, type LoginSetup, type LoginSetupOptions, setUpLogin } from "../support/login-setup.ts";
import { signed } from "../support/webhook-setup.ts";
import { recordOutput } from "./recorded-output.ts";

/** An app with login and webhooks, on the machine's clock. */
export interface App extends LoginSetup {
  readonly doorcode: Doorcode;
  readonly store: Store;
  /** The events of the handlers, call by call. */
  readonly calls: Journal<WebhookEvent>;
  /** Resolves when the kit has published that many events of the type. */
  published(type: DoorcodeEvent["type"], count?: number): Promise<void>;
  /** Delivers once, as the service does, which waits for five seconds. */
  deliver(payload: unknown): Promise<Answer>;
  /** @throws when the output of the app or one of its events contains a number, a code or a key. */
  expectNoSecrets(): void;
}

/** Options of {@link openApp}. */
export interface AppOptions extends LoginSetupOptions {
  readonly store: Store;
  readonly webhooks?: Partial<WebhookOptions>;
  /** Runs when the app is asked for the user of a number. */
  readonly onAsked?: () => void;
  /** Handles every event, after it was recorded. */
  readonly handle?: WebhookHandler<WebhookEvent, EffectScope>;
}

const secret = "whk_of_the_tests";

/** Serves an app. It is closed when the test is over. */
export async function openApp(host: Host, { webhooks, handle, onAsked, ...given }: AppOptions): Promise<App> {
  const calls = createJournal<WebhookEvent>();
  const note: WebhookHandler<WebhookEvent> = (event, context) => {
    calls.note(event);
    return handle?.(event, context);
  };
  const on = { "message.status.update": note, "verification.update": note, unknown: note };
  const kits: Doorcode[] = [];
  const recording: Host = {
    ...host,
    serve(doorcode, parts) {
      kits.push(doorcode);
      return host.serve(doorcode, parts);
    },
  };
  const options = { clock: systemClock, webhooks: { secret, on, retrySeconds: 0.05, ...webhooks }, ...given.options };
  const output = recordOutput();
  const logins: LoginSetup["logins"] = [];
  const onLogin: NonNullable<LoginOptions["onLogin"]> = (proof) => {
    logins.push(proof);
    onAsked?.();
    // Events tell the user's id.
    return `user ${proof.loginId}`;
  };
  const setup = await setUpLogin(recording, { ...given, login: { onLogin, ...given.login }, options });
  const [doorcode] = kits;
  if (!doorcode) throw new Error("The app was not served.");

  return {
    ...setup,
    logins,
    doorcode,
    store: given.store,
    calls,
    async published(type, count = 1) {
      const found = () => setup.events.filter((event) => event.type === type).length;
      await expect.poll(found).toBeGreaterThanOrEqual(count);
    },
    async deliver(payload) {
      const body = JSON.stringify(payload);
      const headers = Object.fromEntries(signed(body, Math.floor(Date.now() / 1000)));
      const signal = AbortSignal.timeout(5000);
      return openBrowser(setup.url).send("/webhooks", { method: "POST", headers, body, signal });
    },
    expectNoSecrets: () => output.expectNoSecrets(setup),
  };
}

/** Answers the parts of a refusal that the kit promises. */
export function refusalOf({ status, json, headers }: Answer): readonly unknown[] {
  return [status, json.code, headers.get("retry-after")];
}

/** The refusal of a login while the store fails. */
export const failedClosed = [503, "store_unavailable", "1"] as const;

/** The refusal of a delivery while the store fails. */
export const notAccepted = [503, "store_unavailable", "5"] as const;

/** Every framework with every owner of the codes. */
function casesOf(hosts: readonly Host[]) {
  return hosts.flatMap((host) => codeOwners.map((strategy) => ({ host, ...strategy, on: host.name })));
}

/** Every framework and every owner of the codes, each once. */
export function pairsOf(hosts: readonly Host[]) {
  return casesOf(hosts).filter((_, index) => index % (codeOwners.length + 1) === 0);
}
