import { z } from "zod";
import type { Clock } from "../clock.ts";
import { isDoorcodeError } from "../errors.ts";
import { parseOptions } from "../parse-options.ts";
import type { Login, Sessions } from "../session/sessions.ts";
import type { HttpRequest, HttpResponse } from "./exchange.ts";
import { ownPage, seeOther, withQuery } from "./pages.ts";
import { problem, refuse } from "./problem.ts";

/** What a guarded route asks for. */
export interface GuardOptions {
  /** Where a browser that navigates is sent to log in, with its way back in `next`. Everyone else gets 401. */
  readonly loginPage?: string;
  /** The phone number must have been proven this recently, at login or by a step-up. */
  readonly provenWithinSeconds?: number;
}

/** What a guard decided: the login of the request, or the answer that refuses it. */
export type Admission<User> = { readonly login: Login<User> } | { readonly refusal: HttpResponse };

/** As much of a request as a guard looks at. */
export type GuardedRequest = Pick<HttpRequest, "method" | "path" | "query" | "headers">;

const optionsShape: z.ZodType<GuardOptions> = z.strictObject({
  loginPage: ownPage.exactOptional(),
  provenWithinSeconds: z.number("expected a number of seconds").positive("expected seconds above 0").exactOptional(),
});

/** What the guard asks. */
export interface GuardParts<User> {
  readonly sessions: Sessions<User>;
  readonly clock: Clock;
}

/**
 * Decides who may pass a guarded route. It refuses with `login_required`, with `proof_required` when the last proof is too
 * old or there was none, and with `store_unavailable`. What `loadUser` throws rejects.
 *
 * @throws TypeError for a wrong option: a limit that is no number must not let everybody pass
 */
export function createGuard<User>(
  { sessions, clock }: GuardParts<User>,
  options: GuardOptions,
): (request: GuardedRequest) => Promise<Admission<User>> {
  const { loginPage, provenWithinSeconds } = parseOptions("requireLogin", optionsShape, options);

  async function admit(request: GuardedRequest): Promise<Admission<User>> {
    const login = await sessions.current(request);
    if (!login) return { refusal: askToLogIn(loginPage, request) };
    if (provenWithinSeconds !== undefined && !isProven(login, provenWithinSeconds)) {
      return { refusal: refuse("proof_required") };
    }
    return { login };
  }

  function isProven({ provenAt }: Login<User>, withinSeconds: number): boolean {
    return provenAt !== undefined && clock.now() - provenAt <= withinSeconds * 1000;
  }

  return (request) =>
    admit(request).catch((error: unknown) => {
      if (isDoorcodeError(error)) return { refusal: problem(error) };
      throw error;
    });
}

function askToLogIn(loginPage: string | undefined, request: GuardedRequest): HttpResponse {
  if (loginPage === undefined || !isNavigation(request)) return refuse("login_required");
  const { path, query } = request;
  const next = query === "" ? path : `${path}?${query}`;
  return { ...seeOther(withQuery(loginPage, { next }), []), code: "login_required" };
}

function isNavigation({ method, headers }: GuardedRequest): boolean {
  return (method === "GET" || method === "HEAD") && String(headers.accept ?? "").includes("text/html");
}
