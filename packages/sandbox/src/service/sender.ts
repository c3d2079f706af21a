import { parsePhoneNumber } from "@doorcode/core";
import { accountId } from "../state/account.ts";
import type { Application } from "../state/application.ts";
import type { Service } from "./service.ts";

/** What may stand as the sender of a message: nothing, a sender ID, or a rented number. */
export type SenderKind = "unregistered" | "sender_id" | "rented_number";

/**
 * Tells what a sender is to an application: a sender ID registered on the account, or a number rented for this
 * application that is capable of SMS.
 *
 * @see "Sender rules" of the specification
 */
export function senderKind({ state }: Service, application: Application, sender: string): SenderKind {
  const account = state.accounts.get(accountId);
  if (account?.senders.some(({ name }) => name === sender)) return "sender_id";
  const rented = account?.numbers.find(({ phone }) => phone === sender);
  const sends = rented?.applicationId === application.id && rented.capabilities.includes("SMS");
  return sends ? "rented_number" : "unregistered";
}

/** Tells whether the country of a recipient prohibits sender IDs. */
export function prohibitsSenderIds({ settings }: Application, recipient: string): boolean {
  const { countriesWithoutSenderIds: countries } = settings;
  if (countries.length === 0) return false;
  const country = parsePhoneNumber(recipient)?.country;
  return country !== undefined && countries.includes(country);
}
