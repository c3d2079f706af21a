import { SandboxError } from "../sandbox-error.ts";
import type { EventName } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import type { State } from "../state/state.ts";
import type { Publisher } from "../webhook/publisher.ts";
import { nextMatch } from "./next-match.ts";

/** Which delivery to wait for. What is left out may be anything. */
export interface DeliveryWaitFor {
  readonly event?: EventName | undefined;
  /** E.164: whom the message or verification goes to. */
  readonly to?: string | undefined;
  /** The status that the event tells: `DELIVERED`, `SMS FAILED`, `APPROVED`. */
  readonly told?: string | undefined;
  /** Default `delivered`: somebody acknowledged it. */
  readonly status?: Delivery["status"] | undefined;
  /** On the wall clock. Default 5; 0 only looks. */
  readonly timeoutSeconds?: number | undefined;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
}

/** The webhook deliveries of an application. */
export interface Deliveries {
  /** Lists deliveries in the order in which they began, each with its attempts. */
  list(): readonly Delivery[];
  /** Resolves when no attempt of the application is under way; what waits for its time on the clock is not under way. */
  settled(): Promise<void>;
  /**
   * Answers the newest delivery that matches: at once when it is there, otherwise as soon as one does.
   *
   * @throws SandboxError `delivery_missing` when none did in time; `closed` when the sandbox closed, or the signal
   * aborted, meanwhile
   */
  wait(what?: DeliveryWaitFor): Promise<Delivery>;
  /**
   * Makes one more attempt now, whatever became of the delivery; its schedule goes on unless it succeeds.
   *
   * @returns the delivery with that attempt.
   * @throws SandboxError `delivery_unknown`
   */
  sendAgain(id: string): Promise<Delivery>;
  /** Makes one more attempt for each delivery that failed, and answers them. */
  replayFailed(): Promise<readonly Delivery[]>;
}

/** Creates the deliveries of an application over the state. `closed` ends every wait. */
export function createDeliveries(
  state: State,
  publisher: Publisher,
  applicationId: string,
  closed: AbortSignal,
): Deliveries {
  const find = (id: string) => {
    const delivery = state.deliveries.get(id);
    if (delivery?.applicationId === applicationId) return delivery;
    throw new SandboxError("delivery_unknown", "No such delivery.");
  };
  const sendAgain = async (id: string) => {
    await publisher.attempt(find(id).id, "send_again");
    return find(id);
  };

  return {
    list: () => state.deliveries.list(applicationId),
    settled: () => publisher.settled(applicationId),
    async wait({ timeoutSeconds = 5, signal, ...what } = {}) {
      const matches = (delivery: Delivery) => delivery.applicationId === applicationId && isWanted(delivery, what);
      for (const delivery of state.deliveries.newestFirst(applicationId)) if (matches(delivery)) return delivery;
      const ends = signal ? AbortSignal.any([closed, signal]) : closed;
      const missing = () => missingDelivery(state.deliveries.count(applicationId));
      return nextMatch(state.deliveries, { matches, missing, timeoutSeconds, ends });
    },
    sendAgain,
    replayFailed: () => {
      const failed = state.deliveries.list(applicationId).filter(({ status }) => status === "failed");
      return Promise.all(failed.map(({ id }) => sendAgain(id)));
    },
  };
}

function isWanted(delivery: Delivery, { event, to, told, status = "delivered" }: DeliveryWaitFor): boolean {
  return (
    delivery.status === status &&
    (event === undefined || delivery.event === event) &&
    (to === undefined || delivery.recipient === to) &&
    (told === undefined || delivery.told === told)
  );
}

function missingDelivery(others: number): SandboxError {
  const hint = others === 0 ? "There is none at all: is an endpoint registered?" : `There are ${others} others.`;
  return new SandboxError("delivery_missing", `No such delivery was there in time. ${hint}`);
}
