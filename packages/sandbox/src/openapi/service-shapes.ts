import { z } from "zod";
import { phoneShape } from "../primitives/phone-number.ts";
import type { Dialect } from "../state/dialect.ts";
import { channels, type MessageStatus } from "../state/message.ts";
import { confirmationCodes } from "../wire/answers.ts";
import { formatInstant, ownStatuses } from "../wire/events.ts";
import { confirmationRequestShape, requestShapes, type WireConfiguration } from "../wire/requests.ts";

/*
 * The shapes of the answers and events, for the OpenAPI document. The code in `wire` writes the answers and events, in each dialect. The
 * tests check every answer and every event against these shapes.
 */

/** Shapes by their name in the description. */
export type NamedShapes = Readonly<Record<string, z.ZodType>>;

/** Returns the shapes of the bodies that the API reads: those that its parser has. */
export function requestBodies(application: WireConfiguration): NamedShapes {
  const { messages, verifications } = requestShapes(application);
  return {
    MessageRequest: messages.describe("Messages to send."),
    VerificationRequest: verifications.describe("A verification to start. The lowest `priority` is tried first."),
    ConfirmationRequest: confirmationRequestShape.describe("The code that a person typed."),
  };
}

/** Returns the shapes of all answers in a dialect. */
export function answerBodies(dialect: Dialect): NamedShapes {
  const accepted = z.object({ message_id: z.string(), recipient: phoneShape, status: z.literal("QUEUED") });
  const messages = z.array(messageRecord(dialect));
  return {
    AcceptedMessages: z
      .object({ request_id: z.string(), status: z.literal("SUCCESS"), messages: z.array(accepted) })
      .describe("One message for each recipient and channel entry. Accepted does not mean delivered."),
    MessageList: (dialect.messageList === "array" ? messages : z.object({ [dialect.messageList]: messages })).describe(
      "The newest messages.",
    ),
    AcceptedVerification: z
      .object({
        request_id: z.string(),
        ...idMembers[dialect.verificationId],
        error_code: z.literal(""),
        error_message: z.literal(""),
      })
      .describe("A verification was started."),
    Confirmed: z.object({ success: z.literal(true), message: z.string() }).describe("The code was correct."),
    RefusedConfirmation: refusedConfirmation(dialect).describe("The code was wrong or used, or has expired."),
    Refusal: z
      .object({ error_code: z.string(), error_message: z.string(), field: z.string().optional() })
      .describe("A refusal. `field` is the path of the wrong member, such as `channels[0].sender`."),
  };
}

/** Returns the shapes of all events in a dialect. */
export function eventBodies(dialect: Dialect): NamedShapes {
  return {
    MessageStatusUpdate: payload(dialect, "message.status.update", messageRecord(dialect)),
    VerificationUpdate: payload(dialect, "verification.update", verificationRecord(dialect)),
  };
}

const idMembers: Readonly<Record<Dialect["verificationId"], z.ZodRawShape>> = {
  verification_id: { verification_id: z.string() },
  "data.verification_id": { data: z.object({ verification_id: z.string() }) },
  "verification.id": { verification: z.object({ id: z.string() }) },
  id: { id: z.string() },
  request_id: {},
};

const confirmationCode = z.enum(confirmationCodes);

const codeMembers: Readonly<Record<Dialect["errorCode"], z.ZodRawShape>> = {
  error_code: { error_code: confirmationCode },
  code: { code: confirmationCode },
  "error.code": { error: z.object({ code: confirmationCode }) },
  "errors[0].code": { errors: z.array(z.object({ code: confirmationCode })) },
  // The first word of the message.
  message: {},
};

function refusedConfirmation({ confirmationRefusal, errorCode }: Dialect): z.ZodType {
  if (confirmationRefusal === "text_true") return z.object({ success: z.literal("true"), message: z.string() });
  return z.object({ success: z.literal(false), message: z.string(), ...codeMembers[errorCode] });
}

const statuses: readonly MessageStatus[] = ["QUEUED", "SENT", "FAILED", "DELIVERED"];

function messageStatus({ messageStatuses }: Dialect): z.ZodType {
  return z.enum(messageStatuses === "five" ? [...statuses, "BUFFERED"] : statuses);
}

function messageRecord(dialect: Dialect): z.ZodType {
  const members = {
    message_id: z.string(),
    recipient: phoneShape,
    ...extraMembers(dialect, { request_id: z.string(), channel: z.literal("SMS") }),
    status: messageStatus(dialect),
    status_updated_at: instant(dialect),
  };
  return openIfRich(dialect, members);
}

function verificationRecord(dialect: Dialect): z.ZodType {
  const { verificationStatuses, channelNames } = dialect;
  const channel = channelNames === "any" ? z.string() : z.enum(channels);
  const attempt = { channel: channel.optional(), channel_status: messageStatus(dialect).optional() };
  const members = {
    verification_id: z.string(),
    ...extraMembers(dialect, { request_id: z.string(), recipient: phoneShape, ...attempt }),
    status: z.enum(verificationStatuses === "own" ? Object.values(ownStatuses) : Object.keys(ownStatuses)),
    updated_at: instant(dialect),
  };
  return openIfRich(dialect, members);
}

function extraMembers({ eventFields }: Dialect, members: z.ZodRawShape): z.ZodRawShape {
  return eventFields === "bare" ? {} : members;
}

/** A reader must ignore the members that the dialect `rich` adds, so the description does not name them. */
function openIfRich({ eventFields }: Dialect, members: z.ZodRawShape): z.ZodType {
  return eventFields === "rich" ? z.looseObject(members) : z.object(members);
}

/** Any instant, to show the format. */
const sampleInstant = "2026-01-31T12:00:00.000Z";

function instant(dialect: Dialect): z.ZodType {
  const sample = formatInstant(dialect, sampleInstant);
  const shape = typeof sample === "number" ? z.int() : z.string().meta({ format: "date-time" });
  return shape.meta({ examples: [sample] });
}

function payload({ envelope }: Dialect, event: string, data: z.ZodType): z.ZodType {
  return z.object(envelope === "data_only" ? { data } : { [envelope]: z.literal(event), data });
}

/** A JSON object of an OpenAPI document. */
export type OpenApiObject = Readonly<Record<string, unknown>>;

/** Refers to a shape of the document by its name. */
export function refTo(name: string): OpenApiObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** Describes a body that must be JSON of one shape. */
export function jsonBody(name: string): OpenApiObject {
  return { required: true, content: { "application/json": { schema: refTo(name) } } };
}
