import { z } from "zod";
import {
  type AcceptedProof,
  type AppSession,
  isRecentlyProven,
  type ProvenBy,
  provenByValues,
} from "../login/account.ts";
import type { AppSessionReader } from "../sessions/session-source.ts";
import { bearerChallenge, type Transport } from "../sessions/transport.ts";
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
  stepUpPage: ownPage.exactOptional(),
});

/**
 * Creates the guard of a route. It refuses with `login_required`, with `proof_required` if the newest proof is too old, missing, or
 * none of `by`, or with `store_unavailable`. It rejects if `loadUser` or the app's `session.current` throws, with the same error.
 *
 * @param current - returns the session of a request, the kit's own or the app's.
 * @throws TypeError for a wrong option: a limit that is not a number must not let every request pass
 */
export function createGuard<Held extends AppSession, ReadContext>(
  current: (request: GuardedRequest, context: ReadContext) => Promise<Held | undefined>,
  { transport, clock }: { readonly transport: Transport; readonly clock: Clock },
  options: Omit<GuardOptions, "session">,
): (request: GuardedRequest, context: ReadContext) => Promise<GuardResult<Held>> {
  const { loginPage, provenWithinSeconds, by, stepUpPage } = parseOptions("requireLogin", optionsShape, options);
  if (by !== undefined && provenWithinSeconds === undefined) {
    throw new TypeError("requireLogin: by needs provenWithinSeconds, the maximum age of the proofs that count.");
  }
  if (stepUpPage !== undefined && provenWithinSeconds === undefined) {
    throw new TypeError(
      "requireLogin: stepUpPage needs provenWithinSeconds, the age of a proof that sends a browser there.",
    );
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
      if (accepted && !isRecentlyProven(session, clock.now(), accepted)) {
        return { refusal: sendTo(stepUpPage, "proof_required", request) };
      }
      return { session };
    } catch (error) {
      if (isDoorcodeError(error)) return { refusal: problem(error) };
      throw error;
    }
  };
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
