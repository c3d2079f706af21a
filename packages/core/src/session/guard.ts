import type { Clock } from "../clock.ts";
import type { Admission, HttpRequest, HttpResponse } from "../http/exchange.ts";
import { noStore, refuse } from "../http/problem.ts";
import type { Sessions } from "./sessions.ts";

/** What a guarded route asks for. */
export interface GuardOptions {
  /** Where a browser that navigates is sent to log in, with its way back in `next`. Everyone else gets 401. */
  readonly loginPage?: string;
  /** The phone number must have been proven this recently, at login or by a step-up. */
  readonly provenWithinSeconds?: number;
}

/**
 * Decides who may pass a guarded route.
 *
 * Refusals: `login_required`, and `proof_required` when the last proof is too old.
 */
export function createGuard<User>(
  { sessions, clock }: { readonly sessions: Sessions<User>; readonly clock: Clock },
  { loginPage, provenWithinSeconds }: GuardOptions,
): (request: HttpRequest) => Promise<Admission<User>> {
  return async (request) => {
    const login = await sessions.current(request);
    if (!login)
      return { refusal: loginPage && isNavigation(request) ? toPage(loginPage, request) : refuse("login_required") };
    const proofAgeSeconds = (clock.now() - login.provenAt) / 1000;
    if (provenWithinSeconds !== undefined && proofAgeSeconds > provenWithinSeconds)
      return { refusal: refuse("proof_required") };
    return { login };
  };
}

function isNavigation({ method, headers }: HttpRequest): boolean {
  return (method === "GET" || method === "HEAD") && String(headers.accept ?? "").includes("text/html");
}

function toPage(loginPage: string, { path, query }: HttpRequest): HttpResponse {
  const next = encodeURIComponent(query === "" ? path : `${path}?${query}`);
  const join = loginPage.includes("?") ? "&" : "?";
  return {
    status: 303,
    code: "login_required",
    headers: { location: `${loginPage}${join}next=${next}`, ...noStore },
    cookies: [],
  };
}
