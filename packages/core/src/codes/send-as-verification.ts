import type { ServiceClient } from "../service/client.ts";
import { channelsOnWire, type Template, templateOnWire } from "./code-strategy.ts";
import type { SendOutgoingCode } from "./outgoing-code.ts";

/**
 * Creates the sender that has the service word and send a code of the app.
 *
 * @see "Verification request" of the specification, `custom_otp`
 */
export function sendAsVerification(
  template: Template | undefined,
  verifications: ServiceClient["verifications"],
): SendOutgoingCode {
  return async ({ phone, code, channels }) => {
    const { verificationId } = await verifications.create({
      recipient: phone,
      ...(template !== undefined && { template: templateOnWire(template) }),
      channels: channelsOnWire(channels),
      custom_otp: code,
    });
    return { verificationId };
  };
}
