import { randomInt } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseEvent } from "@doorcode/core";
import type { Sandbox } from "@doorcode/sandbox";
import type { Cluster } from "../examples/cluster/cluster.ts";
import type { HandledBy } from "../examples/cluster/kit.ts";
import { type Answer, type Browser, openBrowser } from "../test/support/browser.ts";
import { Complaint } from "./ports.ts";
import { expectStatus, tell } from "./steps.ts";

/** What the story is told with. */
export interface ClusterStage {
  readonly cluster: Cluster;
  readonly sandbox: Sandbox;
  /** Which process answered a webhook, one entry for each so far. */
  readonly acknowledged: readonly string[];
}

/**
 * Logs two people in over two processes and has one process killed; prints every step with the process that answered it.
 *
 * @throws Complaint at the first step that does not come out as it must
 */
export async function tellClusterStory(stage: ClusterStage): Promise<void> {
  const first = await logIn(stage);
  await deliverAgain(stage, first);
  const second = await loseOne(stage);
  await logOut(first.browser);
  await expectHandledOnce(stage, second);
}

/** Somebody who is logged in. */
interface Visitor {
  readonly browser: Browser;
  readonly phone: string;
}

/** Redis remembers the numbers of earlier runs, and one number has to wait between codes. */
function newVisitor({ cluster }: ClusterStage): Visitor {
  return { browser: openBrowser(cluster.url), phone: `+49151${randomInt(20_000_000, 30_000_000)}` };
}

async function logIn(stage: ClusterStage): Promise<Visitor> {
  const visitor = newVisitor(stage);
  const { browser, phone } = visitor;
  const starter = step(`start a login for ${phone}`, 200, await browser.post("/login/start", { phone }));
  const { channel, code } = await stage.sandbox.inbox.wait({ to: phone });
  await hasArrived(stage, phone);
  tell("read the code from the inbox", channel);
  const confirmer = step("confirm it", 200, await browser.post("/login/confirm", { code }), starter);
  step("open the account", 200, await browser.get("/account"), confirmer);
  return visitor;
}

/**
 * Waits until the code is on the handset, as people do. Told after the approval, it could be handled first, in the other
 * process: the approval would then be overtaken, and not be handled at all.
 */
async function hasArrived({ sandbox }: ClusterStage, phone: string): Promise<void> {
  await sandbox.deliveries.wait({ to: phone, eventStatus: "SMS DELIVERED", timeoutSeconds: 30 });
}

async function deliverAgain({ sandbox, acknowledged }: ClusterStage, { browser, phone }: Visitor): Promise<void> {
  const { id, payload } = await sandbox.deliveries.wait({ to: phone, eventStatus: "APPROVED", timeoutSeconds: 30 });
  tell("the signed webhooks were taken in", `204  by ${[...new Set(acknowledged)].sort().join(" and ")}`);
  const handled = (await waitUntilHandled(browser, payload)).find(({ key }) => key === keyOf(payload));
  tell(`and handled: ${handled?.kind} ${handled?.status}`, `by ${handled?.by}`);
  const { attempts } = await sandbox.deliveries.sendAgain(id);
  tell("the last one comes once more", `${attempts.at(-1)?.status}  by ${acknowledged.at(-1)}`);
}

/** A login outlives the process in which it began. */
async function loseOne(stage: ClusterStage): Promise<Visitor> {
  const { cluster, sandbox } = stage;
  const visitor = newVisitor(stage);
  const { browser, phone } = visitor;
  const lost = step(`start a login for ${phone}`, 200, await browser.post("/login/start", { phone }));
  const { code } = await sandbox.inbox.wait({ to: phone });
  await hasArrived(stage, phone);
  const process = cluster.processes.get(lost);
  await process?.kill();
  tell(`kill -9 ${process?.pid}`, `${lost} is gone`);
  step("confirm the code all the same", 200, await browser.post("/login/confirm", { code }), lost);
  step("open the account", 200, await browser.get("/account"), lost);
  await cluster.start(lost);
  tell("start the process again", `${lost} is back`);
  return visitor;
}

async function logOut(browser: Browser): Promise<void> {
  const copy = browser.copy();
  const ender = step("log the first one out", 200, await browser.post("/login/logout"));
  const refuser = step("the account is closed", 401, await browser.get("/account"), ender);
  step("also to a copy of the cookie", 401, await copy.get("/account"), refuser);
}

async function expectHandledOnce({ sandbox }: ClusterStage, { browser, phone }: Visitor): Promise<void> {
  const { payload } = await sandbox.deliveries.wait({ to: phone, eventStatus: "APPROVED", timeoutSeconds: 30 });
  const handled = await waitUntilHandled(browser, payload);
  const delivered = new Set(sandbox.deliveries.list().map((delivery) => keyOf(delivery.payload)));
  const keys = handled.map(({ key }) => key).filter((key) => delivered.has(key));
  if (new Set(keys).size < keys.length) throw new Complaint("A webhook was handled twice.");
  tell("webhooks handled", `${keys.length}, none of them twice`);
}

const looks = 300;
const pauseMilliseconds = 200;

/** Waits, a minute at most, and answers what was handled by then: what a killed process had in its hands, another one takes over only when its lease is over. */
async function waitUntilHandled(browser: Browser, payload: string): Promise<readonly HandledBy[]> {
  const key = keyOf(payload);
  for (let look = 0; look < looks; look++) {
    const handled: readonly HandledBy[] = JSON.parse((await browser.get("/handled")).text);
    if (handled.some((entry) => entry.key === key)) return handled;
    await pause(pauseMilliseconds);
  }
  throw new Complaint("A webhook was not handled within a minute.");
}

function keyOf(payload: string): string {
  const event = parseEvent(new TextEncoder().encode(payload));
  return "unreadable" in event ? "" : event.key;
}

/** Prints a step, and answers by which process it was done: not by the one that must be another. */
function step(what: string, status: number, answer: Answer, other?: string): string {
  const by = answer.headers.get("x-served-by") ?? "nobody";
  expectStatus(what, status, answer, `  by ${by}`);
  if (by === other) throw new Complaint(`${what}: ${by} answered, as it did before.`);
  return by;
}
