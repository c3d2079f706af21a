import { createDoorcode, type DoorcodeEvent, type WebhookEvent, type WebhookHandler } from "@doorcode/core";
import type { EventTransactionScope } from "@doorcode/postgres";
import { openEngine, type Place } from "./open-engine.ts";

/** The settings of a worker process: its argument, as JSON. */
export interface WorkerSettings {
  readonly place: Place;
  readonly concurrency: number;
  readonly handlerSeconds: number;
  /** Statuses whose handlers wait before their effect, until the order "go". */
  readonly halting: readonly string[];
}

/** A message from the process to the test. */
export type WorkerNote =
  | { readonly type: "working" }
  | { readonly type: "begun"; readonly key: string; readonly status: string; readonly messageId: string }
  | { readonly type: "aborted"; readonly key: string }
  | { readonly type: "published"; readonly event: { readonly type: string; readonly key: string | undefined } }
  | { readonly type: "stopped" };

/** A message from the test to the process. */
export type WorkerOrder = "go" | "stop";

const settings: WorkerSettings = JSON.parse(process.argv[2] ?? "{}");
const engine = openEngine(settings.place);
const going = Promise.withResolvers<void>();

function tell(note: WorkerNote): void {
  process.send?.(note);
}

const handle: WebhookHandler<WebhookEvent, Partial<EventTransactionScope>> = async (event, context) => {
  const status = String(event.data.status);
  context.signal.addEventListener("abort", () => tell({ type: "aborted", key: event.key }));
  tell({ type: "begun", key: event.key, status, messageId: String(event.data.message_id) });
  if (settings.halting.includes(status)) await going.promise;
  await engine.effect(event, context);
};

const doorcode = createDoorcode({
  store: engine.store,
  onEvent(event: DoorcodeEvent) {
    tell({ type: "published", event: { type: event.type, key: "key" in event ? event.key : undefined } });
  },
  webhooks: {
    secret: "whk_of_the_tests",
    inbox: engine.inbox,
    retrySeconds: 0.05,
    handlerSeconds: settings.handlerSeconds,
    ...(engine.transactions && { transactions: engine.transactions }),
    on: { "message.status.update": handle, "verification.update": handle },
  },
});

const worker = await doorcode.work({ concurrency: settings.concurrency });
process.on("message", async (order: WorkerOrder) => {
  if (order === "go") going.resolve();
  if (order !== "stop") return;
  await worker.stop();
  await doorcode.close();
  await engine.close();
  tell({ type: "stopped" });
  process.disconnect();
});
tell({ type: "working" });
