import { newId } from "../new-id.ts";
import { instantOf } from "../service/instant.ts";
import { type Fault, type FaultRule, faultyRoutes } from "../state/fault.ts";
import type { State } from "../state/state.ts";
import { draw } from "./draw.ts";
import type { ActionsOfScope, EventAction, FaultScope, Occasion } from "./occasion.ts";

/** Tells whether a fault can still fire. One that is used up stays listed. */
export function isActive({ times, fired }: Fault): boolean {
  return times === undefined || fired < times;
}

/**
 * Takes the faults that strike now, in the order in which they were added: counts what they match, lets each fire or
 * not, and records each firing.
 *
 * Where the generator of a fault stands is its `matched` alone: the same seed and the same course of occasions give the
 * same firings, across a restart too. Two faults with the same seed are drawn alike.
 *
 * @returns the actions; what several of them make of one occasion is for the caller to say.
 */
export function takeFaults<Scope extends FaultScope>(
  state: State,
  occasion: Occasion<Scope>,
): readonly ActionsOfScope[Scope][] {
  return state.faults
    .list(occasion.applicationId)
    .filter((fault): fault is Fault & { readonly action: ActionsOfScope[Scope] } => matches(fault, occasion))
    .filter((fault) => take(state, fault, occasion))
    .map(({ action }) => action);
}

function matches(fault: Fault, { scope, on, to, told }: Occasion<FaultScope>): boolean {
  if (!isActive(fault) || scopeOf(fault) !== scope) return false;
  if (fault.to !== undefined && !to.includes(fault.to)) return false;
  if ("status" in fault && fault.status !== undefined && !tells(told, fault.status)) return false;
  return fault.on === on || fault.on === "request" || fault.on === "webhook";
}

/** A channel attempt tells `SMS SENT`: that is told by both `SMS SENT` and `SENT`. */
function tells(told: string | undefined, status: string): boolean {
  return told === status || told?.endsWith(` ${status}`) === true;
}

/** Counts one match, and answers whether the fault fires on it. */
function take(state: State, fault: Fault, occasion: Occasion<FaultScope>): boolean {
  const { matched, fired, probability, seed = 1 } = fault;
  const fires = probability === undefined || draw(seed, matched) < probability;
  state.faults.put({ ...fault, matched: matched + 1, fired: fires ? fired + 1 : fired });
  if (fires) record(state, fault, occasion);
  return fires;
}

function record(state: State, fault: Fault, occasion: Occasion<FaultScope>): void {
  state.firings.put({
    id: newId("fir"),
    applicationId: occasion.applicationId,
    faultId: fault.id,
    on: occasion.on,
    action: fault.action,
    at: instantOf(occasion.atMilliseconds),
    subjectId: occasion.subjectId,
    deliveryId: occasion.deliveryId,
  });
}

const requestTargets: readonly string[] = [...faultyRoutes, "request"];
const eventActions: readonly string[] = ["odd_json", "delay", "reorder"] satisfies EventAction["type"][];

function scopeOf({ on, action }: FaultRule): FaultScope {
  if (requestTargets.includes(on)) return "request";
  return eventActions.includes(action.type) ? "event" : "attempt";
}
