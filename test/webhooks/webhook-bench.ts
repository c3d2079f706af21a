import { createHmac } from "node:crypto";
import type { Server } from "node:http";
import { setImmediate } from "node:timers/promises";
import {
  createDoorcode,
  type DoorcodeEvent,
  type WebhookEvent,
  type WebhookHandler,
  type WebhookOptions,
} from "@doorcode/core";
import type { Store } from "@doorcode/core/store";
import type { ManualClock } from "@doorcode/core/testing";
import { onTestFinished } from "vitest";
import { type Deployment, deployOn } from "../support/deployment.ts";
import type { Host } from "../support/hosts.ts";
import type { Place } from "../support/places.ts";
import { type Answer, answerTo, beginPost, type HeaderLines } from "./wire.ts";

const secret = "whk_of_the_tests";

/** What a test wants otherwise. Processes of one app are given the same deployment. */
export interface WebhookBenchOptions extends Partial<Omit<WebhookOptions, "on">> {
  readonly app?: Deployment;
  readonly name?: string;
  readonly clock?: ManualClock;
  /** In front of the app's, or in its place. */
  readonly store?: Store;
  /** Handles events of every kind, after they were noted in `calls`. */
  readonly handle?: WebhookHandler<WebhookEvent>;
}

/** A process with a webhook endpoint on a real framework. */
export interface WebhookBench {
  /** Of the endpoint. */
  readonly url: string;
  readonly clock: ManualClock;
  readonly server: Server;
  /** What the handlers were called with, call by call. */
  readonly calls: readonly WebhookEvent[];
  readonly events: readonly DoorcodeEvent[];
  /** Delivers as the service does: every attempt is signed at its own time. */
  deliver(payload: unknown): Promise<Answer>;
  /** Delivers, and resolves as soon as the delivery is being worked on. */
  begin(payload: unknown): Promise<{ readonly answer: Promise<Answer> }>;
  /** Sends a body whole, under headers of the test's own. */
  send(headers: HeaderLines, body: string | Uint8Array): Promise<Answer>;
}

/** Starts a process, with its app in memory on a host that is no place; it ends with the test. */
export async function setUpWebhooks(host: Host | Place, given: WebhookBenchOptions = {}): Promise<WebhookBench> {
  const { app = deployOn(host), ...others } = given;
  const { handle, name = app.name, clock = app.clock, store = app.connect(), ...options } = others;
  const calls: WebhookEvent[] = [];
  const events: DoorcodeEvent[] = [];
  const note: WebhookHandler<WebhookEvent> = (event, context) => {
    calls.push(event);
    return handle?.(event, context);
  };
  const on = { "message.status.update": note, "verification.update": note, unknown: note };
  const doorcode = createDoorcode({
    name,
    clock,
    store,
    onEvent: (event) => void events.push(event),
    webhooks: { secret, on, ...options },
  });
  const served = await host.serve(doorcode, { login: false, webhooks: true });
  onTestFinished(served.close);
  const url = `${served.url}/webhooks`;

  async function send(headers: HeaderLines, body: string | Uint8Array): Promise<Answer> {
    const post = beginPost(url, [...headers, ["content-length", String(Buffer.byteLength(body))]]);
    post.end(body);
    return answerTo(post);
  }

  function deliver(payload: unknown): Promise<Answer> {
    const body = JSON.stringify(payload);
    return send(signed(body, secondsOf(clock)), body);
  }

  async function begin(payload: unknown): Promise<{ readonly answer: Promise<Answer> }> {
    // Whatever else is under way could begin to wait on the clock in the meantime.
    await app.atRest();
    const waiting = clock.pending;
    let answered = false;
    const answer = deliver(payload).finally(() => {
      answered = true;
    });
    // A delivery that is being worked on waits on the clock for the time to answer.
    while (clock.pending === waiting && !answered) await setImmediate();
    return { answer };
  }

  return { url, clock, server: served.server, calls, events, send, deliver, begin };
}

/** Unix seconds. */
export function secondsOf(clock: ManualClock): number {
  return Math.floor(clock.now() / 1000);
}

/** The signature of the specification's words, computed without the kit. */
export function signatureOf(body: string | Uint8Array, timestamp: string | number, key: string = secret): string {
  return createHmac("sha256", key).update(`${timestamp}.`).update(body).digest("hex");
}

/** The headers of a delivery attempt. */
export function signed(body: string | Uint8Array, timestamp: string | number, key: string = secret): HeaderLines {
  return [
    ["content-type", "application/json"],
    ["x-webhook-timestamp", String(timestamp)],
    ["x-webhook-signature", `v1=${signatureOf(body, timestamp, key)}`],
  ];
}

/** A payload about a message. */
export function messageEvent(status: string, status_updated_at: string = instant(1), message_id: string = "msg_1") {
  return { event: "message.status.update", data: { message_id, status, status_updated_at } };
}

/** A payload about a verification. */
export function verificationEvent(facts: Record<string, unknown>, updated_at: string = instant(1)) {
  return { event: "verification.update", data: { verification_id: "ver_1", updated_at, ...facts } };
}

/** An instant of the service's, so many seconds past the minute. */
export function instant(second: number): string {
  return `2026-09-21T14:13:${String(second).padStart(2, "0")}Z`;
}

/** The statuses that handlers were called with, in order. */
export function statuses(calls: readonly WebhookEvent[]): unknown[] {
  return calls.map((event) => event.data.status);
}

/** What was published, in order. */
export function typesOf(events: readonly DoorcodeEvent[]): string[] {
  return events.map((event) => event.type);
}
