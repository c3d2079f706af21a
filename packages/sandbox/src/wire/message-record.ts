import type { Application } from "../state/application.ts";
import { lastStep, type Message } from "../state/message.ts";
import type { Dialect } from "./dialect.ts";
import { wireInstant } from "./instant.ts";

/** A JSON object, as it stands on the wire. */
export type WireRecord = Readonly<Record<string, unknown>>;

/**
 * A message and its status, as `GET /messages` and `message.status.update` tell it. It holds no text and no code. Its four
 * fields that the specification names are there in every dialect.
 *
 * @see "Confirmation request and response" of the specification, on the message status record
 */
export function messageRecord({ dialect }: Application, message: Message): WireRecord {
  const { status, at } = lastStep(message);
  return {
    message_id: message.id,
    recipient: message.to,
    ...withFields(dialect, { request_id: message.requestId, channel: message.channel }),
    status,
    status_updated_at: wireInstant(dialect, at),
  };
}

/** The fields that the specification does not name, as the dialect has them. */
export function withFields({ eventFields }: Dialect, documented: WireRecord): WireRecord {
  if (eventFields === "bare") return {};
  return eventFields === "rich" ? { ...documented, ...surprises } : documented;
}

/** Fields that nobody documented: a reader must let them pass. */
const surprises: WireRecord = {
  price: { amount: "0.0705", currency: "EUR" },
  error: null,
  tags: ["a", 1, true, null, []],
  "x-trace": { id: 9_007_199_254_740_991, note: "ünïcode ✓ \u2028" },
};
