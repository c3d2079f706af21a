import { instantOf } from "../service/instant.ts";
import type { State } from "../state/state.ts";
import type { Agenda } from "../time/agenda.ts";

/** What the planning of attempts works with. */
export interface PlanParts {
  readonly state: State;
  readonly agenda: Agenda;
}

/** Plans the next attempt of a delivery, on the clock of its application. */
export function planAttempt({ state, agenda }: PlanParts, deliveryId: string, delaySeconds: number): void {
  const { applicationId } = state.deliveries.change(deliveryId, (delivery) => ({
    ...delivery,
    nextAttemptAt: instantOf(agenda.now(delivery.applicationId) + delaySeconds * 1000),
  }));
  agenda.plan(applicationId, planOf(deliveryId), delaySeconds * 1000, { kind: "delivery.attempt", deliveryId });
}

/** Takes the planned attempt of a delivery back, if there is one. */
export function takeBackAttempt({ state, agenda }: PlanParts, deliveryId: string): void {
  agenda.takeBack(planOf(deliveryId));
  const delivery = state.deliveries.get(deliveryId);
  if (delivery) state.deliveries.put({ ...delivery, nextAttemptAt: undefined });
}

/** Tells whether an attempt of a delivery is planned. */
export function isPlanned({ state }: PlanParts, deliveryId: string): boolean {
  return state.plans.get(planOf(deliveryId)) !== undefined;
}

function planOf(deliveryId: string): string {
  return `attempt:${deliveryId}`;
}
