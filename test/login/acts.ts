import { appCodes, type CodeStrategyFactory, serviceCodes } from "@doorcode/core";
import type { Answer, Browser } from "../support/browser.ts";
import { type LoginBench, newestCode, otherPhone, phone, wrongCode } from "../support/login-bench.ts";
import type { Trip } from "./trips.ts";

/** One request of a login, and what it asks of the store. */
export interface Act {
  readonly what: string;
  readonly codes: CodeStrategyFactory;
  /** The browser with all that has to be before. */
  before(bench: LoginBench): Promise<Browser> | Browser;
  request(browser: Browser, bench: LoginBench): Promise<Answer>;
  /** The status of the answer. */
  readonly status: number;
  readonly trips: readonly Trip[];
}

/** What all of these acts are set up with. */
export const limits = { cooldownSeconds: 0, sendsPerPhone: 3, failuresPerPhoneInTenMinutes: 100 };

const begin = ["increment sends", "put transaction"];
const attempt = ["get transaction, approved", "increment attempts"];
const failure = ["increment failures, failures-gate", "get superseded"];
const open = ["get transaction, approved", "increment attempts"];
const whoIsThere = "get session, sessions-ended";

const right = [
  attempt,
  failure,
  ["increment attempts, failures, failures-gate", "lease transaction"],
  ["put session", "put superseded"],
  ["settle transaction"],
];
const rightOfService = right.map((trip, index) => (index === 2 ? [...trip, "put approved"] : trip));

const start = (browser: Browser) => browser.post("/login/start", { phone });
const state = (browser: Browser) => browser.get("/login/state");
const account = (browser: Browser) => browser.get("/account");
const confirm = (browser: Browser, { service }: LoginBench) =>
  browser.post("/login/confirm", { code: newestCode(service) });
const confirmWrong = (browser: Browser, { service }: LoginBench) =>
  browser.post("/login/confirm", { code: wrongCode(service) });

const stranger = ({ open: openBrowser }: LoginBench) => openBrowser();
const started = (bench: LoginBench) => bench.started();
const loggedIn = (bench: LoginBench) => bench.loggedIn();

/** A browser that is logged in already and has another code on its way. */
async function loggedInAndStarted(bench: LoginBench): Promise<Browser> {
  const browser = await bench.loggedIn();
  await bench.clock.advance(1);
  await start(browser);
  return browser;
}

async function usedUp(bench: LoginBench): Promise<Browser> {
  for (let send = 0; send < limits.sendsPerPhone; send++) await bench.started();
  return bench.open();
}

const service = serviceCodes({ template: "login" });
const app = appCodes();

/** What each request of a login asks of the store, trip by trip. */
export const acts: readonly Act[] = [
  {
    what: "a start",
    codes: service,
    before: stranger,
    request: start,
    status: 200,
    trips: [begin, ["put transaction"]],
  },
  {
    what: "a start in place of one that was left",
    codes: service,
    before: started,
    request: (browser) => browser.post("/login/start", { phone: otherPhone }),
    status: 200,
    trips: [begin, ["put transaction", "delete transaction"]],
  },
  {
    what: "a start by somebody who is logged in",
    codes: service,
    before: loggedIn,
    request: start,
    status: 200,
    trips: [[whoIsThere], begin, ["put transaction"]],
  },
  {
    what: "a start that is refused",
    codes: service,
    before: usedUp,
    request: start,
    status: 429,
    trips: [begin, ["delete transaction"]],
  },
  {
    what: "a wrong code of the service",
    codes: service,
    before: started,
    request: confirmWrong,
    status: 400,
    trips: [attempt, failure, ["get approved"]],
  },
  {
    what: "a wrong code of the app",
    codes: app,
    before: started,
    request: confirmWrong,
    status: 400,
    trips: [attempt, failure],
  },
  {
    what: "a right code of the service",
    codes: service,
    before: started,
    request: confirm,
    status: 200,
    trips: rightOfService,
  },
  {
    what: "a right code of the app",
    codes: app,
    before: started,
    request: confirm,
    status: 200,
    trips: right,
  },
  {
    what: "a right code of the service, from somebody who is logged in",
    codes: service,
    before: loggedInAndStarted,
    request: confirm,
    status: 200,
    trips: [...rightOfService, ["delete session"]],
  },
  {
    what: "a guarded request",
    codes: service,
    before: loggedIn,
    request: account,
    status: 200,
    trips: [[whoIsThere]],
  },
  {
    what: "a guarded request of nobody",
    codes: service,
    before: stranger,
    request: account,
    status: 401,
    trips: [],
  },
  {
    what: "the state of nobody",
    codes: service,
    before: stranger,
    request: state,
    status: 200,
    trips: [],
  },
  {
    what: "the state while a code is on its way",
    codes: service,
    before: started,
    request: state,
    status: 200,
    trips: [open, ["get superseded, verification.update"]],
  },
  {
    what: "the state of somebody who is logged in",
    codes: service,
    before: loggedIn,
    request: state,
    status: 200,
    trips: [[whoIsThere]],
  },
  {
    what: "a resend",
    codes: service,
    before: started,
    request: (browser) => browser.post("/login/resend"),
    status: 200,
    trips: [
      open,
      ["get superseded"],
      ["increment sends"],
      ["lease transaction"],
      ["settle transaction"],
      ["lease transaction"],
      ["settle transaction"],
      open,
      ["get superseded, verification.update"],
    ],
  },
  {
    what: "a logout",
    codes: service,
    before: loggedInAndStarted,
    request: (browser) => browser.post("/login/logout"),
    status: 200,
    trips: [["delete transaction", "delete session"]],
  },
];
