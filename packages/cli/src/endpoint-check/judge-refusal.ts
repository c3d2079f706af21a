import { type Finding, problem } from "./finding.ts";
import type { DeliveryAnswer } from "./post-delivery.ts";

/** The longest text of the endpoint that a finding repeats. */
const maxQuoted = 200;

const problemsUrl = "https://github.com/doorcode/doorcode/blob/main/docs/problems.md";

/**
 * Names the reason why a correct delivery was not accepted.
 *
 * The kit's refusals have a stable code. Any other answer comes from something in front of the kit, or from an app without it.
 */
export function judgeRefusal(answer: DeliveryAnswer, url: string): Finding {
  const code = codeOf(answer);
  if (code !== undefined) return judgeCode(code, answer);
  if (answer.status >= 300 && answer.status < 400) return judgeRedirect(answer, url);
  return judgeStatus(answer, url);
}

/** Tells whether the answer is a page for people. */
export function isWebPage({ headers }: DeliveryAnswer): boolean {
  return /^text\/html\b/i.test(headers["content-type"] ?? "");
}

/** Reads the code of a refusal by the kit. */
function codeOf({ headers, body }: DeliveryAnswer): string | undefined {
  if (!headers["content-type"]?.startsWith("application/problem+json")) return undefined;
  return /"code":"([a-z_]{1,40})"/.exec(body)?.[1];
}

function judgeCode(code: string, { status }: DeliveryAnswer): Finding {
  if (code === "signature_invalid") {
    return problem(
      "wrong_secret",
      "The endpoint refuses the signature (401 signature_invalid).",
      "Give this check and the app the same WEBHOOK_SECRET, the signing secret of the application in the portal.",
    );
  }
  if (code === "body_already_read") {
    return problem(
      "body_already_read",
      "A body parser reads the delivery before Doorcode, which needs the exact bytes (500 body_already_read).",
      "Mount webhooks(doorcode) above express.json() and every other body parser.",
    );
  }
  return problem(
    "unexpected_answer",
    `Doorcode answers ${status} ${code}.`,
    `Look the code up in ${problemsUrl}, and read the log of the app.`,
  );
}

function judgeRedirect({ status, headers }: DeliveryAnswer, url: string): Finding {
  const target = URL.parse(headers.location ?? "", url);
  if (!target?.protocol.startsWith("http")) {
    return problem("redirect", `The URL redirects (${status}).`, "Register the URL that answers without a redirect.");
  }
  // The origin and the path: a query may carry a token.
  const place = quote(`${target.origin}${target.pathname}`);
  if (/log-?in|sign-?in|auth|sso|accounts?\b/i.test(`${target.hostname}${target.pathname}`)) {
    return authentication(`The URL redirects to a login (${status} to ${place}).`);
  }
  return problem(
    "redirect",
    `The URL redirects (${status} to ${place}), and the service follows no redirects.`,
    `Register ${place}.`,
  );
}

function judgeStatus(answer: DeliveryAnswer, url: string): Finding {
  const { status, headers } = answer;
  const { pathname } = new URL(url);
  const scheme = headers["www-authenticate"];
  if (scheme !== undefined) return authentication(`Something asks for a password (${status} ${quote(scheme)}).`);
  if (status === 401 && !isWebPage(answer) && answer.body === "") {
    return problem(
      "wrong_secret",
      "The endpoint answers a bare 401.",
      "If the app verifies deliveries itself, give it and this check the same secret. Otherwise let POST requests to " +
        "this path pass the authentication in front of it.",
    );
  }
  if (status === 401 || status === 403 || status === 407) {
    return authentication(`Something in front of the endpoint refuses the delivery (${status}).`);
  }
  if (status === 429) {
    return problem(
      "rate_limited",
      "A rate limiter in front of the endpoint refuses the delivery (429).",
      "Exempt this path from the limiter, such as with its `skip` option, or mount webhooks(doorcode) above it: the service sends " +
        "many deliveries from few addresses, and their signatures authenticate them.",
    );
  }
  if (status === 404 || status === 410) {
    return problem(
      "no_endpoint",
      `There is no endpoint at ${pathname} (${status}).`,
      "Correct the path of the URL, or mount webhooks(doorcode) there, and deploy it.",
    );
  }
  if (status === 405 || status === 501) {
    const allowed = headers.allow === undefined ? "" : `; it allows ${quote(headers.allow)}`;
    return problem(
      "wrong_method",
      `${pathname} does not accept POST (${status}${allowed}).`,
      "Mount webhooks(doorcode) there: it must receive POST requests.",
    );
  }
  if (status >= 502 && status <= 504) {
    return problem(
      "app_unreachable",
      `A proxy answers in place of the app (${status}).`,
      "Start the app, and check the address to which the proxy forwards this path.",
    );
  }
  return problem(
    "unexpected_answer",
    `The answer is ${status}, and not from Doorcode.`,
    "Find in the log of the app what answers there. Mount webhooks(doorcode) above everything that may fail.",
  );
}

function authentication(text: string): Finding {
  return problem(
    "authentication",
    text,
    "Let POST requests to this path pass without a login, CSRF token or challenge: the signature authenticates them.",
  );
}

/** Only printable ASCII: the text of a stranger must not control a terminal. */
function quote(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, maxQuoted);
}
