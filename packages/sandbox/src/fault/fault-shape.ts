import { parsePhoneNumber } from "@doorcode/core";
import { z } from "zod";
import { eventNames } from "../state/application.ts";
import { type FaultLimits, type FaultRule, faultyRoutes } from "../state/fault.ts";

const requestTargets = [...faultyRoutes, "request"] as const;
const webhookTargets = [...eventNames, "webhook"] as const;

/** No `Response` with one of these can have a body. */
const bodilessStatuses: readonly number[] = [204, 205, 304];

const milliseconds = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);

const answer = z
  .strictObject({
    type: z.literal("answer"),
    status: z.int().min(200).max(599),
    body: z.string().exactOptional(),
    retryAfterSeconds: z.int().min(0).exactOptional(),
  })
  .refine(({ body, status }) => body === undefined || !bodilessStatuses.includes(status), {
    path: ["body"],
    error: "An answer with this status has no body: leave it out.",
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

const bareWebhookActions = [
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
    z.strictObject({ type: z.enum(bareWebhookActions) }),
    z.strictObject({ type: z.literal("delay"), seconds: z.int().min(0).max(2_000_000) }),
    // At most so far that the timestamp stays a positive one.
    z.strictObject({ type: z.literal("stale_timestamp"), seconds: z.int().min(1).max(1_000_000_000) }),
  ],
  { error: expected("type", [...bareWebhookActions, "delay", "stale_timestamp"]) },
);

const common = {
  to: z
    .string()
    .refine((text) => parsePhoneNumber(text)?.e164 === text, "Expected an E.164 phone number, such as +4915112345678.")
    .exactOptional(),
  times: z.int().min(1).exactOptional(),
  probability: z.number().min(0).max(1).exactOptional(),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .exactOptional(),
};

/**
 * The shape of a fault as people ask for one: what it applies to, what it does, and how often. Members that it does not
 * know, and an action of the other side (a webhook's on a request), are refused with the path of the field.
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

/** A union says "Invalid input" when its discriminator fits nowhere: this says what would have fitted. */
function expected(
  member: string,
  choices: readonly string[],
): (issue: { readonly code?: string | undefined }) => string | undefined {
  return ({ code }) =>
    code === "invalid_union" ? `Expected one of these as ${member}: ${choices.join(", ")}.` : undefined;
}
