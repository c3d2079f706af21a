import { appCodes, type CodeStrategyFactory, serviceCodes } from "@doorcode/core";
import type { Answer, Browser } from "../support/browser.ts";
import { type LoginSetup, newestCode, otherPhone, phone, wrongCode } from "../support/login-setup.ts";
import type { Trip } from "./trip-counter.ts";

/** One request of a login, and its calls of the store. */
export interface LoginRequest {
  readonly what: string;
  readonly codes: CodeStrategyFactory;
  /** Opens a browser and prepares what the request needs. */
  prepare(login: LoginSetup): Promise<Browser> | Browser;
  request(browser: Browser, login: LoginSetup): Promise<Answer>;
  /** The expected status of the answer. */
  readonly status: number;
  readonly trips: readonly Trip[];
}

/** The limits with which all of these requests are made. */
export const limits = {
  cooldownSeconds: 0,
  sendsPerPhone: 3,
  failuresPerPhoneInTenMinutes: 100,
  checkPauseSeconds: [0, 0, 60, 120],
};

const reserveSend = ["increment sends-of-day, sends, limits, failures", "put transaction"];
const attempt = ["get transaction, approved", "increment attempts, check-pause"];
const failure = ["get superseded", "increment failures, failures-gate, failures-of-address"];
const open = ["get transaction, approved", "increment attempts, check-pause"];
const readSession = "get session, session-generation, session-use";

const clear = "increment attempts, failures, failures-gate, failures-of-address";
const lease = "lease transaction";
const finish = [
  ["get session-generation", "increment session-count", "put superseded"],
  ["put session", "put session-listed"],
  ["settle transaction"],
  ["increment limits, failures-of-address"],
];
const right = [attempt, failure, [clear, lease], ...finish];
/** Nothing is given back before the approval is written. */
const rightOfService = [attempt, failure, ["put approved", lease], [clear], ...finish];

const start = (browser: Browser) => browser.post("/login/start", { phone });
const state = (browser: Browser) => browser.get("/login/state");
const account = (browser: Browser) => browser.get("/account");
const confirm = (browser: Browser, { service }: LoginSetup) =>
  browser.post("/login/confirm", { code: newestCode(service) });
const confirmWrong = (browser: Browser, { service }: LoginSetup) =>
  browser.post("/login/confirm", { code: wrongCode(service) });

const anonymous = ({ open: openBrowser }: LoginSetup) => openBrowser();
const started = (login: LoginSetup) => login.started();
const loggedIn = (login: LoginSetup) => login.loggedIn();

/** Opens a browser that is logged in and has started another login. */
async function loggedInAndStarted(login: LoginSetup): Promise<Browser> {
  const browser = await login.loggedIn();
  await login.clock.advance(1);
  await start(browser);
  return browser;
}

/** Opens a browser with the cookie of a login that never was. */
async function madeUp(login: LoginSetup): Promise<Browser> {
  const browser = await login.started();
  for (const name of browser.cookies.keys()) browser.cookies.set(name, "m".repeat(22));
  return browser;
}

async function usedUp(login: LoginSetup): Promise<Browser> {
  for (let send = 0; send < limits.sendsPerPhone; send++) await login.started();
  return login.open();
}

const service = serviceCodes({ template: "login" });
const app = appCodes();
const texts = appCodes({ sender: "Example" });

/** Every request of a login, with its calls of the store in each round trip. */
export const loginRequests: readonly LoginRequest[] = [
  {
    what: "a start",
    codes: service,
    prepare: anonymous,
    request: start,
    status: 200,
    trips: [reserveSend, ["put transaction"]],
  },
  {
    what: "a start with a text of the app",
    codes: texts,
    prepare: anonymous,
    request: start,
    status: 200,
    trips: [reserveSend, ["put transaction", "put code"]],
  },
  {
    what: "a start that replaces a login",
    codes: service,
    prepare: started,
    request: (browser) => browser.post("/login/start", { phone: otherPhone }),
    status: 200,
    trips: [open, ["get superseded, verification.update"], reserveSend, ["put transaction"], ["delete transaction"]],
  },
  {
    what: "a start with a session",
    codes: service,
    prepare: loggedIn,
    request: start,
    status: 200,
    trips: [[readSession], reserveSend, ["put transaction"]],
  },
  {
    what: "a refused start",
    codes: service,
    prepare: usedUp,
    request: start,
    status: 429,
    trips: [reserveSend, ["delete transaction", "increment sends-of-day, limits"]],
  },
  {
    what: "a wrong code of the service",
    codes: service,
    prepare: started,
    request: confirmWrong,
    status: 400,
    trips: [attempt, failure, ["get approved"]],
  },
  {
    what: "a wrong code of the app",
    codes: app,
    prepare: started,
    request: confirmWrong,
    status: 400,
    trips: [attempt, failure],
  },
  {
    what: "a right code of the service",
    codes: service,
    prepare: started,
    request: confirm,
    status: 200,
    trips: rightOfService,
  },
  {
    what: "a right code of the app",
    codes: app,
    prepare: started,
    request: confirm,
    status: 200,
    trips: right,
  },
  {
    what: "a right code of the service, with a session",
    codes: service,
    prepare: loggedInAndStarted,
    request: confirm,
    status: 200,
    trips: [...rightOfService, ["delete session"]],
  },
  {
    what: "a guarded request",
    codes: service,
    prepare: loggedIn,
    request: account,
    status: 200,
    trips: [[readSession]],
  },
  {
    what: "a guarded request without a session",
    codes: service,
    prepare: anonymous,
    request: account,
    status: 401,
    trips: [],
  },
  {
    what: "the state without a login",
    codes: service,
    prepare: anonymous,
    request: state,
    status: 200,
    trips: [],
  },
  {
    what: "the state of a started login",
    codes: service,
    prepare: started,
    request: state,
    status: 200,
    trips: [open, ["get superseded, verification.update"]],
  },
  {
    what: "the state of a login that the store does not know",
    codes: service,
    prepare: madeUp,
    request: state,
    status: 200,
    trips: [open],
  },
  {
    what: "the state with a session",
    codes: service,
    prepare: loggedIn,
    request: state,
    status: 200,
    trips: [[readSession]],
  },
  {
    what: "a resend",
    codes: service,
    prepare: started,
    request: (browser) => browser.post("/login/resend"),
    status: 200,
    trips: [
      open,
      ["get superseded"],
      ["increment sends-of-day, sends, limits"],
      ["lease transaction"],
      ["settle transaction"],
      ["lease transaction"],
      ["settle transaction"],
      open,
      ["get superseded, verification.update"],
    ],
  },
  {
    what: "a resend of a text of the app",
    codes: texts,
    prepare: started,
    request: (browser) => browser.post("/login/resend"),
    status: 200,
    trips: [
      open,
      ["get superseded"],
      ["increment sends-of-day, sends, limits"],
      ["lease transaction"],
      ["settle transaction"],
      ["lease transaction", "put code"],
      ["settle transaction"],
      open,
      ["get superseded, message.status.update"],
    ],
  },
  {
    what: "a logout",
    codes: service,
    prepare: loggedInAndStarted,
    request: (browser) => browser.post("/login/logout"),
    status: 200,
    trips: [["delete transaction", "delete session"]],
  },
];
