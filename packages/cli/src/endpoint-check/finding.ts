/** The code of a {@link Finding}. Codes are stable: compare codes, never texts. */
export type FindingCode =
  // The endpoint works
  | "accepted"
  | "wrong_signature_refused"
  | "old_timestamp_refused"
  // It accepts what it must refuse
  | "wrong_signature_accepted"
  | "old_timestamp_accepted"
  // Something else stands at the URL, or in front of the endpoint
  | "redirect"
  | "authentication"
  | "rate_limited"
  | "no_endpoint"
  | "wrong_method"
  | "web_page"
  | "app_unreachable"
  // The endpoint refuses the test delivery, or fails
  | "body_already_read"
  | "wrong_secret"
  | "clock_off"
  | "too_slow"
  | "slow"
  | "unexpected_answer"
  // There is no connection
  | "not_https"
  | "unknown_host"
  | "connection_refused"
  | "connection_failed"
  | "certificate_expired"
  | "certificate_self_signed"
  | "certificate_of_other_host"
  | "certificate_untrusted"
  | "no_tls";

/** One result of an endpoint check. */
export interface Finding {
  /** The stable code. */
  readonly code: FindingCode;
  /** `problem`: deliveries fail, or forged ones are accepted. `warning`: deliveries may fail. `ok`: nothing to do. */
  readonly level: "ok" | "warning" | "problem";
  /** What was found, as one sentence. It holds no secret. */
  readonly text: string;
  /** What to do, as one or two sentences; undefined if there is nothing to do. */
  readonly fix: string | undefined;
}

/** Creates a finding of something that works. */
export function ok(code: FindingCode, text: string): Finding {
  return { code, level: "ok", text, fix: undefined };
}

/** Creates a finding of something that may fail. */
export function warning(code: FindingCode, text: string, fix: string): Finding {
  return { code, level: "warning", text, fix };
}

/** Creates a finding of something that fails. */
export function problem(code: FindingCode, text: string, fix: string): Finding {
  return { code, level: "problem", text, fix };
}
