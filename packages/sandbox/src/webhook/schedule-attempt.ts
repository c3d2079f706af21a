import { isoInstant } from "../primitives/time.ts";
import type { State } from "../state/state.ts";
import type { Scheduler } from "../time/scheduler.ts";

/** The dependencies of the scheduling of attempts. */
export interface ScheduleDeps {
  /** Holds the deliveries and their scheduled attempts. */
  readonly state: State;
  /** Runs the attempts when they are due. */
  readonly scheduler: Scheduler;
}

/** Schedules the next attempt of a delivery on the clock of its application. */
export function scheduleAttempt({ state, scheduler }: ScheduleDeps, deliveryId: string, delaySeconds: number): void {
  const { applicationId } = state.deliveries.change(deliveryId, (delivery) => ({
    ...delivery,
    nextAttemptAt: isoInstant(scheduler.now(delivery.applicationId) + delaySeconds * 1000),
  }));
  scheduler.schedule(applicationId, taskId(deliveryId), delaySeconds * 1000, { kind: "delivery.attempt", deliveryId });
}

/** Cancels the scheduled attempt of a delivery, if there is one. */
export function cancelAttempt({ state, scheduler }: ScheduleDeps, deliveryId: string): void {
  scheduler.cancel(taskId(deliveryId));
  const delivery = state.deliveries.get(deliveryId);
  if (delivery?.nextAttemptAt !== undefined) state.deliveries.put({ ...delivery, nextAttemptAt: undefined });
}

/** Tells whether an attempt of a delivery is scheduled. */
export function isScheduled({ state }: ScheduleDeps, deliveryId: string): boolean {
  return state.scheduledTasks.get(taskId(deliveryId)) !== undefined;
}

function taskId(deliveryId: string): string {
  return `attempt:${deliveryId}`;
}
