import type { ServiceClient } from "../service/client.ts";
import type { WordCode } from "./code-texts.ts";
import type { SendOutgoingCode } from "./outgoing-code.ts";

/**
 * Creates the sender that has the service send a text of the app.
 *
 * @see "Message request" of the specification
 */
export function sendAsMessage(
  sender: string,
  wordCode: WordCode,
  messages: ServiceClient["messages"],
): SendOutgoingCode {
  return async (outgoing) => {
    const text = wordCode(outgoing.code, outgoing);
    const accepted = await messages.send({
      recipients: [outgoing.phone],
      channels: [{ channel: "SMS", sender, content: { text } }],
    });
    return { messageId: accepted.messages[0]?.message_id };
  };
}
