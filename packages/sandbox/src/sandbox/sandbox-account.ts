import { accountOf, type Service } from "../service/service.ts";
import type { Account, Mail } from "../state/account.ts";
import { type NumberToRent, releaseNumber, rentNumber } from "./rented-numbers.ts";
import { registerSender, removeSender } from "./senders.ts";

/** The account that all applications share. */
export interface SandboxAccount {
  /** Returns the record of the account. */
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

/** Creates the account of a sandbox. */
export function createAccount(service: Service): SandboxAccount {
  return {
    get: () => accountOf(service),
    registerSender: (name) => registerSender(service, { name }),
    removeSender: (name) => removeSender(service, name),
    rentNumber: (number) => rentNumber(service, number),
    releaseNumber: (phone) => releaseNumber(service, phone),
    mails: () => listMails(service),
  };
}

/** Lists the mails to the owner, the oldest first. */
export function listMails({ state }: Service): readonly Mail[] {
  return [...state.mails.all()];
}
