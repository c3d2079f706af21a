import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { loginPage } from "@doorcode/browser/server";
import { checkEndpoint } from "@doorcode/cli/endpoint-check";
import { createDoorcode, serviceCodes } from "@doorcode/core";
import { createManualClock, type ManualClock } from "@doorcode/core/testing";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import { operations } from "@doorcode/operations/express";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { sendEventsTo } from "@doorcode/sandbox/events";
import { createSqliteInbox, createSqliteStore } from "@doorcode/sqlite";
import express, { type Express } from "express";
import { openBrowser } from "../test/support/browser.ts";
import { print } from "./cli-error.ts";
import { serveExpress } from "./serve.ts";

/*
 * `npm start -- --demo`: an app with people in it. They log in, mistype and give up; the service fails for a while, a handler of webhooks
 * fails, and an attack closes a block of numbers. All of it happens on this machine, and ends by itself. The hours before are played
 * first, on a clock that catches up with the machine's.
 */

const maxMinutes = 10;
const maxPeople = 1500;
const hourMilliseconds = 3_600_000;
/** Less than a day: the service signs by the machine's clock, and the kit accepts a day's difference at most. */
const hoursBefore = 20;

/** Runs the demo until it is interrupted. */
export async function runDemo(port: number, sandboxPort: number, interrupted: () => Promise<void>): Promise<void> {
  const clock = createManualClock(Date.now() - hoursBefore * hourMilliseconds);
  const sandbox = await createSandbox({ port: sandboxPort, clock });
  const demo = await createDemo(sandbox, clock);
  const stopped = new AbortController();
  try {
    const { url, close } = await serveExpress(demo.app, port);
    sandbox.deliverTo(`${url}/webhooks`);
    print(`
  Operations    ${url}/operations
  The app       ${url}/login
  The sandbox   ${sandbox.url.replace("127.0.0.1", "localhost")}

  People log in, mistype and give up: first those of the last ${hoursBefore} hours, in a few seconds, then those of now. After 8 seconds
  somebody attacks a block of numbers, after 20 the service fails for half a minute, and a handler of webhooks fails for the
  first two minutes. It ends after ${maxMinutes} minutes; press Ctrl-C to stop it. The id of a user is "user of" and the last three digits of the number: "user of 919".
`);
    const playing = demo.playHours(url, hoursBefore, stopped.signal).then(() => demo.play(url, stopped.signal));
    await interrupted();
    stopped.abort();
    await playing;
    await close();
  } finally {
    await demo.close();
    await sandbox.close();
  }
}

/** The app of the demo. */
interface Demo {
  readonly app: Express;
  /** Plays so many hours by the clock as fast as the machine can, unless the signal aborts. */
  playHours(url: string, hours: number, signal?: AbortSignal): Promise<void>;
  /** Lets people come until the signal aborts, for ten minutes at most, on a clock that follows the machine's. */
  play(url: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Creates the app of the demo, whose files are gone when it is closed. */
export async function createDemo(sandbox: Sandbox, clock: ManualClock): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-demo-"));
  const file = join(folder, "doorcode.sqlite");
  const { env } = sandbox;
  // Who replays a dead letter after that finds the cause mended.
  let mendedAt = 0;
  const doorcode = createDoorcode({
    clock,
    store: createSqliteStore({ file, clock }),
    service: { baseUrl: env.SERVICE_URL, apiKey: env.SERVICE_API_KEY },
    session: { password: env.SESSION_PASSWORD },
    login: {
      countries: ["DE", "AT", "FR", "PL"],
      codes: serviceCodes({ template: "login", channels: ["SMS", "WHATSAPP"] }),
      onLogin: ({ phone }) => `user of ${phone.slice(-3)}`,
      limits: {
        mode: "enforce",
        cooldownSeconds: 2,
        sendsPerDay: 5000,
        costPerDay: 200,
        prices: { DE: 0.08, PL: 0.03, other: 0.06 },
      },
    },
    webhooks: {
      secret: env.WEBHOOK_SECRET,
      inbox: createSqliteInbox({ file, clock }),
      toleranceSeconds: 86_400,
      attempts: 2,
      retrySeconds: 1,
      on: {
        "verification.update": ({ data: { recipient } }) => {
          const isBroken = clock.now() < mendedAt && recipient?.endsWith("7");
          if (isBroken) throw new Error("The customer database did not answer.");
        },
      },
    },
    onEvent: sendEventsTo(sandbox.url),
  });

  const app = express();
  // The people of the demo have addresses of their own, as behind a proxy.
  app.set("trust proxy", "loopback");
  app.disable("x-powered-by");
  app.use("/webhooks", webhooks(doorcode));
  app.use("/login", phoneLogin(doorcode, { page: loginPage({ done: "/account" }) }));
  let url = "";
  const check = () => checkEndpoint({ url: `${url}/webhooks`, secret: env.WEBHOOK_SECRET });
  app.use("/operations", operations(doorcode, { release: "demo-1", checkEndpoint: check }));
  app.get(
    "/account",
    requireLogin(doorcode, { loginPage: "/login" }),
    (req, res) => void res.send(`You are ${req.doorcode.userId}.`),
  );
  app.get("/", (_req, res) => res.redirect("/operations"));

  return {
    app,
    async playHours(appUrl, hours, signal) {
      for (let hour = 0; hour < hours && !signal?.aborted; hour += 1) {
        const endsAt = clock.now() + hourMilliseconds;
        if (hour === brokenHour) mendedAt = endsAt;
        const workers = await doorcode.work();
        await playHour({ url: appUrl, sandbox, clock }, hour);
        await workers.stop();
        await clock.advance(endsAt - clock.now());
      }
    },
    async play(appUrl, signal) {
      url = appUrl;
      await doorcode.work();
      mendedAt = clock.now() + 120_000;
      const over = AbortSignal.any([signal, AbortSignal.timeout(maxMinutes * 60_000)]);
      const people = [letPeopleCome(url, sandbox, over), letServiceFail(sandbox, over), attackSoon(url, over)];
      await Promise.all([followMachine(clock, over), ...people]).catch((error) => {
        if (!over.aborted) throw error;
      });
    },
    async close() {
      await doorcode.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Of the hours before: a handler fails in the first of these, the service in the second, and somebody attacks in the third. */
const [brokenHour, outageHour, attackedHour] = [11, 14, 17];
const secondsToRead = 4;
/** The service takes no code. */
const outage = { on: "POST /verifications", action: { type: "answer", status: 503 } } as const;

/** Plays the people of an hour one after the other. A person reads the code for some seconds, and the clock goes on by them. */
async function playHour(
  { url, sandbox, clock }: { readonly url: string; readonly sandbox: Sandbox; readonly clock: ManualClock },
  hour: number,
): Promise<void> {
  const people = 6 + ((hour * 5) % 11);
  const fault = hour === outageHour && sandbox.faults.add({ ...outage, times: people >> 1 });
  for (let index = 0; index < people; index += 1) {
    const person = hour * 100 + index;
    await visit(url, sandbox, person, () => clock.advance((secondsToRead + (person % 13)) * 1000));
  }
  if (fault) sandbox.faults.remove(fault.id);
  if (hour === attackedHour) await attack(url, () => clock.advance(2000));
  // The service reports on the last logins.
  await clock.advance(10_000);
}

/** Moves a clock with the machine's. */
async function followMachine(clock: ManualClock, over: AbortSignal): Promise<void> {
  for (;;) {
    await pause(20, undefined, { signal: over });
    await clock.advance(Date.now() - clock.now());
  }
}

function numberOf(person: number): string {
  const [start = "", digits = 0] = plans[person % plans.length] ?? [];
  return start + String((person * 7919) % 10 ** digits).padStart(digits, "0");
}

/** The beginnings of mobile numbers, and how many digits follow. */
const plans: readonly (readonly [start: string, digits: number])[] = [
  ["+49151", 8],
  ["+49170", 7],
  ["+43664", 7],
  ["+336", 8],
  ["+48512", 6],
];

/** The people of the hours before have the numbers below it. */
const firstPerson = 100 * hoursBefore;

async function letPeopleCome(url: string, sandbox: Sandbox, over: AbortSignal): Promise<void> {
  const visits: Promise<void>[] = [];
  for (let person = 1; person <= maxPeople && !over.aborted; person += 1) {
    const read = () => pause(1000 + Math.random() * 9000, undefined, { signal: over });
    visits.push(visit(url, sandbox, person + firstPerson, read).catch(() => undefined));
    await pause(150 + Math.random() * 500, undefined, { signal: over });
  }
  await Promise.all(visits);
}

/** One person: most log in, some mistype first, some give up. */
async function visit(url: string, sandbox: Sandbox, person: number, read: () => Promise<unknown>): Promise<void> {
  const phone = numberOf(person);
  const post = openBrowserAt(url, `198.51.${person % 250}.${person % 240}`);
  if ((await post("/login/start", { phone })).status !== 200) return;
  const { code = "" } = await sandbox.inbox.wait({ to: phone });
  await read();
  if (person % 9 === 0) return;
  if (person % 6 === 0) await post("/login/confirm", { code: code === "000000" ? "111111" : "000000" });
  await post("/login/confirm", { code });
}

/** The service fails for half a minute. */
async function letServiceFail(sandbox: Sandbox, over: AbortSignal): Promise<void> {
  await pause(20_000, undefined, { signal: over });
  const fault = sandbox.faults.add(outage);
  await pause(30_000, undefined, { signal: over }).finally(() => sandbox.faults.remove(fault.id));
}

/**
 * Somebody has codes sent to numbers that are alike, which earns money with some carriers, and confirms none. No person of the demo has a
 * number of that block, so its last refusal is the end of the attack.
 */
async function attack(url: string, wait: () => Promise<unknown>): Promise<void> {
  for (let login = 0; login < 60; login += 1) {
    await openBrowserAt(url, `203.0.${login % 100}.7`)("/login/start", { phone: `+4853499${1000 + login}` });
    await wait();
  }
}

async function attackSoon(url: string, over: AbortSignal): Promise<void> {
  await pause(8000, undefined, { signal: over });
  await attack(url, () => pause(400, undefined, { signal: over }));
}

/** Opens a browser that has an address of its own. */
function openBrowserAt(url: string, address: string) {
  const browser = openBrowser(url);
  const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": address };
  return (path: string, body: object) => browser.post(path, body, headers);
}
