export { phoneLoginScript, phoneLoginStyle } from "#bundle";
export { type RenderOptions, renderPhoneLogin } from "./server/render-phone-login.ts";
export type { Purpose, Sentence, Strings, StringsOverride } from "./strings/strings.ts";
