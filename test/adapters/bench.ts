import { createDoorcode, type Doorcode, type DoorcodeEvent, type DoorcodeOptions, serviceCodes } from "@doorcode/core";
import type { ManualClock } from "@doorcode/core/testing";
import { onTestFinished } from "vitest";
import { type Browser, openBrowser } from "../support/browser.ts";
import { createDeployment, type Deployment } from "../support/deployment.ts";
import { type ScriptedService, startScriptedService } from "../support/scripted-service.ts";
import { type AdapterHost, type AppPlan, type ServedApp, secret } from "./host.ts";

/** The user of these apps. */
export interface User {
  readonly name: string;
}

export const phone = "+4915123456789";
const password = "a password of the tests, long enough";

/** A kit whose time stands still, with what it did to be looked at. */
export interface Kit {
  readonly doorcode: Doorcode<User>;
  readonly clock: ManualClock;
  readonly service: ScriptedService;
  readonly events: readonly DoorcodeEvent[];
  /** Resolves when an event of that type has been published. */
  published(type: DoorcodeEvent["type"]): Promise<void>;
  /** The data of the deliveries that were handled. */
  readonly handled: readonly unknown[];
  /** Takes the store down, and up again. */
  readonly outage: { isOn: boolean };
}

/** What a test wants otherwise. */
export interface KitOptions {
  /** Where it keeps what it knows; in memory when left out. */
  readonly app?: Deployment;
  readonly login?: Partial<NonNullable<DoorcodeOptions<User>["login"]>>;
  /** The kit's own sessions, unless the app has its own. */
  readonly session?: Partial<NonNullable<DoorcodeOptions<User>["session"]>> | "the app's own";
}

const loadUser = (id: string): User => ({ name: `Zoë of ${id}` });
const publicUser = ({ name }: User): unknown => ({ name });

/** Creates a kit beside a service that approves `service.code`; both are gone when the test is over. */
export async function createKit({ app = createDeployment(), login, session }: KitOptions = {}): Promise<Kit> {
  const service = await startScriptedService();
  const { name, clock } = app;
  const events: DoorcodeEvent[] = [];
  const waiting = new Map<string, () => void>();
  const handled: unknown[] = [];
  const outage = { isOn: false };
  onTestFinished(service.close);

  return {
    clock,
    service,
    events,
    handled,
    outage,
    doorcode: createDoorcode<User>({
      clock,
      name,
      store: new Proxy(app.connect(), {
        get(target, verb, receiver) {
          if (outage.isOn) return async () => Promise.reject(new Error("The store is down."));
          return Reflect.get(target, verb, receiver);
        },
      }),
      service: { baseUrl: service.url, apiKey: "key_of_the_tests" },
      ...(session !== "the app's own" && { session: { password, loadUser, publicUser, ...session } }),
      login: {
        password,
        countries: ["DE"],
        codes: serviceCodes({ template: "login" }),
        onLogin: () => "user_1",
        ...login,
      },
      webhooks: { secret, on: { "message.status.update": ({ data }) => void handled.push(data) } },
      onEvent(event) {
        events.push(event);
        waiting.get(event.type)?.();
      },
    }),
    async published(type) {
      if (events.some((event) => event.type === type)) return;
      await new Promise<void>((resolve) => waiting.set(type, resolve));
    },
  };
}

/** A kit in an app on a real framework. */
export interface Bench extends Kit {
  readonly url: string;
  readonly faults: readonly unknown[];
  open(): Browser;
  /** A browser that is logged in. */
  loggedIn(): Promise<Browser>;
}

/** Serves a kit; the app is closed when the test is over. */
export async function setUp(host: AdapterHost, options: KitOptions & Omit<AppPlan, "doorcode"> = {}): Promise<Bench> {
  const kit = await createKit(options.sessions ? { ...options, session: "the app's own" } : options);
  const app = await host.serve({ doorcode: kit.doorcode, ...options });
  return benchOf(kit, app);
}

/** Joins a kit and an app that was built by hand. */
export function benchOf(kit: Kit, app: ServedApp): Bench {
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
