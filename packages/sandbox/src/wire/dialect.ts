import { z } from "zod";
import type { Changes } from "../changes.ts";

/**
 * How the service writes what its specification leaves open: one choice per row of `docs/service-gaps.md`. The first of
 * each list is the default.
 */
export const dialectChoices = {
  /** Where the creation response holds the id; `request_id` means that the verification has no other. */
  verificationId: ["verification_id", "data.verification_id", "verification.id", "id", "request_id"],
  /** Status of a successful `POST /verifications`. */
  acceptedStatus: [200, 201, 202],
  /** What a wrong, expired or exhausted code is answered with. */
  confirmationRefusal: ["status_400", "false", "text_true", "empty"],
  /** Where the error code stands in the body of a confirmation failure. */
  errorCode: ["error_code", "code", "error.code", "errors[0].code", "message"],
  /** Statuses for a bad API key and for invalid input. */
  refusalStatus: ["401_422", "403_400"],
  /** Body of every refusal but that of a confirmation. */
  refusalBody: ["json", "empty", "html"],
  /** The member that names the event beside `data`. */
  envelope: ["event", "type", "event_type", "data_only"],
  /** Fields of `data` and of message records beyond those that the specification names. */
  eventFields: ["documented", "bare", "rich"],
  /** How instants are written. */
  instants: [
    "iso_milliseconds",
    "iso_seconds",
    "iso_microseconds",
    "iso_offset",
    "epoch_seconds",
    "epoch_milliseconds",
  ],
  /** `PENDING`, `APPROVED`, `EXPIRED`, `FAILED`, or words of its own. */
  verificationStatuses: ["known", "own"],
  /** The four that are named, or one more on the way, between `QUEUED` and `SENT`. */
  messageStatuses: ["four", "five"],
  /** The five channels of Verify, or any other name too. */
  channelNames: ["five", "any"],
  /** Whether `custom_otp` still needs a template. */
  customOtpTemplate: ["optional", "required"],
  /** What `GET /messages` answers: below `messages`, as a bare array, or below `data`. */
  messageList: ["messages", "array", "data"],
  /** An unregistered sender is refused, or accepted and then `FAILED`. */
  unregisteredSender: ["refused", "fails"],
  /** `http` URLs on this machine are taken as webhook destinations, or refused as the specification has it. */
  httpTargets: ["loopback", "refused"],
} as const;

type Choices = typeof dialectChoices;

/** One choice per open row. */
export type Dialect = { readonly [Row in keyof Choices]: Choices[Row][number] };

/** What the rest of the documents describe: the first choice of each row. */
export const defaultDialect: Dialect = {
  verificationId: "verification_id",
  acceptedStatus: 200,
  confirmationRefusal: "status_400",
  errorCode: "error_code",
  refusalStatus: "401_422",
  refusalBody: "json",
  envelope: "event",
  eventFields: "documented",
  instants: "iso_milliseconds",
  verificationStatuses: "known",
  messageStatuses: "four",
  channelNames: "five",
  customOtpTemplate: "optional",
  messageList: "messages",
  unregisteredSender: "refused",
  httpTargets: "loopback",
};

/** The shape of changes to a {@link Dialect}. */
export const dialectShape: z.ZodType<Changes<Dialect>> = z
  .strictObject({
    verificationId: z.literal(dialectChoices.verificationId),
    acceptedStatus: z.literal(dialectChoices.acceptedStatus),
    confirmationRefusal: z.literal(dialectChoices.confirmationRefusal),
    errorCode: z.literal(dialectChoices.errorCode),
    refusalStatus: z.literal(dialectChoices.refusalStatus),
    refusalBody: z.literal(dialectChoices.refusalBody),
    envelope: z.literal(dialectChoices.envelope),
    eventFields: z.literal(dialectChoices.eventFields),
    instants: z.literal(dialectChoices.instants),
    verificationStatuses: z.literal(dialectChoices.verificationStatuses),
    messageStatuses: z.literal(dialectChoices.messageStatuses),
    channelNames: z.literal(dialectChoices.channelNames),
    customOtpTemplate: z.literal(dialectChoices.customOtpTemplate),
    messageList: z.literal(dialectChoices.messageList),
    unregisteredSender: z.literal(dialectChoices.unregisteredSender),
    httpTargets: z.literal(dialectChoices.httpTargets),
  })
  .partial();
