import type { LoginBody } from "../http/login-body.ts";
import type { ErrorCode } from "../util/errors.ts";

/** One endpoint of a login, as its description has it. */
export interface LoginOperation {
  readonly path: string;
  readonly method: "get" | "post";
  readonly summary: string;
  /** The members of the body that the endpoint reads. */
  readonly body?: readonly (keyof LoginBody)[];
  /** The member without which it refuses. */
  readonly required?: keyof LoginBody;
  /** The names of the shapes that it answers with. */
  readonly answers: readonly string[];
  /** Its headers with a token. */
  readonly tokens: readonly ("Doorcode-Transport" | "Doorcode-Transaction" | "Doorcode-Device")[];
  /** Whether it looks at the session. */
  readonly readsSession: boolean;
  /** The codes of its refusals, beside those of every endpoint. */
  readonly refusals: readonly ErrorCode[];
}

const state = ["NoLoginState", "LoggedInState", "CodeSentState", "VerifiedState"];
const transaction = ["Doorcode-Transport", "Doorcode-Transaction"] as const;
const withDevice = [...transaction, "Doorcode-Device"] as const;

/** The refusals of every POST, before its handler is asked. */
const unread: readonly ErrorCode[] = [
  "foreign_origin",
  "transport_not_allowed",
  "media_type_unsupported",
  "body_malformed",
  "body_too_large",
  "body_too_slow",
  "body_already_read",
  "server_busy",
];

const sending: readonly ErrorCode[] = [
  "channel_not_allowed",
  "cooldown",
  "send_limit_reached",
  "number_range_closed",
  "client_limit_reached",
  "hourly_ceiling_reached",
  "daily_ceiling_reached",
  "cost_ceiling_reached",
  "challenge_required",
  "send_denied",
  "send_undecided",
  "send_failed",
  "service_unavailable",
  "service_rate_limited",
  "service_unauthorized",
  "service_invalid_request",
  "service_not_found",
  "service_unreadable",
  "sender_not_registered",
];

const underWay: readonly ErrorCode[] = [
  "no_transaction",
  "transaction_replaced",
  "transaction_busy",
  "code_expired",
  "attempts_exhausted",
  "session_changed",
];

/** The refusals of every endpoint. */
export const everywhere: readonly ErrorCode[] = ["host_not_allowed", "store_unavailable"];

/** The endpoints of a login. */
export const loginOperations: readonly LoginOperation[] = [
  {
    path: "/start",
    method: "post",
    summary: "Sends a code. For the number that is under way it sends nothing, and answers with the state.",
    body: ["phone", "country", "channel", "challenge", "language", "next"],
    answers: ["StartedLogin"],
    tokens: withDevice,
    readsSession: true,
    refusals: [
      ...unread,
      "phone_invalid",
      "country_not_allowed",
      "number_type_not_allowed",
      "login_required",
      "proof_required",
      ...sending,
    ],
  },
  {
    path: "/resend",
    method: "post",
    summary: "Sends a code again.",
    body: ["channel", "challenge", "transaction", "next"],
    answers: state,
    tokens: transaction,
    readsSession: true,
    refusals: [...unread, ...underWay, ...sending],
  },
  {
    path: "/confirm",
    method: "post",
    summary: "Confirms the code, and logs in. At a mount with the purpose `verify` it answers with a proof.",
    body: ["code", "transaction", "next"],
    required: "code",
    answers: ["ConfirmedLogin", "VerifiedState"],
    tokens: withDevice,
    readsSession: true,
    refusals: [
      ...unread,
      ...underWay,
      "code_malformed",
      "code_rejected",
      "newer_code_sent",
      "check_cooldown",
      "too_many_failures",
      "phone_closed",
      "client_limit_reached",
      "login_refused",
      "login_unfinished",
      "login_superseded",
      "session_too_large",
      "service_unavailable",
      "service_rate_limited",
    ],
  },
  {
    path: "/cancel",
    method: "post",
    summary: "Cancels the login under way.",
    body: ["transaction", "next"],
    answers: state,
    tokens: transaction,
    readsSession: true,
    refusals: [...unread, "transaction_replaced"],
  },
  {
    path: "/remove",
    method: "post",
    summary: "Removes a number from the account, at a mount with the purpose `link` whose app has `onRemove`.",
    body: ["phone", "country", "next"],
    required: "phone",
    answers: ["LoggedInState", "NoLoginState"],
    tokens: transaction,
    readsSession: true,
    refusals: [
      ...unread,
      "login_required",
      "proof_required",
      "phone_invalid",
      "last_way_in",
      "phone_unknown",
      "removal_busy",
      "removal_unfinished",
    ],
  },
  {
    path: "/logout",
    method: "post",
    summary: "Ends the session, and what is under way for any purpose. A `verify` has none.",
    body: ["next"],
    answers: ["NoLoginState"],
    tokens: transaction,
    readsSession: true,
    refusals: unread,
  },
  {
    path: "/state",
    method: "get",
    summary:
      "Reads the state of the login. With `after` and `waitSeconds` it answers when the state has another version.",
    answers: state,
    tokens: transaction,
    readsSession: true,
    refusals: [],
  },
  {
    path: "/offer",
    method: "get",
    summary: "Reads what the login offers: countries, channels and the length of codes.",
    answers: ["LoginOffer"],
    tokens: [],
    readsSession: false,
    refusals: [],
  },
];
