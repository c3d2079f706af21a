import {
  appCodes,
  type CodeStrategyFactory,
  type CodeToSend,
  createDoorcode,
  type Doorcode,
  type DoorcodeEvent,
  type DoorcodeOptions,
  serviceCodes,
} from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import type { ManualClock } from "@doorcode/core/testing";
import { onTestFinished } from "vitest";
import { type Answer, type Browser, openBrowser } from "./browser.ts";
import { type Deployment, deployOn } from "./deployment.ts";
import type { Host } from "./hosts.ts";
import type { Platform } from "./platforms.ts";
import { type ScriptedService, startScriptedService } from "./scripted-service.ts";

/** Mobile numbers for tests. No message is ever sent. */
export const phone = "+4915123456789";
export const otherPhone = "+4915123456780";

/** What a test changes. Several processes of one app are given the same deployment. */
export interface LoginSetupOptions {
  readonly app?: Deployment;
  /** A service that several processes use. */
  readonly service?: ScriptedService;
  /** Those of the platform when left out, of the service on a framework alone. */
  readonly codes?: CodeStrategyFactory;
  readonly login?: Partial<NonNullable<DoorcodeOptions<undefined>["login"]>>;
  readonly options?: Partial<DoorcodeOptions<undefined>>;
  /** In place of the app's store. */
  readonly store?: Store;
  /** Also mounts the routes of an account: see `MountedParts`. Its number is `phone`, and each link is accepted. */
  readonly account?: boolean;
}

/** An app with a login on a real framework, and a service that answers as the test says. */
export interface LoginSetup {
  readonly doorcode: Doorcode;
  readonly url: string;
  readonly clock: ManualClock;
  readonly service: ScriptedService;
  /** The argument of each call of `onLogin`. */
  readonly logins: { readonly phone: string; readonly loginId: string }[];
  readonly events: DoorcodeEvent[];
  open(): Browser;
  /** Opens a browser and starts a login in it. */
  started(body?: Record<string, string>): Promise<Browser>;
  /** Opens a browser and logs in. */
  loggedIn(): Promise<Browser>;
}

/** The browser of a test that needs only one. */
interface WithBrowser {
  readonly browser: Browser;
}

export const password = "a password of the tests, long enough";

const defaultLimits = {
  cooldownSeconds: 0,
  sendsPerPhone: 100,
  sendsPerPhonePerDay: 100,
  failuresPerPhoneInTenMinutes: 100,
};

/** Starts the app, in memory when only a framework is given; it ends with the test. */
export async function setUpLogin(host: Host | Platform, given: LoginSetupOptions = {}): Promise<LoginSetup> {
  const { app = deployOn(host) } = given;
  const { name, clock } = app;
  const service = given.service ?? (await startScriptedService());
  const logins: LoginSetup["logins"] = [];
  const events: DoorcodeEvent[] = [];
  const doorcode = createDoorcode({
    name,
    clock,
    store: given.store ?? app.connect(),
    service: { baseUrl: service.url, apiKey: "key_of_the_tests" },
    session: { password },
    onEvent: (event) => void events.push(event),
    login: {
      countries: ["DE"],
      codes: given.codes ?? codesOf("codes" in host ? host : serviceOwned, service),
      onLogin: (proof) => {
        logins.push(proof);
        return `user of ${proof.phone}`;
      },
      ...(given.account && { onLink: ({ userId }) => userId, phoneOf: () => phone }),
      ...given.login,
      // Only the tests of the pauses wait for them.
      limits: { checkPauseSeconds: 0, ...(given.login?.limits ?? defaultLimits) },
    },
    ...given.options,
  });
  const webhooks = given.options?.webhooks !== undefined;
  const served = await host.serve(doorcode, { webhooks, account: given.account ?? false });
  onTestFinished(async () => {
    await served.close();
    if (!given.service) await service.close();
  });

  async function started(body: Record<string, string> = { phone }): Promise<Browser> {
    const browser = openBrowser(served.url);
    const answer = await browser.post("/login/start", body);
    if (answer.status !== 200) throw new Error(`The login did not start: ${answer.status} ${answer.text}`);
    return browser;
  }

  async function loggedIn(): Promise<Browser> {
    const browser = await started();
    const answer = await browser.post("/login/confirm", { code: newestCode(service) });
    if (answer.status !== 200) throw new Error(`The login was not confirmed: ${answer.status} ${answer.text}`);
    return browser;
  }

  const open = () => openBrowser(served.url);
  return { doorcode, url: served.url, clock, service, logins, events, open, started, loggedIn };
}

/** Starts the app as `setUpLogin` does, and a login in a browser. */
export async function setUpStarted(...given: Parameters<typeof setUpLogin>): Promise<LoginSetup & WithBrowser> {
  const login = await setUpLogin(...given);
  return { ...login, browser: await login.started() };
}

/** Starts the app as `setUpLogin` does, and logs in with a browser. */
export async function setUpLoggedIn(...given: Parameters<typeof setUpLogin>): Promise<LoginSetup & WithBrowser> {
  const login = await setUpLogin(...given);
  return { ...login, browser: await login.loggedIn() };
}

/** Returns the code that is right now. */
export function newestCode(service: ScriptedService): string {
  return service.created.at(-1)?.custom_otp ?? service.code;
}

/** Returns a code that is wrong now. */
export function wrongCode(service: ScriptedService): string {
  const right = newestCode(service);
  const zeros = "0".repeat(right.length);
  return right === zeros ? `${zeros.slice(1)}1` : zeros;
}

/** Tries wrong codes, one after another, and returns the answers. */
export async function tryWrongCodes(browser: Browser, service: ScriptedService, times: number): Promise<Answer[]> {
  const answers = [];
  for (let time = 0; time < times; time++) {
    answers.push(await browser.post("/login/confirm", { code: wrongCode(service) }));
  }
  return answers;
}

/** The side that owns the codes, and the strategy for them. */
export interface CodeOwner {
  readonly owner: "the service" | "the app";
  readonly codes: CodeStrategyFactory;
  /** In place of `codes`, for an app that needs to know the service of the test. */
  readonly codesFor?: (service: ScriptedService) => CodeStrategyFactory;
}

function codesOf({ codes, codesFor }: CodeOwner, service: ScriptedService): CodeStrategyFactory {
  return codesFor?.(service) ?? codes;
}

/** The service generates the codes and compares them. */
export const serviceOwned: CodeOwner = { owner: "the service", codes: serviceCodes({ template: "login" }) };

/** The app generates the codes and compares them; the service only sends them. */
export const appOwned: CodeOwner = { owner: "the app", codes: appCodes() };

/** The app words the texts, which the service sends as messages. */
export const appWorded: CodeOwner = { owner: "the app", codes: appCodes({ sender: "Example" }) };

/** The app sends its codes itself. The service of the test stands in for the other provider. */
export const appSent: CodeOwner = {
  ...appOwned,
  codesFor: (service) => appCodes({ send: (code) => sendAnother(service, code) }),
};

async function sendAnother({ take }: ScriptedService, { phone: recipient, code, text, channels }: CodeToSend) {
  const onWire = channels.map((channel_name, index) => ({ channel_name, priority: index + 1 }));
  const { status } = await take({ recipient, custom_otp: code, text, channels: onWire });
  if (status === 429) return "unavailable";
  if (status >= 500) throw new Error(`The provider answered ${status} to ${recipient}: ${text}`);
  return status === 200 ? undefined : "refused";
}

/** Both sides; most of what holds must hold for both. */
export const codeOwners: readonly CodeOwner[] = [serviceOwned, appOwned];
