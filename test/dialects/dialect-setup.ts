import {
  appCodes,
  type CodeStrategyFactory,
  createDoorcode,
  type Doorcode,
  type DoorcodeEvent,
  serviceCodes,
  type WebhookEvent,
} from "@doorcode/core";
import { createServiceClient, type ServiceClient } from "@doorcode/core/service";
import { systemClock } from "@doorcode/core/store";
import type { Dialect, Sandbox, SandboxApplication } from "@doorcode/sandbox";
import { onTestFinished } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import type { Host, ServedApp } from "../support/hosts.ts";
import { looseLimits } from "../support/loose-limits.ts";
import { type Owner, serviceAttempts } from "./expected-answers.ts";

/** A number whose SMS fails, so that the code comes over the second channel: see the sandbox's numbers that behave. */
export const phone = "+491713920011";

/** An app with every part of the kit on a real framework, and its own application in the sandbox with one dialect. */
export interface DialectSetup {
  readonly application: SandboxApplication;
  readonly doorcode: Doorcode<undefined>;
  /** A client of the service with an invalid API key. */
  readonly stranger: ServiceClient;
  readonly url: string;
  /** The phone of each call of `onLogin`. */
  readonly logins: readonly string[];
  /** The event of each call of a handler. */
  readonly handled: readonly WebhookEvent[];
  /** The type of the event that the kit published for each delivery, in order. */
  readonly outcomes: readonly string[];
  /** The channels, in the order in which the login tries them. */
  readonly channels: readonly string[];
  /** Opens a browser and starts a login in it. */
  started(): Promise<{ readonly browser: Browser; readonly code: string; readonly wrongCode: string }>;
  /** Advances the clock of the application and of the kit, and lets everything that is due happen. */
  advance(duration?: string): Promise<void>;
}

/**
 * Starts the app and creates its application; both end with the test.
 *
 * @param codes - replaces the codes that suit the owner and the dialect.
 */
export async function setUpDialect(
  sandbox: Sandbox,
  host: Host,
  dialect: Dialect,
  owner: Owner = "service",
  codes?: CodeStrategyFactory,
): Promise<DialectSetup> {
  const settings = { codeTtlSeconds: 60, maxConfirmationAttempts: serviceAttempts };
  const application = sandbox.createApplication({ dialect, settings });
  const { SERVICE_URL: baseUrl, SERVICE_API_KEY: apiKey, WEBHOOK_SECRET: secret, SESSION_PASSWORD } = application.env;
  // A dialect that accepts any channel gets one that is none of the five.
  const channels = ["SMS", dialect.channelNames === "any" ? "RCS" : "WHATSAPP"];
  const logins: string[] = [];
  const handled: WebhookEvent[] = [];
  const outcomes: string[] = [];
  const note = (event: WebhookEvent) => void handled.push(event);

  const doorcode = createDoorcode({
    name: application.id,
    // Both have the same time, which the sandbox advances.
    clock: { now: () => application.clock.now(), schedule: systemClock.schedule },
    service: { baseUrl, apiKey },
    session: { password: SESSION_PASSWORD },
    onEvent: (event) => void noteOutcome(event, outcomes),
    webhooks: { secret, on: { "message.status.update": note, "verification.update": note, unknown: note } },
    login: {
      countries: ["DE"],
      codes: codes ?? codesOf(owner, dialect, channels),
      limits: looseLimits,
      onLogin: ({ phone: proven }) => {
        logins.push(proven);
        return `user of ${proven}`;
      },
    },
  });
  const stranger = createServiceClient({ baseUrl, apiKey: "invalid-key" });
  const app = await host.serve(doorcode, { webhooks: true });
  onTestFinished(async () => {
    await Promise.all([app.close(), stranger.close()]);
    application.remove();
  });
  deliver(application, dialect, app);

  const advance = (duration = "1s") => application.clock.advance(duration);
  async function started() {
    const browser = openBrowser(app.url);
    const answer = await browser.post("/login/start", { phone });
    if (answer.status !== 200) throw new Error(`The login did not start: ${answer.status} ${answer.text}`);
    const { code = "" } = await application.inbox.wait({ to: phone });
    return { browser, code, wrongCode: code === "000000" ? "000001" : "000000" };
  }
  return { application, doorcode, stranger, url: app.url, logins, handled, outcomes, channels, started, advance };
}

function codesOf(owner: Owner, { customOtpTemplate }: Dialect, channels: readonly string[]): CodeStrategyFactory {
  if (owner === "service") return serviceCodes({ template: "login", channels });
  const lifetimeSeconds = 60;
  return customOtpTemplate === "required"
    ? appCodes({ template: "login", channels, lifetimeSeconds })
    : appCodes({ channels, lifetimeSeconds });
}

/** Where http is refused, a proxy ends TLS before the app, as in production: here it is a function of the sandbox. */
function deliver(application: SandboxApplication, { httpTargets }: Dialect, app: ServedApp): void {
  const endpoint = `${app.url}/webhooks`;
  if (httpTargets === "loopback") application.deliverTo(endpoint);
  else application.deliverTo((request) => forward(request, endpoint));
}

async function forward(request: Request, endpoint: string): Promise<Response> {
  const names = ["content-type", "x-webhook-timestamp", "x-webhook-signature"];
  const headers = names.map((name): [string, string] => [name, request.headers.get(name) ?? ""]);
  return fetch(endpoint, { method: "POST", headers, body: await request.arrayBuffer() });
}

function noteOutcome({ type }: DoorcodeEvent, outcomes: string[]): void {
  if (type.startsWith("webhook.")) outcomes.push(type);
}
