import { createDoorcode, type WebhookEvent, type WebhookHandler, type WebhookWorker } from "@doorcode/core";
import type { ManualClock } from "@doorcode/core/testing";
import { onTestFinished } from "vitest";
import { hosts } from "../support/hosts.ts";
import { setUpWebhooks, type WebhookSetup, type WebhookSetupOptions } from "../support/webhook-setup.ts";
import { createJournal, type Journal } from "./journal.ts";
import type { Engine } from "./open-engine.ts";

/** Starts a process with a webhook endpoint that only stores events. Its handlers never run. */
export async function startEdge(
  { store, inbox }: Engine,
  options: Partial<WebhookSetupOptions> = {},
): Promise<WebhookSetup> {
  const [host] = hosts;
  if (!host) throw new Error("There is a host.");
  return setUpWebhooks(host, { name: "doorcode", store, inbox, ...options });
}

/** Options of {@link startLocalWorker}. */
export interface LocalWorkerOptions {
  readonly attempts?: number;
  readonly handlerSeconds?: number;
  /** Times the worker; the machine's clock when left out. */
  readonly clock?: ManualClock;
}

/** A worker in this process. */
export interface LocalWorker {
  readonly worker: WebhookWorker;
  readonly calls: Journal<WebhookEvent>;
  readonly published: Journal<{ readonly type: string; readonly key: string | undefined }>;
  readonly doorcode: ReturnType<typeof createDoorcode>;
}

/** Starts a worker for the events that the edge stored. */
export async function startLocalWorker(
  { store, inbox }: Engine,
  handle: WebhookHandler<WebhookEvent> = () => undefined,
  { clock, ...options }: LocalWorkerOptions = {},
): Promise<LocalWorker> {
  const calls = createJournal<WebhookEvent>();
  const published = createJournal<{ readonly type: string; readonly key: string | undefined }>();
  const note: WebhookHandler<WebhookEvent> = (event, context) => {
    calls.note(event);
    return handle(event, context);
  };
  const doorcode = createDoorcode({
    store,
    ...(clock && { clock }),
    onEvent: (event) => published.note({ type: event.type, key: "key" in event ? event.key : undefined }),
    webhooks: {
      secret: "whk_of_the_tests",
      inbox,
      retrySeconds: 0.02,
      ...options,
      on: { "message.status.update": note, "verification.update": note, unknown: note },
    },
  });
  const worker = await doorcode.work();
  onTestFinished(async () => {
    const stopped = worker.stop({ limitSeconds: 1 });
    await clock?.advance(5000);
    await stopped;
  });
  return { worker, calls, published, doorcode };
}
