import { signDelivery } from "@doorcode/core";
import { type App, type AppDeps, createLoginApp, createWebhookApp, webhookSecret } from "./app.ts";
import { type ExploredStore, type Journal, openStore } from "./explored-store.ts";
import { type Answer, createHistory, type ExploredRequest, type History, type Process } from "./history.ts";
import { Scheduler } from "./scheduler.ts";
import { createService, type ExploredService } from "./service.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** The number of all logins. */
export const phone = "+4915123456789";
export const user = "user 1";

/** A request that somebody sends. */
export interface Sending {
  readonly name: string;
  readonly browser?: string;
  /** The process that gets it. A new one takes the place of one that has stopped. Default: A. */
  readonly process?: string;
  readonly path: string;
  readonly body?: object;
}

/** A world as a scenario has prepared it, for many schedules. */
export interface Prepared {
  readonly atMilliseconds: number;
  readonly journal: Journal;
  readonly browsers: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly verifications: ExploredService["verifications"];
  readonly history: Pick<History, "requests" | "evaluations" | "sentCodes">;
}

/** Options of a world. */
export interface WorldOptions {
  readonly does: "login" | "webhooks";
  readonly removes?: boolean;
  /** True for a store in a file of SQLite. Default: false, in memory. */
  readonly inFile?: boolean;
}

/** A process, and the app that it runs. */
interface AppProcess extends Process {
  readonly app: App;
}

const beginning = Date.UTC(2026, 8, 21, 14, 13, 20);

/** Everything that a schedule runs in: an app on a store, a service, people with browsers, and a clock. */
export class World {
  readonly clock: VirtualClock;
  readonly scheduler: Scheduler;
  readonly history: History = createHistory();
  readonly service: ExploredService;
  readonly store: ExploredStore;
  readonly browsers = new Map<string, Map<string, string>>();
  /** The cookies that the browsers had when the schedule began. */
  readonly earlierCookies = new Map<string, ReadonlyMap<string, string>>();
  readonly #options: WorldOptions;
  readonly #deps: AppDeps;
  readonly #processes = new Map<string, AppProcess>();
  #sharedLogin: App | undefined;
  #ticks = 0;

  private constructor(
    parts: Pick<World, "clock" | "scheduler" | "service" | "store" | "history">,
    options: WorldOptions,
  ) {
    ({ clock: this.clock, scheduler: this.scheduler, service: this.service, store: this.store } = parts);
    this.history = parts.history;
    this.#options = options;
    const users = new Map([[phone, user]]);
    const { store } = parts.store;
    this.#deps = { ...parts, store, users, tick: () => ++this.#ticks, removes: options.removes ?? false };
  }

  /** Opens a world: a new one, or one as it was prepared. */
  static async open(options: WorldOptions, prepared?: Prepared): Promise<World> {
    const clock = createVirtualClock(beginning);
    const scheduler = new Scheduler(clock);
    const history = createHistory();
    const { requests = [], evaluations = [], sentCodes = [] } = prepared?.history ?? {};
    history.requests.push(...requests);
    history.evaluations.push(...evaluations);
    history.sentCodes.push(...sentCodes);
    const { inFile = false } = options;
    const store = await openStore({ clock, scheduler, history, inFile }, prepared?.journal ?? []);
    if (prepared) while (clock.runNext(prepared.atMilliseconds)) {}
    const verifications = (prepared?.verifications ?? []).map((verification) => ({ ...verification }));
    const service = createService(scheduler, clock, history, verifications);
    const world = new World({ clock, scheduler, service, store, history }, options);
    for (const [name, cookies] of prepared?.browsers ?? []) {
      world.browsers.set(name, new Map(cookies));
      world.earlierCookies.set(name, cookies);
    }
    return world;
  }

  /** Keeps what was done so far, for many schedules. */
  get prepared(): Prepared {
    const { clock, store, browsers, service, history } = this;
    return {
      atMilliseconds: clock.now(),
      journal: [...store.journal],
      browsers,
      verifications: service.verifications,
      history,
    };
  }

  /** The code that the service has sent last, or another one before it. */
  code(fromEnd = 1): string {
    return this.service.verifications.at(-fromEnd)?.code ?? "999999";
  }

  /** Returns the process of a name, and starts one if there is none that runs. */
  process(name = "A"): AppProcess {
    const known = this.#processes.get(name);
    if (known?.isRunning) return known;
    const started = startProcess(known ? `${known.name}'` : name, this.#createApp(known !== undefined));
    this.#processes.set(name, started);
    return started;
  }

  /** A login keeps nothing in the memory of its process, so processes share a kit, until one takes the place of another. */
  #createApp(isNew: boolean): App {
    if (this.#options.does === "webhooks") return createWebhookApp(this.#deps);
    if (isNew) this.#sharedLogin = undefined;
    this.#sharedLogin ??= createLoginApp(this.#deps);
    return this.#sharedLogin;
  }

  /** Sends a request, and resolves when it is answered or its process has stopped. */
  async send({ name, browser = "browser", process: processName, path, body }: Sending): Promise<ExploredRequest> {
    const process = this.process(processName);
    const cookies = this.browsers.get(browser) ?? new Map<string, string>();
    this.browsers.set(browser, cookies);
    const typed = body && "code" in body ? String(body.code) : undefined;
    const login = [...cookies].find(([cookie]) => cookie.endsWith("-transaction"))?.[1];
    const sentAt = this.#deps.tick();
    const request: ExploredRequest = {
      ...{ name, path, typed, login, browser, process, sentAt },
      faults: [],
      reached: new Set(),
    };
    this.history.requests.push(request);
    const handling = this.scheduler.runAs(request, () => process.app.handle(this.#requestOf(path, cookies, body)));
    const response = await Promise.race([handling, process.whenStopped]);
    if (!response) return request;
    for (const line of response.headers.getSetCookie()) keepCookie(cookies, line);
    request.answer = await readAnswer(response);
    request.answeredAt = this.#deps.tick();
    return request;
  }

  /** Sends a request while nothing disturbs it. It has no answer if it has no end. */
  async do(sending: Sending): Promise<Pick<ExploredRequest, "answer">> {
    if (!(await this.scheduler.run(() => [this.send(sending)]))) this.history.isEnded = false;
    return this.history.requests.at(-1) ?? {};
  }

  #requestOf(path: string, cookies: ReadonlyMap<string, string>, body: object | undefined): Request {
    const url = `http://localhost${path}`;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (!body) return new Request(url, { headers: { cookie } });
    const text = JSON.stringify(body);
    const timestampSeconds = Math.floor(this.clock.now() / 1000);
    const own =
      path === "/webhooks"
        ? signDelivery({ secret: webhookSecret, body: text, timestampSeconds })
        : { origin: "http://localhost", cookie };
    return new Request(url, { method: "POST", headers: { "content-type": "application/json", ...own }, body: text });
  }
}

function startProcess(name: string, app: App): AppProcess {
  const { promise: whenStopped, resolve } = Promise.withResolvers<undefined>();
  const process: AppProcess = {
    ...{ name, app, whenStopped },
    isRunning: true,
    stop() {
      process.isRunning = false;
      resolve(undefined);
    },
  };
  return process;
}

function keepCookie(cookies: Map<string, string>, line: string): void {
  const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (value === "") cookies.delete(name);
  else cookies.set(name, value);
}

async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const { code, status } = text.startsWith("{") ? JSON.parse(text) : {};
  const retryAfterSeconds = Number(response.headers.get("retry-after") ?? 0);
  return { status: response.status, code: code ?? status ?? "", retryAfterSeconds };
}
