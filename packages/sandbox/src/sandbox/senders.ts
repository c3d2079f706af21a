import { z } from "zod";
import { SandboxError } from "../primitives/sandbox-error.ts";
import { isoInstant } from "../primitives/time.ts";
import { parse } from "../primitives/usage-error.ts";
import { accountOf, type Service } from "../service/service.ts";
import { defaultApplicationId } from "../state/application.ts";

/** The shape of a sender ID: 1 to 11 letters, digits and spaces, with at least one letter, as phones show it. */
export const senderShape: z.ZodType<string> = z
  .string()
  .regex(/^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/, "expected 1 to 11 letters, digits and spaces, with at least one letter");

const senderToRegister = z.strictObject({ name: senderShape });

/**
 * Registers a sender ID on the account, for all applications.
 *
 * @param sender - `{ name }`, from a program, a request or a form.
 * @throws UsageError when the name is invalid; SandboxError `sender_taken` when it is registered already
 * @see "Sender rules" of the specification
 */
export function registerSender(service: Service, sender: unknown): void {
  const { name } = parse("registerSender", senderToRegister, sender);
  const account = accountOf(service);
  if (account.senders.some((registered) => registered.name === name)) {
    throw new SandboxError("sender_taken", "This sender ID is already registered.", { field: "name" });
  }
  // The account has no clock, so the clock of the default application is used.
  const registeredAt = isoInstant(service.scheduler.now(defaultApplicationId));
  service.state.accounts.put({ ...account, senders: [...account.senders, { name, registeredAt }] });
}

/** Removes a sender ID from the account. @throws SandboxError `sender_unknown` */
export function removeSender(service: Service, name: string): void {
  const account = accountOf(service);
  const senders = account.senders.filter((sender) => sender.name !== name);
  if (senders.length === account.senders.length) {
    throw new SandboxError("sender_unknown", "This sender ID is not registered.");
  }
  service.state.accounts.put({ ...account, senders });
}
