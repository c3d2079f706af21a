import { z } from "zod";
import { parse, SandboxError } from "../primitives/errors.ts";
import type { EventName } from "../state/application.ts";
import { type AttemptChanges, type Delivery, stageOf } from "../state/delivery.ts";
import type { SandboxDeps } from "./sandbox-deps.ts";
import { defaultTimeoutSeconds, waitForRecord, watchRecords } from "./wait-for-record.ts";

/** The delivery to wait for. An omitted member matches anything. */
export interface DeliveryWaitOptions {
  readonly event?: EventName | undefined;
  /** E.164: the recipient of the message or verification. */
  readonly to?: string | undefined;
  /** The status that the event reports: `DELIVERED`, `SMS FAILED`, `APPROVED`. */
  readonly eventStatus?: string | undefined;
  /** The status of the delivery. Default `delivered`: an endpoint acknowledged it. */
  readonly status?: Delivery["status"] | undefined;
  /** Time limit on the wall clock. Default 4; 0 only checks the present deliveries. */
  readonly timeoutSeconds?: number | undefined;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** The webhook deliveries of an application. */
export interface Deliveries {
  /** Lists the deliveries with their attempts, the oldest first. */
  list(): readonly Delivery[];
  /** Resolves when no attempt of the application is in progress. Scheduled attempts are not in progress. */
  settled(): Promise<void>;
  /**
   * Returns the newest matching delivery: immediately when there is one, otherwise as soon as one matches.
   *
   * @throws SandboxError `delivery_missing` when none matched in time; `closed` when the sandbox was closed or the signal
   * aborted meanwhile
   */
  wait(options?: DeliveryWaitOptions): Promise<Delivery>;
  /** Calls the watcher with each delivery after it was added or changed, such as by an attempt. The returned function ends it. */
  watch(watcher: (delivery: Delivery) => void): () => void;
  /**
   * Makes one more attempt now, also of a delivery that has ended. The retry schedule continues unless it succeeds.
   *
   * With changes the outcome is recorded beside the others, and does not count: not for the delivery, and not for the endpoint.
   *
   * @param changes - another body, a timestamp that is off, a signature that is wrong or missing.
   * @returns the delivery with that attempt.
   * @throws SandboxError `delivery_unknown`; TypeError for changes that are wrong
   */
  sendAgain(id: string, changes?: AttemptChanges): Promise<Delivery>;
  /** Makes one more attempt now of each delivery that has failed or waits for a retry, and returns these deliveries. */
  replayFailed(): Promise<readonly Delivery[]>;
}

const maxOffsetSeconds = 365 * 24 * 60 * 60;

const changesShape = z.strictObject({
  body: z.string("expected the body as text").optional(),
  timestampOffsetSeconds: z
    .int("expected whole seconds")
    .min(-maxOffsetSeconds, "expected at most a year")
    .max(maxOffsetSeconds, "expected at most a year")
    .optional(),
  signature: z.enum(["valid", "wrong_secret", "missing"], "expected valid, wrong_secret or missing").optional(),
});

/** The deliveries for values of requests and forms as well: each method checks what it gets. */
export interface CheckedDeliveries extends Deliveries {
  sendAgain(id: string, changes?: unknown): Promise<Delivery>;
}

/** Creates the deliveries of an application. */
export function createDeliveries(deps: SandboxDeps, applicationId: string): CheckedDeliveries {
  const { state, publisher } = deps;
  const { deliveries } = state;
  const sendAgain = async (id: string, changes?: unknown) => {
    const { id: known } = findDelivery(deps, applicationId, id);
    if (changes === undefined) await publisher.attempt(known, "send_again");
    else await publisher.attemptWithChanges(known, parse("sendAgain", changesShape, changes));
    return findDelivery(deps, applicationId, id);
  };

  return {
    list: () => deliveries.list(applicationId),
    settled: () => publisher.settled(applicationId),
    wait: (options) => waitForDelivery(deps, applicationId, options),
    watch: (watcher) => watchRecords(deliveries, applicationId, ["added", "changed"], watcher),
    sendAgain,
    replayFailed() {
      const failed = deliveries.list(applicationId).filter(isReplayable);
      return Promise.all(failed.map(({ id }) => sendAgain(id)));
    },
  };
}

/** Tells whether a replay makes sense: the delivery has failed, or waits for a retry. */
export function isReplayable(delivery: Delivery): boolean {
  const stage = stageOf(delivery);
  return stage === "failed" || stage === "retrying";
}

async function waitForDelivery(
  { state, closed }: SandboxDeps,
  applicationId: string,
  { timeoutSeconds = defaultTimeoutSeconds, signal, ...options }: DeliveryWaitOptions = {},
): Promise<Delivery> {
  const matches = (delivery: Delivery) => delivery.applicationId === applicationId && isWanted(delivery, options);
  const newest = state.deliveries.list(applicationId).findLast(matches);
  if (newest) return newest;
  const missing = () => missingDelivery(state.deliveries.count(applicationId));
  return waitForRecord(state.deliveries, { matches, missing, timeoutSeconds, closed, signal });
}

function findDelivery({ state }: Pick<SandboxDeps, "state">, applicationId: string, id: string): Delivery {
  const delivery = state.deliveries.get(id);
  if (delivery?.applicationId === applicationId) return delivery;
  throw new SandboxError("delivery_unknown", "There is no such delivery.");
}

function isWanted(delivery: Delivery, { event, to, eventStatus, status = "delivered" }: DeliveryWaitOptions): boolean {
  return (
    delivery.status === status &&
    (event === undefined || delivery.event === event) &&
    (to === undefined || delivery.recipient === to) &&
    (eventStatus === undefined || delivery.eventStatus === eventStatus)
  );
}

function missingDelivery(others: number): SandboxError {
  const hint = others === 0 ? "There are no deliveries. Is an endpoint registered?" : `There are ${others} others.`;
  return new SandboxError("delivery_missing", `No such delivery was made in time. ${hint}`);
}
