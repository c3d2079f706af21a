import { z } from "zod";
import { phoneShape } from "../primitives/phone-number.ts";
import { SandboxError } from "../primitives/sandbox-error.ts";
import { parse } from "../primitives/usage-error.ts";
import { accountOf, type Service } from "../service/service.ts";
import type { RentedNumber } from "../state/account.ts";

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

/**
 * Rents a number for exactly one application.
 *
 * @param number - a {@link NumberToRent} from a program, a request or a form.
 * @throws UsageError when it is invalid; SandboxError `number_taken` when it is rented already; `application_unknown`
 * @see "Platform concepts" of the specification
 */
export function rentNumber(service: Service, number: unknown): void {
  const rented = parse("rentNumber", numberToRent, number);
  const account = accountOf(service);
  if (!service.state.applications.get(rented.applicationId)) {
    throw new SandboxError("application_unknown", "There is no such application.", { field: "applicationId" });
  }
  if (account.numbers.some(({ phone }) => phone === rented.phone)) {
    const message = "This number is already rented. Release it first.";
    throw new SandboxError("number_taken", message, { field: "phone" });
  }
  service.state.accounts.put({ ...account, numbers: [...account.numbers, rented] });
}

/** Releases a rented number. @throws SandboxError `number_unknown` */
export function releaseNumber(service: Service, phone: string): void {
  const account = accountOf(service);
  const numbers = account.numbers.filter((number) => number.phone !== phone);
  if (numbers.length === account.numbers.length) {
    throw new SandboxError("number_unknown", "This number is not rented.");
  }
  service.state.accounts.put({ ...account, numbers });
}
