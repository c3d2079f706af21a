import type { Application } from "../state/application.ts";
import type { Message } from "../state/message.ts";
import type { Service } from "./service.ts";

/** Lists the newest messages of `POST /messages`, the newest first. Messages of verifications are not listed. */
export function listMessages({ state }: Service, { id, settings }: Application): readonly Message[] {
  const messages = state.messages.list(id).filter(({ verificationId }) => verificationId === undefined);
  return messages.slice(-settings.maxListedMessages).reverse();
}
