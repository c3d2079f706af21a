import { parseE164 } from "@doorcode/core";
import type { Application } from "../state/application.ts";
import { accountOf, type Service } from "./service.ts";

/** The kind of a message's sender. */
export type SenderKind = "unregistered" | "sender_id" | "rented_number";

/**
 * Returns the kind of a sender: a sender ID that is registered on the account, or a number with SMS that is rented for
 * this application.
 *
 * @see "Sender rules" of the specification
 */
export function senderKind(service: Service, application: Application, sender: string): SenderKind {
  const { senders, numbers } = accountOf(service);
  if (senders.some(({ name }) => name === sender)) return "sender_id";
  const rented = numbers.find(({ phone }) => phone === sender);
  const canSend = rented?.applicationId === application.id && rented.capabilities.includes("SMS");
  return canSend ? "rented_number" : "unregistered";
}

/** Tells whether the country of a recipient prohibits sender IDs. */
export function prohibitsSenderIds({ settings }: Application, recipient: string): boolean {
  const { countriesWithoutSenderIds: countries } = settings;
  if (countries.length === 0) return false;
  const country = parseE164(recipient)?.country;
  return country !== undefined && countries.includes(country);
}
