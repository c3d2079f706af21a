import { createDoorcode, type WebhookEvent, type WebhookHandler, type WebhookWorker } from "@doorcode/core";
import { onTestFinished } from "vitest";
import { hosts } from "../support/hosts.ts";
import { setUpWebhooks, type WebhookSetup, type WebhookSetupOptions } from "../support/webhook-setup.ts";
import { createJournal, type Journal } from "./journal.ts";
import type { Engine } from "./open-engine.ts";

/** A process with a webhook endpoint that only keeps what comes. Its handlers never run. */
export async function startEdge(
  { store, inbox }: Engine,
  options: Partial<WebhookSetupOptions> = {},
): Promise<WebhookSetup> {
  const [host] = hosts;
  if (!host) throw new Error("There is a host.");
  return setUpWebhooks(host, { name: "doorcode", store, inbox, ...options });
}

/** A worker in this process, on the machine's clock. */
export interface LocalWorker {
  readonly worker: WebhookWorker;
  readonly calls: Journal<WebhookEvent>;
  readonly published: Journal<{ readonly type: string; readonly key: string | undefined }>;
  readonly doorcode: ReturnType<typeof createDoorcode>;
}

/** Works on what the edge kept. */
export async function startLocalWorker(
  { store, inbox }: Engine,
  handle: WebhookHandler<WebhookEvent> = () => undefined,
  options: { readonly attempts?: number; readonly handlerSeconds?: number; readonly retrySeconds?: number } = {},
): Promise<LocalWorker> {
  const calls = createJournal<WebhookEvent>();
  const published = createJournal<{ readonly type: string; readonly key: string | undefined }>();
  const note: WebhookHandler<WebhookEvent> = (event, context) => {
    calls.note(event);
    return handle(event, context);
  };
  const doorcode = createDoorcode({
    store,
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
  onTestFinished(() => worker.stop({ limitSeconds: 1 }));
  return { worker, calls, published, doorcode };
}
