import { z } from "zod";
import { parse } from "../misuse.ts";
import {
  accountOf,
  type NumberToRent,
  numberShape,
  registerSender,
  releaseNumber,
  removeSender,
  rentNumber,
  senderShape,
} from "../portal/account.ts";
import type { Service } from "../service/service.ts";
import type { Account, Mail } from "../state/account.ts";

const named = z.strictObject({ name: senderShape });

/** The account that all applications share. */
export interface SandboxAccount {
  get(): Account;
  /**
   * Registers a sender ID, for all applications.
   *
   * @throws TypeError when it is none; SandboxError `sender_taken`
   */
  registerSender(name: string): void;
  /** Takes a sender ID back. @throws SandboxError `sender_unknown` */
  removeSender(name: string): void;
  /**
   * Rents a number for one application: a mobile number with voice and SMS, unless told otherwise.
   *
   * @throws TypeError naming what is wrong; SandboxError `number_taken`, `application_unknown`
   */
  rentNumber(number: NumberToRent): void;
  /** Releases a rented number. @throws SandboxError `number_unknown` */
  releaseNumber(phone: string): void;
  /** Lists the mails to the owner, the oldest first. They leave the sandbox on no other way. */
  mails(): readonly Mail[];
}

/** Creates the account over the state. */
export function createAccount(service: Service): SandboxAccount {
  return {
    get: () => accountOf(service),
    registerSender: (name) => registerSender(service, parse("registerSender", named, { name }).name),
    removeSender: (name) => removeSender(service, name),
    rentNumber: (number) => rentNumber(service, parse("rentNumber", numberShape, number)),
    releaseNumber: (phone) => releaseNumber(service, phone),
    mails: () => [...service.state.mails.all()],
  };
}
