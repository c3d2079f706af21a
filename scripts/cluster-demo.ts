import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseEvent } from "@doorcode/core";
import type { Sandbox } from "@doorcode/sandbox";
import type { Cluster } from "../examples/cluster/cluster.ts";
import type { ClusterWebhook } from "../examples/cluster/kit.ts";
import { type Answer, type Browser, openBrowser } from "../test/support/browser.ts";
import { CliError } from "./cli-error.ts";
import { expectStatus, printStep } from "./steps.ts";

/** The dependencies of the demo. */
export interface ClusterDemo {
  /** The running cluster. */
  readonly cluster: Cluster;
  /** The sandbox that sends the codes and webhooks. */
  readonly sandbox: Sandbox;
  /** The names of the processes that acknowledged the webhooks so far, one for each webhook. */
  readonly acknowledged: readonly string[];
}

/**
 * Logs two visitors in over two processes and kills one of the processes. Prints every step with the process that
 * answered it.
 *
 * @throws CliError at the first step with an unexpected result
 */
export async function runClusterDemo(demo: ClusterDemo): Promise<void> {
  const first = await logIn(demo);
  await redeliverWebhook(demo, first);
  const second = await logInAcrossKill(demo);
  await logOut(first.browser);
  await expectNoneHandledTwice(demo, second);
}

/** A visitor and their browser. */
interface Visitor {
  readonly browser: Browser;
  readonly phone: string;
}

/** Creates a visitor with a random number: Redis remembers earlier ones, and a number has to wait between codes. */
function newVisitor({ cluster }: ClusterDemo): Visitor {
  return { browser: openBrowser(cluster.url), phone: `+49151${randomInt(20_000_000, 30_000_000)}` };
}

async function logIn(demo: ClusterDemo): Promise<Visitor> {
  const visitor = newVisitor(demo);
  const { browser, phone } = visitor;
  const startedBy = step(`start a login for ${phone}`, 200, await browser.post("/login/start", { phone }));
  const { channel, code } = await demo.sandbox.inbox.wait({ to: phone });
  await waitForCodeDelivery(demo, phone);
  printStep("read the code from the inbox", channel);
  const confirmedBy = step("confirm the code", 200, await browser.post("/login/confirm", { code }), startedBy);
  step("open the account", 200, await browser.get("/account"), confirmedBy);
  return visitor;
}

/**
 * Waits until the code is delivered, as a person does. If the delivery came after the approval, the other process could
 * handle its event first. The event of the approval would then be stale and would not be handled.
 */
async function waitForCodeDelivery({ sandbox }: ClusterDemo, phone: string): Promise<void> {
  await sandbox.deliveries.wait({ to: phone, eventStatus: "SMS DELIVERED", timeoutSeconds: 30 });
}

async function redeliverWebhook({ sandbox, acknowledged }: ClusterDemo, { browser, phone }: Visitor): Promise<void> {
  const { id, payload } = await sandbox.deliveries.wait({ to: phone, eventStatus: "APPROVED", timeoutSeconds: 30 });
  printStep("the signed webhooks were acknowledged", `204  by ${[...new Set(acknowledged)].sort().join(" and ")}`);
  const handled = (await waitUntilHandled(browser, payload)).find(({ key }) => key === keyOf(payload));
  printStep(`handled: ${handled?.kind} ${handled?.status}`, `by ${handled?.by}`);
  const { attempts } = await sandbox.deliveries.sendAgain(id);
  printStep("the last webhook is delivered again", `${attempts.at(-1)?.status}  by ${acknowledged.at(-1)}`);
}

/** Shows that a login survives the process in which it started. */
async function logInAcrossKill(demo: ClusterDemo): Promise<Visitor> {
  const { cluster, sandbox } = demo;
  const visitor = newVisitor(demo);
  const { browser, phone } = visitor;
  const killed = step(`start a login for ${phone}`, 200, await browser.post("/login/start", { phone }));
  const { code } = await sandbox.inbox.wait({ to: phone });
  await waitForCodeDelivery(demo, phone);
  const process = cluster.processes.get(killed);
  await process?.kill();
  printStep(`kill -9 ${process?.pid}`, `${killed} was killed`);
  step("confirm the code in the other process", 200, await browser.post("/login/confirm", { code }), killed);
  step("open the account", 200, await browser.get("/account"), killed);
  await cluster.start(killed);
  printStep("restart the process", `${killed} is running`);
  return visitor;
}

async function logOut(browser: Browser): Promise<void> {
  const copy = browser.copy();
  const loggedOutBy = step("log out the first visitor", 200, await browser.post("/login/logout"));
  const refusedBy = step("open the account again", 401, await browser.get("/account"), loggedOutBy);
  step("open it with a copy of the cookie", 401, await copy.get("/account"), refusedBy);
}

async function expectNoneHandledTwice({ sandbox }: ClusterDemo, { browser, phone }: Visitor): Promise<void> {
  const { payload } = await sandbox.deliveries.wait({ to: phone, eventStatus: "APPROVED", timeoutSeconds: 30 });
  const handled = await waitUntilHandled(browser, payload);
  const delivered = new Set(sandbox.deliveries.list().map((delivery) => keyOf(delivery.payload)));
  const keys = handled.map(({ key }) => key).filter((key) => delivered.has(key));
  if (new Set(keys).size < keys.length) throw new CliError("A webhook was handled twice.");
  printStep("webhooks handled", `${keys.length}, none of them twice`);
}

const maxPolls = 300;
const pauseMilliseconds = 200;

/**
 * Waits until a webhook is handled, at most a minute, and returns all handled webhooks. After a kill this takes long:
 * the other process gets the webhook only when the lease of the killed one is over.
 */
async function waitUntilHandled(browser: Browser, payload: string): Promise<readonly ClusterWebhook[]> {
  const key = keyOf(payload);
  for (let poll = 0; poll < maxPolls; poll++) {
    const handled: readonly ClusterWebhook[] = JSON.parse((await browser.get("/handled")).text);
    if (handled.some((entry) => entry.key === key)) return handled;
    await pause(pauseMilliseconds);
  }
  throw new CliError("A webhook was not handled within a minute.");
}

function keyOf(payload: string): string {
  const event = parseEvent(new TextEncoder().encode(payload));
  return "unreadable" in event ? "" : event.key;
}

/** Prints a step and returns the name of the process that answered it, which must not be `previous`. */
function step(title: string, status: number, answer: Answer, previous?: string): string {
  const by = answer.headers.get("x-served-by") ?? "no process";
  expectStatus(title, status, answer, `  by ${by}`);
  if (by === previous) throw new CliError(`${title}: ${by} answered again; expected the other process.`);
  return by;
}
