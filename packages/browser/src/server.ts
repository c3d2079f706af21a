import * as bundle from "#bundle";

export type { Purpose } from "./client/wire.ts";
export type { ConsentOptions } from "./server/consent-line.ts";
export { type LoginPageOptions, loginPage } from "./server/login-page.ts";
export { stringsOf } from "./server/page-strings.ts";
export { preferredLanguage } from "./server/preferred-language.ts";
export { type RenderOptions, renderPhoneLogin } from "./server/render-phone-login.ts";
export type { Sentence, Strings, StringsOverride } from "./strings/strings.ts";

// With their types written out, because a compiler with node10 resolution cannot follow `#bundle`.

/** The text of the module that defines `<phone-login>`, with all that it needs: for an app without a bundler. */
export const phoneLoginScript: string = bundle.phoneLoginScript;
/** The text of the style sheet. */
export const phoneLoginStyle: string = bundle.phoneLoginStyle;
