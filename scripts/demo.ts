import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { loginPage } from "@doorcode/browser/server";
import { checkEndpoint } from "@doorcode/cli/endpoint-check";
import { createDoorcode, serviceCodes } from "@doorcode/core";
import { phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import { operations } from "@doorcode/operations/express";
import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { sendEventsTo } from "@doorcode/sandbox/events";
import { createSqliteInbox, createSqliteStore } from "@doorcode/sqlite";
import express, { type Express } from "express";
import { print } from "./cli-error.ts";
import { serveExpress } from "./serve.ts";

/*
 * `npm start -- --demo`: an app with people in it. They log in, mistype and give up; a carrier fails for a while, a handler of webhooks
 * fails, and an attack closes a block of numbers. All of it happens on this machine, and ends by itself.
 */

const maxMinutes = 10;
const maxPeople = 1500;

/** Runs the demo until it is interrupted. */
export async function runDemo(port: number, sandboxPort: number, interrupted: () => Promise<void>): Promise<void> {
  const sandbox = await createSandbox({ port: sandboxPort });
  const demo = await createDemo(sandbox);
  const stopped = new AbortController();
  try {
    const { url, close } = await serveExpress(demo.app, port);
    sandbox.deliverTo(`${url}/webhooks`);
    print(`
  Operations    ${url}/operations
  The app       ${url}/login
  The sandbox   ${sandbox.url.replace("127.0.0.1", "localhost")}

  People log in, mistype and give up. After 8 seconds somebody attacks a block of numbers, after 20 the carrier fails, and for two
  minutes a handler of webhooks. It ends after ${maxMinutes} minutes; press Ctrl-C to stop it. The id of a user is "user of" and the last
  three digits of the number: "user of 919".
`);
    const playing = demo.play(url, stopped.signal);
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
  /** Lets people come until the signal aborts, for ten minutes at most. */
  play(url: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Creates the app of the demo, whose files are gone when it is closed. */
async function createDemo(sandbox: Sandbox): Promise<Demo> {
  const folder = mkdtempSync(join(tmpdir(), "doorcode-demo-"));
  const file = join(folder, "doorcode.sqlite");
  const { env } = sandbox;
  // Who replays a dead letter after two minutes finds the cause mended.
  const mendedAt = Date.now() + 120_000;
  const doorcode = createDoorcode({
    store: createSqliteStore({ file }),
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
      inbox: createSqliteInbox({ file }),
      attempts: 2,
      retrySeconds: 1,
      on: {
        "verification.update": ({ key }) => {
          if (key.startsWith("0") && Date.now() < mendedAt) throw new Error("The customer database did not answer.");
        },
      },
    },
    onEvent: sendEventsTo(sandbox.url),
  });
  await doorcode.work();

  const app = express();
  // The people of the demo have addresses of their own, as behind a proxy.
  app.set("trust proxy", "loopback");
  app.disable("x-powered-by");
  app.use("/webhooks", webhooks(doorcode));
  app.use("/login", phoneLogin(doorcode, { page: loginPage({ title: "Log in", done: "/account" }) }));
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
    async play(appUrl, signal) {
      url = appUrl;
      const over = AbortSignal.any([signal, AbortSignal.timeout(maxMinutes * 60_000)]);
      await Promise.all([letPeopleCome(url, sandbox, over), letCarrierFail(sandbox, over), attack(url, over)]).catch(
        (error) => {
          if (!over.aborted) throw error;
        },
      );
    },
    async close() {
      await doorcode.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
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

async function letPeopleCome(url: string, sandbox: Sandbox, over: AbortSignal): Promise<void> {
  const visits: Promise<void>[] = [];
  for (let person = 1; person <= maxPeople && !over.aborted; person += 1) {
    visits.push(visit(url, sandbox, person, over).catch(() => undefined));
    await pause(150 + Math.random() * 500, undefined, { signal: over });
  }
  await Promise.all(visits);
}

/** One person: most log in, some mistype first, some give up. */
async function visit(url: string, sandbox: Sandbox, person: number, over: AbortSignal): Promise<void> {
  const phone = numberOf(person);
  const browser = openBrowser(url, `198.51.${person % 250}.${person % 240}`);
  if (!(await browser.post("/login/start", { phone }))) return;
  const { code = "" } = await sandbox.inbox.wait({ to: phone });
  await pause(1000 + Math.random() * 9000, undefined, { signal: over });
  if (person % 9 === 0) return;
  if (person % 6 === 0) await browser.post("/login/confirm", { code: code === "000000" ? "111111" : "000000" });
  await browser.post("/login/confirm", { code });
}

/** A carrier fails for ten seconds in each minute. */
async function letCarrierFail(sandbox: Sandbox, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await pause(20_000, undefined, { signal: over });
    const fault = sandbox.faults.add({
      on: "POST /verifications",
      probability: 0.7,
      action: { type: "answer", status: 503 },
    });
    await pause(10_000, undefined, { signal: over }).finally(() => sandbox.faults.remove(fault.id));
    await pause(30_000, undefined, { signal: over });
  }
}

/**
 * Somebody has codes sent to numbers that are alike, which earns money with some carriers, and confirms none. No person of the demo has a
 * number of that block, so its last refusal is the end of the attack.
 */
async function attack(url: string, over: AbortSignal): Promise<void> {
  await pause(8000, undefined, { signal: over });
  for (let login = 0; login < 60; login += 1) {
    await openBrowser(url, `203.0.${login % 100}.7`).post("/login/start", { phone: `+4853499${1000 + login}` });
    await pause(400, undefined, { signal: over });
  }
}

/** Posts JSON as a page of the app does, with the cookies of the answers before. */
function openBrowser(url: string, address: string): { post(path: string, body: object): Promise<boolean> } {
  const cookies = new Map<string, string>();
  return {
    async post(path, body) {
      const response = await fetch(url + path, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "sec-fetch-site": "same-origin",
          "x-forwarded-for": address,
          cookie: [...cookies].map((pair) => pair.join("=")).join("; "),
        },
        body: JSON.stringify(body),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [name = "", value = ""] = cookie.split(";", 1)[0]?.split("=") ?? [];
        cookies.set(name, value);
      }
      return response.ok;
    },
  };
}
