import { PhoneLogin } from "./element/phone-login.ts";

export type { PhoneLoginClient } from "./client/create-phone-login.ts";
export type { Purpose } from "./client/wire.ts";
export type { PhoneLoginEventName, PhoneLoginEvents } from "./element/events.ts";
export { de } from "./strings/de.ts";
export { en } from "./strings/en.ts";
export { es } from "./strings/es.ts";
export { fr } from "./strings/fr.ts";
export { it } from "./strings/it.ts";
export { pl } from "./strings/pl.ts";
export { ptBR } from "./strings/pt-br.ts";
export type { Sentence, Strings, StringsOverride } from "./strings/strings.ts";
export { tr } from "./strings/tr.ts";
export type { ConsentLine } from "./view/view.ts";
export { PhoneLogin };

declare global {
  interface HTMLElementTagNameMap {
    "phone-login": PhoneLogin;
  }
}

/**
 * Defines the element under a name. Does nothing if the name is defined already, by another copy of the package too.
 *
 * @param name - with a hyphen, as every element of one's own.
 */
export function definePhoneLogin(name = "phone-login"): void {
  // A class can be defined under one name only, so each name has a separate class.
  if (customElements.get(name) === undefined) customElements.define(name, class extends PhoneLogin {});
}
