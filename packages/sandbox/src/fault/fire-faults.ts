import type { EventName } from "../state/application.ts";
import type { Delivery } from "../state/delivery.ts";
import {
  type Fault,
  type FaultRule,
  type FaultyRoute,
  type RequestAction,
  requestTargets,
  type WebhookAction,
} from "../state/fault.ts";
import { isoInstant, newId } from "../state/record.ts";
import type { State } from "../state/state.ts";

/** An effect on an event, decided once for all of its attempts. */
type EventAction = Extract<WebhookAction, { readonly type: "odd_json" | "delay" | "reorder" }>;

/** An effect on one attempt, decided for each attempt: `drop` with `times: 1` loses one attempt, not the event. */
export type AttemptAction = Exclude<WebhookAction, EventAction>;

/** The effects by the scope in which they are decided. */
interface ActionsOfScope {
  readonly request: RequestAction;
  readonly event: EventAction;
  readonly attempt: AttemptAction;
}

/** The scope in which an effect is decided. */
export type FaultScope = keyof ActionsOfScope;

/** An API request, an event, or an attempt of a delivery, to which faults may apply now. */
export interface FaultTarget<Scope extends FaultScope> {
  readonly scope: Scope;
  readonly applicationId: string;
  /** The endpoint of the API, or the name of the event. */
  readonly on: Scope extends "request" ? FaultyRoute : EventName;
  /** The phone numbers (E.164) of the target. A fault with `to` applies when its number is among them. */
  readonly to: readonly string[];
  readonly eventStatus?: string;
  readonly subjectId?: string;
  readonly deliveryId?: string;
  /** Unix milliseconds on the application's clock. */
  readonly atMilliseconds: number;
}

/** The members of a target that is a delivery, or an attempt of one. */
type DeliveryTarget = Omit<FaultTarget<"event" | "attempt">, "scope" | "atMilliseconds">;

/** Returns the target of faults that a delivery is. */
export function deliveryTarget(delivery: Delivery): DeliveryTarget {
  const { applicationId, event, recipient, eventStatus, subjectId, id: deliveryId } = delivery;
  return { applicationId, on: event, to: [recipient], eventStatus, subjectId, deliveryId };
}

/** Tells whether a fault can still fire. A fault that is used up stays in the list. */
export function isActive({ times, fired }: Fault): boolean {
  return times === undefined || fired < times;
}

/**
 * Fires the faults that apply to a target, in the order in which they were added. It counts each match, decides by the
 * limits of the fault whether it fires, and records each firing.
 *
 * The same seed and the same sequence of targets give the same firings, even across a restart: the random numbers of a
 * fault depend only on its seed and its number of matches.
 *
 * @returns the effects. The caller decides how they combine.
 */
export function fireFaults<Scope extends FaultScope>(
  state: State,
  target: FaultTarget<Scope>,
): readonly ActionsOfScope[Scope][] {
  return state.faults
    .list(target.applicationId)
    .filter((fault): fault is Fault & { readonly action: ActionsOfScope[Scope] } => matches(fault, target))
    .filter((fault) => fire(state, fault, target))
    .map(({ action }) => action);
}

function matches(fault: Fault, { scope, on, to, eventStatus }: FaultTarget<FaultScope>): boolean {
  if (!isActive(fault) || scopeOf(fault) !== scope) return false;
  if (fault.to !== undefined && !to.includes(fault.to)) return false;
  if ("status" in fault && fault.status !== undefined && !reports(eventStatus, fault.status)) return false;
  return fault.on === on || fault.on === "request" || fault.on === "webhook";
}

/** A channel attempt reports `SMS SENT`. Both `SMS SENT` and `SENT` match it. */
function reports(eventStatus: string | undefined, status: string): boolean {
  return eventStatus === status || eventStatus?.endsWith(` ${status}`) === true;
}

/** Counts one match. Returns true when the fault fires on it. */
function fire(state: State, fault: Fault, target: FaultTarget<FaultScope>): boolean {
  const { matched, fired, probability, seed = 1 } = fault;
  const fires = probability === undefined || seededRandom(seed, matched) < probability;
  state.faults.put({ ...fault, matched: matched + 1, fired: fires ? fired + 1 : fired });
  if (fires) recordFiring(state, fault, target);
  return fires;
}

function recordFiring(state: State, fault: Fault, target: FaultTarget<FaultScope>): void {
  state.firings.put({
    id: newId("fir"),
    applicationId: target.applicationId,
    faultId: fault.id,
    on: target.on,
    action: fault.action,
    at: isoInstant(target.atMilliseconds),
    subjectId: target.subjectId,
    deliveryId: target.deliveryId,
  });
}

const eventActions: readonly string[] = ["odd_json", "delay", "reorder"] satisfies EventAction["type"][];

function scopeOf({ on, action }: FaultRule): FaultScope {
  if (requestTargets.some((target) => target === on)) return "request";
  return eventActions.includes(action.type) ? "event" : "attempt";
}

/**
 * Returns one number of a sequence of pseudo-random numbers, from 0 inclusive to 1 exclusive (mulberry32).
 *
 * The state of this generator grows by a constant step, so any position can be computed directly. A caller needs to store
 * nothing except the number of draws so far.
 *
 * @param seed - from 0 to 2³² − 1.
 * @param index - position in the sequence, from 0.
 */
export function seededRandom(seed: number, index: number): number {
  const state = (seed + Math.imul(index + 1, 0x6d2b79f5)) | 0;
  const mixed = Math.imul(state ^ (state >>> 15), state | 1);
  const result = mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61));
  return ((result ^ (result >>> 14)) >>> 0) / 2 ** 32;
}

/**
 * Rewrites a payload as unusual but valid JSON of the same value: with extra whitespace, reversed keys, escaped characters
 * and numbers with fraction and exponent. No key is repeated.
 *
 * @param payload - output of `JSON.stringify`.
 */
export function oddJson(payload: string): string {
  return `\r\n\t ${oddValue(JSON.parse(payload))} \n`;
}

function oddValue(value: unknown): string {
  if (typeof value === "string") return oddString(value);
  if (typeof value === "number") return oddNumber(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[\t${value.map(oddValue).join(" ,\r\n")} ]`;
  const members = Object.entries(value).reverse();
  return `{\n${members.map(([key, member]) => ` ${oddString(key)}\t:\n  ${oddValue(member)}`).join("\n ,")}\r}`;
}

/** Escapes whole characters only. Half of a surrogate pair can be sent only when both halves are escaped. */
function oddString(text: string): string {
  const characters = Array.from(text, (character, index) => (index % 2 === 0 ? escaped(character) : plain(character)));
  return `"${characters.join("")}"`;
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).toUpperCase().padStart(4, "0")}`).join("");
}

function plain(character: string): string {
  return character === "/" ? "\\/" : JSON.stringify(character).slice(1, -1);
}

/** `1` becomes `1.0e+0`. `toExponential` keeps all digits of the number, but loses the sign of -0. */
function oddNumber(number: number): string {
  const [digits = "0", exponent = "+0"] = number.toExponential().split("e");
  const signed = Object.is(number, -0) ? "-0" : digits;
  return `${signed.includes(".") ? signed : `${signed}.0`}e${exponent}`;
}
