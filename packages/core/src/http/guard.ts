import { z } from "zod";
import {
  type AcceptedProof,
  type AppSession,
  isRecentlyProven,
  type ProvenBy,
  provenByValues,
} from "../login/account.ts";
import type { RememberedBrowsers } from "../sessions/remembered-browsers.ts";
import type { AppSessionReader } from "../sessions/session-source.ts";
import {
  bearerChallenge,
  createDeviceCarriers,
  type KitCookie,
  type Transport,
  transportOf,
} from "../sessions/transport.ts";
import type { Clock } from "../util/clock.ts";
import { type ErrorCode, isDoorcodeError } from "../util/errors.ts";
import { parseOptions, strictOptions } from "../util/parse-options.ts";
import { ownPage, problem, refuse, seeOther, withQuery } from "./answers.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";

/** Options of `requireLogin`. */
export interface GuardOptions {
  /** The page to which a navigating browser is redirected, with its way back in `next`. Other clients get 401. */
  readonly loginPage?: string;
  /** The maximum age, in seconds, of the session's newest proof: by the login, by a step-up or by `session.start`. */
  readonly provenWithinSeconds?: number;
  /** The proofs that count for `provenWithinSeconds`; `stepUpPage` must offer one of them. Default: `["phone"]`. */
  readonly by?: readonly ProvenBy[];
  /**
   * Whether a browser passes without a recent proof that its person has chosen to be remembered: see `rememberSeconds` of a step-up.
   * Not for what must not happen while a phone lies unlocked on a table. Default: false.
   */
  readonly orRemembered?: boolean;
  /** The page of the step-up, to which a navigating browser is redirected for a new proof, likewise. Other clients get 403. */
  readonly stepUpPage?: string;
  /** Left out, for the kit's sessions. An app with its own sessions has {@link AppSessionGuardOptions}. */
  readonly session?: undefined;
}

/** Options of `requireLogin` in an app with its own sessions. */
export interface AppSessionGuardOptions<ReadContext> extends Omit<GuardOptions, "session"> {
  /** The app's own sessions: the object that `phoneLogin` gets. The guard calls `current`. */
  readonly session: AppSessionReader<ReadContext>;
}

/** The decision of a guard: the session of the request, or the answer that refuses it. */
export type GuardResult<Held> = { readonly session: Held } | { readonly refusal: HttpResponse };

/** The part of a request that a guard reads. */
export type GuardedRequest = Pick<HttpRequest, "method" | "path" | "query" | "headers">;

const expectedBy = 'expected a list of "phone", "passkey" or both';

const optionsShape: z.ZodType<Omit<GuardOptions, "session">> = strictOptions({
  loginPage: ownPage.exactOptional(),
  provenWithinSeconds: z.number("expected a number of seconds").positive("expected seconds above 0").exactOptional(),
  by: z.array(z.enum(provenByValues, expectedBy), expectedBy).min(1, expectedBy).exactOptional(),
  orRemembered: z.boolean("expected true or false").exactOptional(),
  stepUpPage: ownPage.exactOptional(),
});

/** The dependencies of a guard. */
export interface GuardDeps {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly deviceCookie: KitCookie;
  /** Undefined without a login. */
  readonly rememberedBrowsers: RememberedBrowsers | undefined;
}

/**
 * Creates the guard of a route. Besides its refusals it rejects as `loadUser` or the app's `session.current` does.
 *
 * @throws TypeError for a wrong option: a limit that is not a number must not let every request pass
 */
export function createGuard<Held extends AppSession, ReadContext>(
  current: (request: GuardedRequest, context: ReadContext) => Promise<Held | undefined>,
  { transport, clock, deviceCookie, rememberedBrowsers }: GuardDeps,
  options: Omit<GuardOptions, "session">,
): (request: GuardedRequest, context: ReadContext) => Promise<GuardResult<Held>> {
  const checked = parseOptions("requireLogin", optionsShape, options);
  const { loginPage, provenWithinSeconds, by, stepUpPage, orRemembered } = checked;
  checkProofOptions(checked, rememberedBrowsers);
  const deviceCarriers = createDeviceCarriers(deviceCookie);

  /** Tells whether the browser of a request is remembered. Only a session without a recent proof is asked about, so most requests are not. */
  async function isRemembered({ headers }: GuardedRequest, { userId }: Held): Promise<boolean> {
    if (!orRemembered || !rememberedBrowsers) return false;
    const deviceId = deviceCarriers[transportOf(transport, headers)].read(headers);
    return deviceId !== undefined && rememberedBrowsers.includes(userId, deviceId);
  }
  const accepted: AcceptedProof | undefined =
    provenWithinSeconds === undefined ? undefined : { withinSeconds: provenWithinSeconds, by: by ?? ["phone"] };

  return async (request, context) => {
    try {
      const session = await current(request, context);
      if (!session) {
        const challenge = bearerChallenge(transport, request.headers);
        return { refusal: sendTo(loginPage, "login_required", request, challenge) };
      }
      const isProven = !accepted || isRecentlyProven(session, clock.now(), accepted);
      if (!isProven && !(await isRemembered(request, session))) {
        return { refusal: sendTo(stepUpPage, "proof_required", request) };
      }
      return { session };
    } catch (error) {
      if (isDoorcodeError(error)) return { refusal: problem(error) };
      throw error;
    }
  };
}

/** Holds the options that say more about a recent proof to what they need. */
function checkProofOptions(
  { provenWithinSeconds, by, orRemembered, stepUpPage }: GuardOptions,
  rememberedBrowsers: RememberedBrowsers | undefined,
): void {
  const needAge = [
    ["by", by, "the maximum age of the proofs that count"],
    ["orRemembered", orRemembered, "the age of a proof that it spares"],
    ["stepUpPage", stepUpPage, "the age of a proof that sends a browser there"],
  ] as const;
  for (const [option, value, why] of needAge) {
    if (value && provenWithinSeconds === undefined) {
      throw new TypeError(`requireLogin: ${option} needs provenWithinSeconds, ${why}.`);
    }
  }
  if (!orRemembered) return;
  if (!rememberedBrowsers) {
    throw new TypeError(
      "requireLogin: orRemembered needs login, whose step-up remembers browsers: add it to createDoorcode.",
    );
  }
  if (by && !by.includes("phone")) {
    throw new TypeError('requireLogin: orRemembered stands for a proof by phone: add "phone" to by, or leave it out.');
  }
}

/** Sends a navigating browser to a page, with its way back. Any other client is refused. */
function sendTo(
  page: string | undefined,
  code: ErrorCode,
  request: GuardedRequest,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  const { method, path, query } = request;
  const isNavigation = (method === "GET" || method === "HEAD") && String(request.headers.accept).includes("text/html");
  if (page === undefined || !isNavigation) return refuse(code, {}, headers);
  return seeOther(withQuery(page, { next: query === "" ? path : `${path}?${query}` }));
}
