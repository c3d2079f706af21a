import type { LoginPage } from "@doorcode/core";
import { phoneLoginScript, phoneLoginStyle } from "#bundle";
import type { StringsOverride } from "../strings/strings.ts";
import { type ConsentOptions, checkConsent, consentWordings } from "./consent-line.ts";
import { escapeHtml } from "./html.ts";
import { pageStrings } from "./page-strings.ts";
import { preferredLanguage } from "./preferred-language.ts";
import { renderPhoneLogin } from "./render-phone-login.ts";

/** Options of {@link loginPage}. */
export interface LoginPageOptions {
  /** The title and the heading of the page. Default: the words of its button, such as "Log in". */
  readonly title?: string;
  /** The path of this site to go to after the login. Default: `/`. */
  readonly done?: string;
  /** The BCP 47 tag of the page's language. Default: the language that the browser prefers, if the package has it, else English. */
  readonly lang?: string;
  /** Words that replace those of the language. */
  readonly strings?: StringsOverride;
  /** The path of a style sheet of your app, which the page loads after its own. */
  readonly stylesheet?: string;
  /** The id of a form in `content`, which gets the proof of a `verify` as a field named `proof`. */
  readonly form?: string;
  /** Your own HTML below the element. It is not escaped. */
  readonly content?: string;
  /** The line of consent below the number, for people in the USA and Canada. Default: without links. `false`: none. */
  readonly consent?: ConsentOptions | false;
  /** Your own HTML of a challenge. It is not escaped. */
  readonly challenge?: string;
}

const optionNames: Readonly<Record<keyof LoginPageOptions, true>> = {
  title: true,
  done: true,
  lang: true,
  strings: true,
  stylesheet: true,
  form: true,
  content: true,
  consent: true,
  challenge: true,
};

/** The page around the element: one column in the middle, in the colors of the system. */
const pageStyle = `
:root { color-scheme: light dark }
body { margin: 0; background: light-dark(#fff, #16171c); color: light-dark(#16181d, #f2f3f5); font: 1rem / 1.5 system-ui, sans-serif }
main { box-sizing: border-box; max-width: 26.5rem; margin: 0 auto; padding: clamp(1.25rem, 10vh, 6rem) 1.25rem }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25 }`;

/**
 * Creates the page of a login, which the mount serves with its script and its style:
 * `phoneLogin(doorcode, { page: loginPage({ done: "/account" }) })`.
 *
 * The page shows the state of the browser's login, works without a script, and needs neither an inline script nor an inline style.
 * An app that renders its own page uses {@link renderPhoneLogin} instead.
 *
 * @throws TypeError for an unknown option, and for a link of `consent` that is neither a path nor an https address.
 * @example
 * import { loginPage } from "@doorcode/browser/server";
 * const page = loginPage({ done: "/account" });
 */
export function loginPage(options: LoginPageOptions = {}): LoginPage {
  const { done = "/", consent = {}, lang, strings } = options;
  checkNames(options);
  checkConsent("loginPage", consent);
  return {
    done,
    consents: consentWordings(consent, lang, strings),
    files: {
      "/page.js": { contentType: "text/javascript; charset=utf-8", text: phoneLoginScript },
      "/page.css": { contentType: "text/css; charset=utf-8", text: phoneLoginStyle + pageStyle },
    },
    render: (shown) => renderPage(options, shown),
  };
}

function checkNames(options: LoginPageOptions): void {
  const unknown = Object.keys(options).filter((name) => !(name in optionNames));
  if (unknown.length === 0) return;
  const names = Object.keys(optionNames).join(", ");
  throw new TypeError(`loginPage: unknown option ${unknown.join(", ")}; the options are ${names}.`);
}

type ShownLogin = Parameters<LoginPage["render"]>[0];

function renderPage(options: LoginPageOptions, shown: ShownLogin): string {
  const { done = "/", stylesheet, content = "" } = options;
  const lang = options.lang ?? preferredLanguage(shown.acceptLanguage);
  const title = escapeHtml(options.title ?? pageStrings(lang, options.strings).strings.confirm[shown.purpose]);
  const offered = shown.offer.countries.map(({ country }) => country);
  // The words have no region. The element begins with the country of the browser's region.
  const regional = options.lang ?? preferredLanguage(shown.acceptLanguage, offered);
  const element = renderPhoneLogin({ ...options, ...shown, lang: regional, done });
  const path = escapeHtml(shown.basePath);
  const own = stylesheet === undefined ? "" : `\n<link rel="stylesheet" href="${escapeHtml(stylesheet)}">`;
  return `<!doctype html>
<html lang="${escapeHtml(lang)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${path}/page.css">${own}
<script type="module" src="${path}/page.js"></script>
</head>
<body><main><h1>${title}</h1>${element}${content}</main></body>
</html>`;
}
