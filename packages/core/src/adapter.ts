import "./util/node-version.ts";

export type { Purpose } from "./codes/code-strategy.ts";
export type { Doorcode, RegisteredUser } from "./create-doorcode.ts";
export { type DoorcodeParts, doorcodeParts } from "./doorcode-parts.ts";
export { refuse } from "./http/answers.ts";
export { type CollectedBytes, collectBytes, createHangUpError, readBodyInTime } from "./http/body.ts";
export type { Body, HttpRequest, HttpResponse, Mount } from "./http/exchange.ts";
export type { AppSessionGuardOptions, GuardedRequest, GuardOptions, GuardResult } from "./http/guard.ts";
export type { LoginMount } from "./http/login-mount.ts";
export { createNodeRequest, type NodeExchange, type NodeHost, sendNodeResponse } from "./http/node-exchange.ts";
export type { ProofOptions } from "./http/request-proofs.ts";
export type { ClosedGroup } from "./limits/closed-groups.ts";
export type { AlertedApp } from "./limits/operator-limits.ts";
export type { AppSession, ProvenBy } from "./login/account.ts";
export type { LoginOffer, LoginState } from "./login/state.ts";
export { createLoginGuard, mountLogin, mountWebhooks, type PhoneLoginOptions, readSession } from "./mounts.ts";
export type { AppLogin, AppSessionReader, AppSessions } from "./sessions/session-source.ts";
export type { Session } from "./sessions/sessions.ts";
export type { Transport } from "./sessions/transport.ts";
export { readRecord } from "./store/checked-store.ts";
export { answerAndHandOver, type WaitUntil } from "./util/after-answer.ts";
export { type ForwardedRequest, type ProxySetting, trustsEverybody } from "./util/client.ts";
export { type Clock, scheduleInBackground, secondsSince, wait } from "./util/clock.ts";
export { DoorcodeError, isDoorcodeError } from "./util/errors.ts";
export type { RequestHeaders, WithHeaders } from "./util/headers.ts";
export { isLoopbackOrigin, isSameOrigin } from "./util/origin.ts";
export {
  clockOption,
  functionOption,
  parseOptions,
  strictOptions,
  wholeNumberOption,
} from "./util/parse-options.ts";
export { type ErrorSummary, maskDigits, summarizeError } from "./util/redact.ts";
export { refusePublished } from "./util/secrets.ts";
export { createCheckBody } from "./webhooks/event.ts";
