import { createDoorcode, type Doorcode, type DoorcodeEvent, type DoorcodeOptions, serviceCodes } from "@doorcode/core";
import type { Inbox } from "@doorcode/core/inbox";
import type { ManualClock } from "@doorcode/core/testing";
import { onTestFinished } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { createFailingStore, type FailingStore } from "../support/failing-store.ts";
import { type ScriptedService, startScriptedService } from "../support/scripted-service.ts";
import { signedHeaders } from "../support/signed-delivery.ts";
import { type AdapterHost, type AppPlan, type ServedApp, secret } from "./host.ts";

/** The user of these apps. */
export interface User {
  readonly name: string;
}

export const phone = "+4915123456789";
export const password = "a password of the tests, long enough";

/** A kit with a manual clock, and a record of what it did. */
export interface Kit {
  readonly doorcode: Doorcode<User>;
  readonly clock: ManualClock;
  readonly service: ScriptedService;
  readonly events: readonly DoorcodeEvent[];
  /** Resolves when an event of that type has been published. */
  published(type: DoorcodeEvent["type"]): Promise<void>;
  /** The data of the deliveries that were handled. */
  readonly handled: readonly unknown[];
  /** The store of the kit, which fails when a test says so. */
  readonly failing: FailingStore;
}

/** What a test changes. */
export interface KitOptions {
  /** In memory when left out. */
  readonly app?: Deployment;
  readonly login?: Partial<NonNullable<DoorcodeOptions<User>["login"]>>;
  readonly options?: Pick<DoorcodeOptions<User>, "origins">;
  /** The kit's own sessions, unless the app has its own. */
  readonly session?: Partial<NonNullable<DoorcodeOptions<User>["session"]>> | "the app's own";
  /** What the handler of message statuses waits for. */
  readonly handle?: () => Promise<void>;
  readonly inbox?: Inbox;
  /** What the app does with each event. */
  readonly onEvent?: (event: DoorcodeEvent) => unknown;
}

const loadUser = (id: string): User => ({ name: `Zoë of ${id}` });
const publicUser = ({ name }: User): unknown => ({ name });

/** Creates a kit and a service that approves `service.code`; both end with the test. */
export async function createKit(kit: KitOptions = {}): Promise<Kit> {
  const { app = createDeployment(), login, session, options, handle, inbox, onEvent } = kit;
  const service = await startScriptedService();
  const { name, clock } = app;
  const events: DoorcodeEvent[] = [];
  const waiting = new Map<string, () => void>();
  const handled: unknown[] = [];
  const failing = createFailingStore(app);
  onTestFinished(service.close);

  return {
    clock,
    service,
    events,
    handled,
    failing,
    doorcode: createDoorcode<User>({
      clock,
      name,
      ...options,
      store: failing.store,
      service: { baseUrl: service.url, apiKey: "key_of_the_tests" },
      ...(session !== "the app's own" && { session: { password, loadUser, publicUser, ...session } }),
      login: {
        password,
        countries: ["DE"],
        codes: serviceCodes({ template: "login" }),
        onLogin: () => "user_1",
        ...login,
      },
      webhooks: {
        secret,
        ...(inbox && { inbox }),
        on: {
          async "message.status.update"({ data }) {
            handled.push(data);
            await handle?.();
          },
        },
      },
      onEvent(event) {
        events.push(event);
        waiting.get(event.type)?.();
        return onEvent?.(event);
      },
    }),
    async published(type) {
      if (events.some((event) => event.type === type)) return;
      await new Promise<void>((resolve) => waiting.set(type, resolve));
    },
  };
}

/** A kit in an app on a real framework. */
export interface AdapterSetup extends Kit {
  readonly url: string;
  readonly faults: readonly unknown[];
  open(): Browser;
  /** A browser that is logged in. */
  loggedIn(): Promise<Browser>;
}

/** Serves a kit; the app ends with the test. */
export async function setUp(
  host: AdapterHost,
  options: KitOptions & Omit<AppPlan, "doorcode"> = {},
): Promise<AdapterSetup> {
  const kit = await createKit(options.sessions ? { ...options, session: "the app's own" } : options);
  const app = await host.serve({ doorcode: kit.doorcode, ...options });
  return setUpOn(kit, app);
}

/** Uses a kit with an app that the test has built. */
export function setUpOn(kit: Kit, app: ServedApp): AdapterSetup {
  onTestFinished(app.close);
  const open = () => openBrowser(app.url);
  return Object.assign(kit, {
    url: app.url,
    faults: app.faults,
    open,
    async loggedIn() {
      const browser = open();
      await browser.post("/login/start", { phone });
      const { status, text } = await browser.post("/login/confirm", { code: kit.service.code });
      if (status !== 200) throw new Error(`The login was not confirmed: ${status} ${text}`);
      return browser;
    },
  });
}

/** The headers of a delivery that is signed at that time. */
export function signed(body: string | Uint8Array, nowMilliseconds: number): Record<string, string> {
  return Object.fromEntries(signedHeaders(body, Math.floor(nowMilliseconds / 1000), secret));
}
