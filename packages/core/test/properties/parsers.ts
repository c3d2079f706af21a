import { clientAddressProperties } from "./client-address.ts";
import { contentTypeProperties } from "./content-type.ts";
import { cookieProperties } from "./cookie.ts";
import { eventProperties } from "./event.ts";
import { instantProperties } from "./instant.ts";
import { languageProperties } from "./language.ts";
import { loginBodyProperties } from "./login-body.ts";
import { ownPathProperties } from "./own-path.ts";
import { phoneNumberProperties } from "./phone-number.ts";
import type { ParserProperty } from "./property.ts";
import { signatureProperties } from "./signature.ts";
import { typedCodeProperties } from "./typed-code.ts";

/** The properties of every parser that meets the network, by what the parser reads. */
export const parserProperties: Readonly<Record<string, readonly ParserProperty[]>> = {
  "phone number": phoneNumberProperties,
  "typed code": typedCodeProperties,
  "login body": loginBodyProperties,
  language: languageProperties,
  "client address": clientAddressProperties,
  "content type": contentTypeProperties,
  cookie: cookieProperties,
  "own path": ownPathProperties,
  "signature header": signatureProperties,
  event: eventProperties,
  instant: instantProperties,
};
