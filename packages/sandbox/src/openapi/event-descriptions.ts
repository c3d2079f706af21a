import type { EventName } from "../state/application.ts";
import { jsonBody, type OpenApiObject } from "./openapi-object.ts";
import type { EventShapeName } from "./service-shapes.ts";

/** Describes the webhooks. @see "Events" and "Webhook authenticity" of the specification */
export function describeEvents(): OpenApiObject {
  return Object.fromEntries(Object.entries(events).map(([name, event]) => [name, { post: describeEvent(event) }]));
}

/** One event, as its description has it. */
interface DescribedEvent {
  readonly operationId: string;
  readonly summary: string;
  readonly shape: EventShapeName;
}

const events: Readonly<Record<EventName, DescribedEvent>> = {
  "message.status.update": {
    operationId: "messageStatusUpdate",
    summary: "The status of a message has changed. Order the events of a message by `data.status_updated_at`.",
    shape: "MessageStatusUpdate",
  },
  "verification.update": {
    operationId: "verificationUpdate",
    summary:
      "The status of a verification, or of a text with its code, has changed. Order the events of a verification by `data.updated_at`.",
    shape: "VerificationUpdate",
  },
};

function describeEvent({ shape, ...event }: DescribedEvent): OpenApiObject {
  return { ...event, security: [], parameters: signatureHeaders, requestBody: jsonBody(shape), responses };
}

const signatureHeaders: readonly OpenApiObject[] = [
  {
    name: "X-Webhook-Timestamp",
    in: "header",
    required: true,
    description: "Unix seconds of this attempt. Refuse one that is more than 300 seconds off.",
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  {
    name: "X-Webhook-Signature",
    in: "header",
    required: true,
    description:
      "Signatures, with commas between them. `v1=` is the HMAC-SHA256 of `{timestamp}.{raw body}`, in lowercase hexadecimal.",
    schema: { type: "string" },
  },
];

const responses: OpenApiObject = {
  "2XX": { description: "Acknowledged. It must come within five seconds." },
  401: { description: "The signature or the timestamp is wrong." },
  default: { description: "A failure. The event is sent again: after 30 seconds, 2 minutes, 10 minutes and 1 hour." },
};
