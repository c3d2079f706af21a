import { z } from "zod";
import { SandboxError } from "../sandbox-error.ts";
import { instantOf } from "../service/instant.ts";
import type { Service } from "../service/service.ts";
import { type Account, accountId, type RentedNumber } from "../state/account.ts";
import { defaultApplicationId } from "../state/application.ts";
import { phoneShape } from "../wire/phone.ts";

/** The shape of a sender ID: up to 11 letters, digits and spaces, with at least one letter, as phones show it. */
export const senderShape: z.ZodType<string> = z
  .string()
  .regex(/^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/, "expected 1 to 11 letters, digits and spaces, with at least one letter");

/** What is said when a number is rented. */
export type NumberToRent = Pick<RentedNumber, "phone" | "applicationId"> & Partial<RentedNumber>;

/** The shape of a {@link NumberToRent}. */
export const numberShape: z.ZodType<RentedNumber, object> = z.strictObject({
  phone: phoneShape,
  applicationId: z.string().min(1),
  kind: z.literal(["local", "mobile", "toll_free"]).default("mobile"),
  capabilities: z
    .array(z.literal(["voice", "SMS"]))
    .min(1)
    .default(["voice", "SMS"]),
  routing: z.literal(["none", "sip_trunk"]).default("none"),
});

/** The account. */
export function accountOf({ state }: Service): Account {
  const account = state.accounts.get(accountId);
  if (!account) throw new Error("The sandbox has no account.");
  return account;
}

/**
 * Registers a sender ID on the account, for all of its applications.
 *
 * @throws SandboxError `sender_taken` when it is registered already
 * @see "Sender rules" of the specification
 */
export function registerSender(service: Service, name: string): void {
  const { senders } = accountOf(service);
  if (senders.some((sender) => sender.name === name)) {
    throw new SandboxError("sender_taken", "This sender ID is registered already.", { field: "name" });
  }
  // The account has no clock of its own: the default application's stands for it.
  const registeredAt = instantOf(service.agenda.now(defaultApplicationId));
  change(service, { senders: [...senders, { name, registeredAt }] });
}

/**
 * Takes a sender ID back.
 *
 * @throws SandboxError `sender_unknown`
 */
export function removeSender(service: Service, name: string): void {
  const { senders } = accountOf(service);
  const others = senders.filter((sender) => sender.name !== name);
  if (others.length === senders.length) throw new SandboxError("sender_unknown", "No such sender ID is registered.");
  change(service, { senders: others });
}

/**
 * Rents a number for exactly one application.
 *
 * @throws SandboxError `number_taken` when it is rented already; `application_unknown`
 * @see "Platform concepts" of the specification
 */
export function rentNumber(service: Service, number: RentedNumber): void {
  const { numbers } = accountOf(service);
  if (!service.state.applications.get(number.applicationId)) {
    throw new SandboxError("application_unknown", "No such application.", { field: "applicationId" });
  }
  if (numbers.some(({ phone }) => phone === number.phone)) {
    throw new SandboxError("number_taken", "This number is rented already: release it first.", { field: "phone" });
  }
  change(service, { numbers: [...numbers, number] });
}

/**
 * Releases a rented number.
 *
 * @throws SandboxError `number_unknown`
 */
export function releaseNumber(service: Service, phone: string): void {
  const { numbers } = accountOf(service);
  const others = numbers.filter((number) => number.phone !== phone);
  if (others.length === numbers.length) throw new SandboxError("number_unknown", "No such number is rented.");
  change(service, { numbers: others });
}

function change(service: Service, changes: Partial<Account>): void {
  service.state.accounts.put({ ...accountOf(service), ...changes });
}
