import { z } from "zod";
import { parse } from "../primitives/errors.ts";
import type { Service } from "../service/service.ts";
import { type Decision, decisionOutcomes } from "../state/decision.ts";
import { isoInstant, newId } from "../state/record.ts";

const maxEvents = 1000;

const word = z.string().max(40, "expected at most 40 characters");
const decisionShape = z.object({
  type: z.literal("login.send_decided"),
  outcome: z.enum(decisionOutcomes, `expected ${decisionOutcomes.join(", ")}`),
  country: word,
  limit: word.exactOptional(),
  code: word.exactOptional(),
  count: z.number().exactOptional(),
  threshold: z.number().exactOptional(),
  onAlert: z.boolean(),
  appOnAlert: z.boolean(),
  knownNumber: z.boolean(),
  knownDevice: z.boolean(),
});
const eventsShape = z.strictObject({
  events: z.array(z.looseObject({ type: z.string() })).max(maxEvents, `expected at most ${maxEvents} events`),
});

/**
 * Parses events of an app and records the decisions about codes among them, for the page. Other events are ignored, and so are those of
 * an application that was removed.
 *
 * @throws UsageError when the value is no list of events, or a decision is malformed
 */
export function receiveEvents({ state, scheduler }: Service, applicationId: string, value: unknown): void {
  const { events } = parse("events", eventsShape, value);
  const decided = events.filter(({ type }) => type === "login.send_decided");
  const decisions = decided.map((event) => parse("events", decisionShape, event));
  // The app may report a decision after its application was removed. That must not start the application's clock again.
  if (!state.applications.get(applicationId)) return;
  const at = isoInstant(scheduler.now(applicationId));
  for (const { type: _, ...decision } of decisions) {
    state.decisions.put({ ...decision, id: newId("dec"), applicationId, at });
  }
}

/** The decisions of an app about its codes. */
export interface Decisions {
  /** Receives an event of the app: pass it as `onEvent`. An event that is no decision is ignored. */
  readonly receive: (event: { readonly type: string }) => void;
  /** Lists the last 500 decisions, the oldest first. */
  list(): readonly Decision[];
}

/** Opens the decisions of an application for the program that runs the sandbox. */
export function createDecisions(service: Service, applicationId: string): Decisions {
  return {
    receive: (event) => receiveEvents(service, applicationId, { events: [event] }),
    list: () => service.state.decisions.list(applicationId),
  };
}
