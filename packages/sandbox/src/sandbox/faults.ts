import { z } from "zod";
import { parse, SandboxError } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { findApplication, type Service } from "../service/service.ts";
import {
  type Fault,
  type FaultLimits,
  type FaultRule,
  type Firing,
  requestTargets,
  webhookTargets,
} from "../state/fault.ts";
import { maxTimeoutMilliseconds, newId } from "../state/record.ts";

/** The faults of an application: failures that happen on purpose. */
export interface Faults {
  /**
   * Adds a fault. All faults that match the same request or webhook fire, in the order in which they were added.
   *
   * @throws TypeError with the first invalid member and the expected value
   */
  add(fault: FaultRule & FaultLimits): Fault;
  /** Lists the faults, including those that are used up. */
  list(): readonly Fault[];
  /** Removes a fault. @throws SandboxError `fault_unknown` */
  remove(id: string): void;
  clear(): void;
  /** Lists the firings, the oldest first. */
  firings(): readonly Firing[];
}

/** The faults for values of requests and forms as well: each method checks what it gets. */
export interface CheckedFaults extends Faults {
  add(fault: unknown): Fault;
}

/** Creates the faults of an application. */
export function createFaults(service: Service, applicationId: string): CheckedFaults {
  const { state } = service;
  return {
    add(fault) {
      findApplication(service, applicationId);
      const rule = parse("faults.add", faultShape, fault);
      return state.faults.put({ ...rule, id: newId("flt"), applicationId, matched: 0, fired: 0 });
    },
    list: () => state.faults.list(applicationId),
    remove(id) {
      if (state.faults.get(id)?.applicationId !== applicationId) {
        throw new SandboxError("fault_unknown", "There is no such fault.");
      }
      state.faults.remove(id);
    },
    clear: () => state.faults.forget(applicationId),
    firings: () => state.firings.list(applicationId),
  };
}

/** A `Response` with one of these statuses cannot have a body. */
const bodilessStatuses: readonly number[] = [204, 205, 304];

const milliseconds = z.int().min(0).max(maxTimeoutMilliseconds);

const answer = z
  .strictObject({
    type: z.literal("answer"),
    status: z.int().min(200).max(599),
    body: z.string().exactOptional(),
    retryAfterSeconds: z.int().min(0).exactOptional(),
  })
  .refine(({ body, status }) => body === undefined || !bodilessStatuses.includes(status), {
    path: ["body"],
    error: "An answer with this status cannot have a body. Omit it.",
  });

const requestAction = z.discriminatedUnion(
  "type",
  [
    answer,
    z.strictObject({ type: z.literal("delay"), milliseconds }),
    z.strictObject({ type: z.literal("cut"), when: z.enum(["before", "after"]) }),
  ],
  { error: expected("type", ["answer", "delay", "cut"]) },
);

const simpleWebhookActions = [
  "odd_json",
  "reorder",
  "duplicate",
  "drop",
  "cut",
  "corrupt_signature",
  "extra_signature",
  "two_secrets",
] as const;

const webhookAction = z.discriminatedUnion(
  "type",
  [
    z.strictObject({ type: z.enum(simpleWebhookActions) }),
    z.strictObject({ type: z.literal("delay"), seconds: z.int().min(0).max(2_000_000) }),
    // The limit keeps the timestamp positive.
    z.strictObject({ type: z.literal("stale_timestamp"), seconds: z.int().min(1).max(1_000_000_000) }),
  ],
  { error: expected("type", [...simpleWebhookActions, "delay", "stale_timestamp"]) },
);

const common = {
  to: phoneShape.exactOptional(),
  times: z.int().min(1).exactOptional(),
  probability: z.number().min(0).max(1).exactOptional(),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .exactOptional(),
};

/**
 * The shape of a fault to add. An unknown member, and a webhook's action on a request or the reverse, is refused with the
 * path of the field.
 */
export const faultShape: z.ZodType<FaultRule & FaultLimits> = z.discriminatedUnion(
  "on",
  [
    z.strictObject({ on: z.enum(requestTargets), action: requestAction, ...common }),
    z.strictObject({
      on: z.enum(webhookTargets),
      action: webhookAction,
      status: z.string().min(1).exactOptional(),
      ...common,
    }),
  ],
  { error: expected("on", [...requestTargets, ...webhookTargets]) },
);

/** The members of a fault for a tool, whose input is one object. The control API checks which action fits to `on`. */
export const faultShapes: Readonly<Record<"on" | "action" | "status" | "to", z.ZodType>> = {
  on: z.enum([...requestTargets, ...webhookTargets]).describe("The requests or webhooks that fail."),
  action: z.union([requestAction, webhookAction], "expected an action of a request or of a webhook"),
  status: z.string().min(1).optional().describe("Only webhooks that report this status, such as SENT."),
  to: phoneShape.optional().describe("Only this recipient, in E.164."),
};

/** Without this message, a union says "Invalid input" about an unknown choice. */
function expected(member: string, choices: readonly string[]): string {
  return `Expected one of these as ${member}: ${choices.join(", ")}.`;
}
