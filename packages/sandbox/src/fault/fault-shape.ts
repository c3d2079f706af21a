import { z } from "zod";
import { phoneShape } from "../primitives/phone-number.ts";
import { maxTimeoutMilliseconds } from "../primitives/time.ts";
import { eventNames } from "../state/application.ts";
import { type FaultLimits, type FaultRule, faultyRoutes } from "../state/fault.ts";

const requestTargets = [...faultyRoutes, "request"] as const;
const webhookTargets = [...eventNames, "webhook"] as const;

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

/** For an unknown discriminator a union reports only "Invalid input". This message lists the known ones. */
function expected(
  member: string,
  choices: readonly string[],
): (issue: { readonly code?: string | undefined }) => string | undefined {
  return ({ code }) =>
    code === "invalid_union" ? `Expected one of these as ${member}: ${choices.join(", ")}.` : undefined;
}
