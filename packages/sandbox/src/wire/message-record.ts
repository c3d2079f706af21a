import { lastStep, type Message } from "../state/message.ts";

/** A message and its status, as `GET /messages` and `message.status.update` tell it. It holds no text and no code. */
export function messageRecord(message: Message): Readonly<Record<string, string>> {
  const { status, at } = lastStep(message);
  return {
    message_id: message.id,
    request_id: message.requestId,
    recipient: message.to,
    channel: message.channel,
    status,
    status_updated_at: at,
  };
}
