export type { Purpose } from "./codes/purpose.ts";
export { type Doorcode, doorcodeParts } from "./doorcode.ts";
export { collectBytes } from "./http/collect-bytes.ts";
export {
  type Body,
  type BodyTime,
  createHangUpError,
  type HttpRequest,
  type HttpResponse,
  type Mount,
  type ProxySetting,
} from "./http/exchange.ts";
export type { Admission, AppSessionGuardOptions, GuardedRequest, GuardOptions } from "./http/guard.ts";
export type { LoginMount } from "./http/login-mount.ts";
export type { LoginState } from "./http/login-state.ts";
export { refuse } from "./http/problem.ts";
export type { ProofOptions } from "./http/proof-source.ts";
export type { LoginOffer } from "./login/offer.ts";
export type { AppSession } from "./login/request-sessions.ts";
export { createLoginGuard, readSession } from "./login-guard.ts";
export { mountLogin, type PhoneLoginOptions } from "./mount-login.ts";
export { mountWebhooks } from "./mount-webhooks.ts";
export type { RegisteredUser } from "./register.ts";
export type { AppLogin, AppSessionReader, AppSessions } from "./sessions/session-source.ts";
export type { Session } from "./sessions/sessions.ts";
export type { Transport } from "./sessions/transport.ts";
export { answerAndHandOver, type WaitUntil } from "./util/after-answer.ts";
export { DoorcodeError, isDoorcodeError } from "./util/errors.ts";
export type { RequestHeaders, WithHeaders } from "./util/headers.ts";
export { isLoopbackOrigin } from "./util/loopback.ts";
export {
  clockOption,
  functionOption,
  parseOptions,
  strictOptions,
  wholeNumberOption,
} from "./util/parse-options.ts";
export { refusePublished } from "./util/secrets.ts";
export { createCheckBody } from "./webhooks/check-event.ts";
