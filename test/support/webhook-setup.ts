import type { Server } from "node:http";
import { setImmediate } from "node:timers/promises";
import {
  createDoorcode,
  type Doorcode,
  type DoorcodeEvent,
  type WebhookEvent,
  type WebhookHandler,
  type WebhookOptions,
} from "@doorcode/core";
import type { ServiceOptions } from "@doorcode/core/service";
import type { Clock, Store } from "@doorcode/core/store";
import type { ManualClock } from "@doorcode/core/testing";
import { onTestFinished } from "vitest";
import { type Deployment, deployOn } from "./deployment.ts";
import type { Host } from "./hosts.ts";
import type { Platform } from "./platforms.ts";
import { beginPost, type HeaderLines, type RawAnswer } from "./raw-post.ts";
import * as delivery from "./signed-delivery.ts";

const secret = "whk_of_the_tests";

/** When the kit begins to process a delivery, it takes this time on the clock. */
const answerWithinMilliseconds = 4000;

/** What a test changes. Several processes of one app are given the same deployment. */
export interface WebhookSetupOptions<Scope = unknown> extends Partial<Omit<WebhookOptions<Scope>, "on">> {
  readonly app?: Deployment;
  readonly name?: string;
  readonly clock?: ManualClock;
  /** In place of the app's store. */
  readonly store?: Store;
  /** The service that lists messages. */
  readonly service?: ServiceOptions;
  /** Handles events of every kind, after they were added to `calls`. */
  readonly handle?: WebhookHandler<WebhookEvent, NoInfer<Scope>>;
}

/** A process with a webhook endpoint on a real framework. */
export interface WebhookSetup {
  /** Of the endpoint. */
  readonly url: string;
  readonly clock: ManualClock;
  readonly server: Server;
  readonly doorcode: Doorcode;
  /** The event of each call of a handler. */
  readonly calls: readonly WebhookEvent[];
  readonly events: readonly DoorcodeEvent[];
  /** Delivers as the service does, and signs each attempt at its own time. */
  deliver(payload: unknown): Promise<RawAnswer>;
  /** Delivers, and resolves when the kit has begun to process the delivery. */
  begin(payload: unknown): Promise<{ readonly answer: Promise<RawAnswer> }>;
  /** Sends a whole body with the given headers. */
  send(headers: HeaderLines, body: string | Uint8Array): Promise<RawAnswer>;
}

/** Starts a process, in memory when only a framework is given; it ends with the test. */
export async function setUpWebhooks<Scope = unknown>(
  host: Host | Platform,
  given: WebhookSetupOptions<Scope> = {},
): Promise<WebhookSetup> {
  const { app = deployOn(host), ...others } = given;
  const { handle, service, name = app.name, clock = app.clock, store = app.connect(), ...options } = others;
  const calls: WebhookEvent[] = [];
  const events: DoorcodeEvent[] = [];
  const note: WebhookHandler<WebhookEvent, Scope> = (event, context) => {
    calls.push(event);
    return handle?.(event, context);
  };
  const on = { "message.status.update": note, "verification.update": note, unknown: note };
  let begun = 0;
  const watchedClock: Clock = {
    now: clock.now,
    schedule(delayMilliseconds, task) {
      if (delayMilliseconds === answerWithinMilliseconds) begun += 1;
      return clock.schedule(delayMilliseconds, task);
    },
  };
  const doorcode = createDoorcode({
    name,
    clock: watchedClock,
    store,
    onEvent: (event) => void events.push(event),
    ...(service && { service }),
    webhooks: { secret, on, ...options },
  });
  const served = await host.serve(doorcode, { login: false, webhooks: true });
  onTestFinished(async () => {
    const closed = served.close();
    // The kit waits that long for a handler that a test has left behind.
    await clock.advance(30_000);
    await closed;
  });
  const url = `${served.url}/webhooks`;

  async function send(headers: HeaderLines, body: string | Uint8Array): Promise<RawAnswer> {
    const post = beginPost(url, [...headers, ["content-length", String(Buffer.byteLength(body))]]);
    post.end(body);
    return post.answer();
  }

  function deliver(payload: unknown): Promise<RawAnswer> {
    const body = JSON.stringify(payload);
    return send(signed(body, secondsOf(clock)), body);
  }

  async function begin(payload: unknown): Promise<{ readonly answer: Promise<RawAnswer> }> {
    // An earlier delivery could begin in the meantime.
    await app.atRest();
    const begunBefore = begun;
    let answered = false;
    const answer = deliver(payload).finally(() => {
      answered = true;
    });
    while (begun === begunBefore && !answered) await setImmediate();
    return { answer };
  }

  return { url, clock, server: served.server, doorcode, calls, events, send, deliver, begin };
}

/** Unix seconds. */
export function secondsOf(clock: ManualClock): number {
  return Math.floor(clock.now() / 1000);
}

/** The signature that the specification asks for, under the secret of this setup unless another is given. */
export function signatureOf(body: string | Uint8Array, timestamp: string | number, key: string = secret): string {
  return delivery.signatureOf(body, timestamp, key);
}

/** The headers of a delivery attempt, under the secret of this setup unless another is given. */
export function signed(body: string | Uint8Array, timestamp: string | number, key: string = secret): HeaderLines {
  return delivery.signedHeaders(body, timestamp, key);
}

/** A payload about a message. */
export function messageEvent(status: string, status_updated_at: string = instant(1), message_id: string = "msg_1") {
  return { event: "message.status.update", data: { message_id, status, status_updated_at } };
}

/** A payload about a verification. */
export function verificationEvent(facts: Record<string, unknown>, updated_at: string = instant(1)) {
  return { event: "verification.update", data: { verification_id: "ver_1", updated_at, ...facts } };
}

/** An instant as the service writes it, that many seconds past the minute. */
export function instant(second: number): string {
  return `2026-09-21T14:13:${String(second).padStart(2, "0")}Z`;
}

/** The statuses of the handled events, in order. */
export function statuses(calls: readonly WebhookEvent[]): unknown[] {
  return calls.map((event) => event.data.status);
}

/** The types of the published events, in order. */
export function typesOf(events: readonly DoorcodeEvent[]): string[] {
  return events.map((event) => event.type);
}
