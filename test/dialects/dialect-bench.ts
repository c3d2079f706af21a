import {
  appCodes,
  type CodeStrategyFactory,
  createDoorcode,
  type Doorcode,
  type DoorcodeEvent,
  serviceCodes,
  type WebhookEvent,
} from "@doorcode/core";
import { systemClock } from "@doorcode/core/clock";
import { createServiceClient, type ServiceClient } from "@doorcode/core/service";
import type { Dialect, Sandbox, SandboxApplication } from "@doorcode/sandbox";
import { onTestFinished } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import type { Host, ServedApp } from "../support/hosts.ts";
import { type Owner, serviceAttempts } from "./told.ts";

/** A number whose SMS fails, so that the code comes over the second channel: see the sandbox's numbers that behave. */
export const phone = "+491713920011";

/** An app with every part of the kit on a real framework, and an application of its own that speaks one dialect. */
export interface DialectBench {
  readonly application: SandboxApplication;
  readonly doorcode: Doorcode<undefined>;
  /** A client of the application with a key that opens nothing. */
  readonly stranger: ServiceClient;
  readonly url: string;
  /** Who `onLogin` was called for. */
  readonly logins: readonly string[];
  /** What `webhooks.on` was called with, call by call. */
  readonly handled: readonly WebhookEvent[];
  /** What the receiver published on each delivery, in order. */
  readonly reports: readonly string[];
  /** In the order in which the login tries them. */
  readonly channels: readonly string[];
  /** Opens a browser, which has then asked for a code. */
  started(): Promise<{ readonly browser: Browser; readonly code: string; readonly wrongCode: string }>;
  /** Lets everything happen that is under way, on the clock of the application and of the kit. */
  pass(duration?: string): Promise<void>;
}

/**
 * Sets the bench up; it is cleared when the test is over.
 *
 * @param codes - in place of those that suit the owner and the dialect.
 */
export async function setUpDialect(
  sandbox: Sandbox,
  host: Host,
  dialect: Dialect,
  owner: Owner = "service",
  codes?: CodeStrategyFactory,
): Promise<DialectBench> {
  const settings = { codeTtlSeconds: 60, maxConfirmationAttempts: serviceAttempts };
  const application = sandbox.createApplication({ dialect, settings });
  const { SERVICE_URL: baseUrl, SERVICE_API_KEY: apiKey, WEBHOOK_SECRET: secret, SESSION_PASSWORD } = application.env;
  // A dialect that takes any name of a channel is given one that is none of the five.
  const channels = ["SMS", dialect.channelNames === "any" ? "RCS" : "WHATSAPP"];
  const logins: string[] = [];
  const handled: WebhookEvent[] = [];
  const reports: string[] = [];
  const note = (event: WebhookEvent) => void handled.push(event);

  const doorcode = createDoorcode({
    name: application.id,
    // One time for both: the sandbox moves it.
    clock: { now: () => application.clock.now(), schedule: systemClock.schedule },
    service: { baseUrl, apiKey },
    session: { password: SESSION_PASSWORD },
    onEvent: (event) => void noteReport(event, reports),
    webhooks: { secret, on: { "message.status.update": note, "verification.update": note, unknown: note } },
    login: {
      countries: ["DE"],
      codes: codes ?? codesOf(owner, dialect, channels),
      limits: { cooldownSeconds: 0, sendsPerPhone: 100, failuresPerPhoneInTenMinutes: 100 },
      onLogin: ({ phone: proven }) => {
        logins.push(proven);
        return `user of ${proven}`;
      },
    },
  });
  const stranger = createServiceClient({ baseUrl, apiKey: "opens-nothing" });
  const app = await host.serve(doorcode, { webhooks: true });
  onTestFinished(async () => {
    await Promise.all([app.close(), stranger.close()]);
    application.remove();
  });
  deliver(application, dialect, app);

  const pass = (duration = "1s") => application.clock.advance(duration);
  async function started() {
    const browser = openBrowser(app.url);
    const answer = await browser.post("/login/start", { phone });
    if (answer.status !== 200) throw new Error(`The login did not start: ${answer.status} ${answer.text}`);
    const { code = "" } = await application.inbox.wait({ to: phone });
    return { browser, code, wrongCode: code === "000000" ? "000001" : "000000" };
  }
  return { application, doorcode, stranger, url: app.url, logins, handled, reports, channels, started, pass };
}

function codesOf(owner: Owner, { customOtpTemplate }: Dialect, channels: readonly string[]): CodeStrategyFactory {
  if (owner === "service") return serviceCodes({ template: "login", channels });
  const lifetimeSeconds = 60;
  return customOtpTemplate === "required"
    ? appCodes({ template: "login", channels, lifetimeSeconds })
    : appCodes({ channels, lifetimeSeconds });
}

/** Where http is refused, what ends TLS stands before the app, as in production: here it is in the sandbox's process. */
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

function noteReport({ type }: DoorcodeEvent, reports: string[]): void {
  if (type.startsWith("webhook.")) reports.push(type);
}
