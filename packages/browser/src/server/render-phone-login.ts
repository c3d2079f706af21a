import { isRecord } from "../client/problem.ts";
import { timed } from "../client/timed-state.ts";
import type { LoginOffer, LoginState, Purpose } from "../client/wire.ts";
import type { StringsOverride } from "../strings/strings.ts";
import { refineProblem } from "../view/countries.ts";
import { type QueryProblem, shownProblem, writeInitial } from "../view/initial.ts";
import { h } from "../view/node.ts";
import { ownPath } from "../view/own-path.ts";
import { page } from "../view/page.ts";
import { fieldOf, type Step, stepOf, type View } from "../view/view.ts";
import { languageOf } from "../view/words.ts";
import { type ConsentOptions, checkConsent, consentLine } from "./consent-line.ts";
import { toHtml } from "./html.ts";
import { pageStrings } from "./page-strings.ts";

/** Options of {@link renderPhoneLogin}. */
export interface RenderOptions {
  /** The state of the browser's login: `await login.state(req)`. */
  readonly state: LoginState;
  /** What the login offers: `login.offer`. */
  readonly offer: LoginOffer;
  /** The path of the mount, such as `/login`. */
  readonly basePath: string;
  /** The query of the page. A form that was refused comes back with `problem` and `retryAfterSeconds` in it, and with `next`. */
  readonly query?: unknown;
  /** The purpose of the mount. Default: `login`. */
  readonly purpose?: Purpose;
  /** The BCP 47 tag of the page's language. Default: `en`. */
  readonly lang?: string;
  /** Words that replace those of the language. */
  readonly strings?: StringsOverride;
  /** The path of this site to go to after the login. Default: `next` of the query. */
  readonly next?: string;
  /** The path to go to without `next`, for the element: `forms.done` of the mount. Default: `/`. */
  readonly done?: string;
  /** The id of the form of your app that gets the proof of a `verify`, as a field named `proof`. */
  readonly form?: string;
  /** The line of consent below the number, for people in the USA and Canada. Default: without links. `false`: none. */
  readonly consent?: ConsentOptions | false;
  /** The app's own HTML of a challenge, which is not escaped. */
  readonly challenge?: string;
}

/**
 * Renders `<phone-login>` for a state: plain forms that work without a script, and that the element takes over as they are.
 *
 * Every text is escaped, but for `challenge`. The result holds no script and no style.
 *
 * @throws TypeError without a state, an offer or a path, naming it and the fix.
 * @example
 * import { renderPhoneLogin } from "@doorcode/browser/server";
 * const offer = { countries: [{ country: "DE", callingCode: "49", example: "01512 3456789" }], codeLength: 6 };
 * const html = renderPhoneLogin({ state: { status: "none", version: "0" }, offer, basePath: "/login" });
 */
export function renderPhoneLogin(options: RenderOptions): string {
  checkOptions(options);
  const { state, offer, purpose = "login", done, form, challenge = "" } = options;
  const { consent: consentOptions = {} } = options;
  const query = isRecord(options.query) ? options.query : {};
  // Below a wildcard route the path may begin with two slashes: then it would be the address of another host.
  const basePath = options.basePath.replace(/\/+$/, "").replace(/^[/\\]+/, "/");
  const next = ownPath(options.next ?? textOf(query.next));
  const language = languageOf(options.lang ?? "en");
  const { strings, sent } = pageStrings(language, options.strings);
  const offered = offer.countries.map(({ country }) => country);
  const consent = consentLine(consentOptions, strings, offered);
  const now = Date.now();
  const shown = { state: timed(state, undefined, now), purpose, live: undefined };
  const problem = problemNow(problemIn(query), stepOf(shown), state);
  // Who comes back later begins with an empty field.
  const typed = problem && "typed" in state ? state.typed : undefined;
  const href = options.query === undefined ? "" : addressOf(query);
  const checkLink = h("a", { part: "check-link", href }, strings.checkDelivery);
  const view: View = {
    ...shown,
    offer,
    basePath,
    language,
    strings,
    next,
    form,
    problem:
      problem &&
      refineProblem(shownProblem(problem, now), typed?.phone ?? "", { offer, language, live: undefined, typed }),
    consent,
    typed,
    checkLink: state.status === "code_sent" && state.delivery?.status !== "delivered" ? checkLink : undefined,
    challenge,
    now,
  };
  const element = h(
    "phone-login",
    {
      "base-path": basePath,
      purpose: purpose === "login" ? undefined : purpose,
      lang: options.lang && language,
      next,
      done: ownPath(done),
      form,
      "data-initial": writeInitial({ state, offer, strings: sent, consent, problem }),
    },
    page(view),
  );
  return toHtml(element);
}

/** Checks what a page without types gets wrong: a promise that was not awaited, and a forgotten member. */
function checkOptions({ state, offer, basePath, consent = {} }: Partial<RenderOptions>): void {
  const wrong = (option: string, fix: string) => new TypeError(`renderPhoneLogin: ${option}: expected ${fix}.`);
  if (typeof state?.status !== "string") throw wrong("state", "the state: await login.state(req)");
  if (!Array.isArray(offer?.countries))
    throw wrong("offer", "login.offer, where login is the return value of phoneLogin");
  if (typeof basePath !== "string") throw wrong("basePath", 'the path of the mount, such as "/login"');
  checkConsent("renderPhoneLogin", consent);
}

/** Reads the problem of a redirected form. Anybody can write a query, so only a known form of it is taken. */
function problemIn({ problem, retryAfterSeconds }: Readonly<Record<string, unknown>>): QueryProblem | undefined {
  const code = textOf(problem);
  if (code === undefined || !/^[a-z_.]{1,40}$/.test(code)) return undefined;
  const seconds = textOf(retryAfterSeconds);
  const hasTime = seconds !== undefined && /^\d{1,7}$/.test(seconds);
  return { code: code as QueryProblem["code"], ...(hasTime && { retryAfterSeconds: Number(seconds) }) };
}

/** Returns the address of the page without the problem of a refused form. */
function addressOf({ problem, retryAfterSeconds, ...query }: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return `?${new URLSearchParams(texts)}`;
}

/** Returns what is still true of a problem: the address that holds it may be shown again later, and the last attempt ends the login. */
function problemNow(problem: QueryProblem | undefined, step: Step, state: LoginState): QueryProblem | undefined {
  if (!problem || (step === "done" && isOfOpenLogin(problem))) return undefined;
  if (fieldOf(problem) !== "code") return problem;
  if (state.status !== "code_sent") return { code: "code_expired" };
  // A code of another length has used no attempt.
  return problem.code === "code_malformed" ? problem : { ...problem, attemptsLeft: state.attemptsLeft };
}

/** Tells whether a problem is about a number or a code to enter, so that it is wrong once the person is logged in. */
function isOfOpenLogin(problem: QueryProblem): boolean {
  return fieldOf(problem) !== undefined || problem.code === "no_transaction";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
