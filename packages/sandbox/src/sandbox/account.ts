import { z } from "zod";
import { parse, SandboxError } from "../primitives/errors.ts";
import { phoneShape } from "../primitives/phone-number.ts";
import { accountOf, type Service } from "../service/service.ts";
import type { Account, Mail, RentedNumber } from "../state/account.ts";
import { defaultApplicationId } from "../state/application.ts";
import { isoInstant } from "../state/record.ts";

/** The account that all applications share. */
export interface SandboxAccount {
  get(): Account;
  /**
   * Registers a sender ID for all applications.
   *
   * @param name - 1 to 11 letters, digits and spaces, with at least one letter.
   * @throws TypeError when the name is invalid; SandboxError `sender_taken`
   */
  registerSender(name: string): void;
  /** Removes a sender ID. @throws SandboxError `sender_unknown` */
  removeSender(name: string): void;
  /**
   * Rents a number for one application. By default it is a mobile number with voice and SMS.
   *
   * @throws TypeError when the number is invalid; SandboxError `number_taken`, `application_unknown`
   */
  rentNumber(number: NumberToRent): void;
  /** Releases a rented number. @throws SandboxError `number_unknown` */
  releaseNumber(phone: string): void;
  /** Lists the mails to the owner, the oldest first. The sandbox stores mails and never sends them. */
  mails(): readonly Mail[];
}

/** The shape of a sender ID: 1 to 11 letters, digits and spaces, with at least one letter, as phones show it. */
export const senderShape: z.ZodType<string> = z
  .string()
  .regex(/^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/, "expected 1 to 11 letters, digits and spaces, with at least one letter");

/** A number to rent. By default it is a mobile number with voice and SMS, and its calls go nowhere. */
export type NumberToRent = Pick<RentedNumber, "phone" | "applicationId"> & Partial<RentedNumber>;

const numberToRent: z.ZodType<RentedNumber> = z.strictObject({
  phone: phoneShape,
  applicationId: z.string().min(1),
  kind: z.literal(["local", "mobile", "toll_free"]).default("mobile"),
  capabilities: z
    .array(z.literal(["voice", "SMS"]))
    .min(1)
    .default(["voice", "SMS"]),
  routing: z.literal(["none", "sip_trunk"]).default("none"),
});

/** The account, for values of requests and forms as well: each method checks what it gets. */
export interface CheckedAccount extends SandboxAccount {
  registerSender(name: unknown): void;
  rentNumber(number: unknown): void;
}

/** Creates the account of a sandbox. @see "Platform concepts" and "Sender rules" of the specification */
export function createAccount(service: Service): CheckedAccount {
  const { state, scheduler } = service;
  const get = () => accountOf(service);

  return {
    get,
    registerSender(given) {
      const name = parse("registerSender", senderShape, given, "name");
      const account = get();
      if (account.senders.some((registered) => registered.name === name)) {
        throw new SandboxError("sender_taken", "This sender ID is already registered.", { field: "name" });
      }
      // The account has no clock, so the clock of the default application is used.
      const registeredAt = isoInstant(scheduler.now(defaultApplicationId));
      state.accounts.put({ ...account, senders: [...account.senders, { name, registeredAt }] });
    },
    removeSender(name) {
      const account = get();
      const senders = account.senders.filter((sender) => sender.name !== name);
      if (senders.length === account.senders.length) {
        throw new SandboxError("sender_unknown", "This sender ID is not registered.");
      }
      state.accounts.put({ ...account, senders });
    },
    rentNumber(number) {
      const rented = parse("rentNumber", numberToRent, number);
      const account = get();
      if (!state.applications.get(rented.applicationId)) {
        throw new SandboxError("application_unknown", "There is no such application.", { field: "applicationId" });
      }
      if (account.numbers.some(({ phone }) => phone === rented.phone)) {
        const message = "This number is already rented. Release it first.";
        throw new SandboxError("number_taken", message, { field: "phone" });
      }
      state.accounts.put({ ...account, numbers: [...account.numbers, rented] });
    },
    releaseNumber(phone) {
      const account = get();
      const numbers = account.numbers.filter((number) => number.phone !== phone);
      if (numbers.length === account.numbers.length) {
        throw new SandboxError("number_unknown", "This number is not rented.");
      }
      state.accounts.put({ ...account, numbers });
    },
    mails: () => [...state.mails.all()],
  };
}
