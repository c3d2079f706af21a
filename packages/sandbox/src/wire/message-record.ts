import type { Dialect } from "../state/dialect.ts";
import { lastStep, type Message } from "../state/message.ts";
import { formatInstant } from "./instant-format.ts";

/** A JSON object of the API. */
export type WireRecord = Readonly<Record<string, unknown>>;

/**
 * Returns the status of a message as `GET /messages` and `message.status.update` report it, without its text and its code.
 * Every dialect has the four fields that the specification names.
 *
 * @see "Confirmation request and response" of the specification, on the message status record
 */
export function messageRecord(dialect: Dialect, message: Message): WireRecord {
  const { status, at } = lastStep(message);
  return {
    message_id: message.id,
    recipient: message.to,
    ...extraFields(dialect, { request_id: message.requestId, channel: message.channel }),
    status,
    status_updated_at: formatInstant(dialect, at),
  };
}

/** Returns the fields that the specification does not name, as the dialect has them. */
export function extraFields({ eventFields }: Dialect, documented: WireRecord): WireRecord {
  if (eventFields === "bare") return {};
  return eventFields === "rich" ? { ...documented, ...undocumentedFields } : documented;
}

/** Fields that no document mentions. A reader must ignore them. */
const undocumentedFields: WireRecord = {
  price: { amount: "0.0705", currency: "EUR" },
  error: null,
  tags: ["a", 1, true, null, []],
  "x-trace": { id: 9_007_199_254_740_991, note: "ünïcode ✓ \u2028" },
};
