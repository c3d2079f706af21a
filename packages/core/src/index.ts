import "./util/node-version.ts";

export { appCodes, type CodeToSend, type SendCode } from "./codes/app-codes.ts";
export type { CodeStrategyFactory, Purpose } from "./codes/code-strategy.ts";
export { type CodeToCheck, type CodeToRequest, providerCodes } from "./codes/provider-codes.ts";
export { serviceCodes } from "./codes/service-codes.ts";
export { createDoorcode, type Doorcode, type Register } from "./create-doorcode.ts";
export type { LoginPage } from "./http/answers.ts";
export type { LimitsDescription } from "./limits/describe-limits.ts";
export type { LoginLimits } from "./limits/login-limits.ts";
export type { OperatorLimits } from "./limits/operator-limits.ts";
export type { BeforeSendAnswer, BeforeSendContext, LinkProof, LoginProof, RemovalAnswer } from "./login/callbacks.ts";
export type { CodeDelivery, DeliveryStatus, LoginOffer, LoginState, OfferedCountry } from "./login/state.ts";
export type {
  DoorcodeEvent,
  DoorcodeOptions,
  LimitOptions,
  LoginOptions,
  SessionOptions,
  WebhookOptions,
} from "./options.ts";
export type { Channel } from "./phone/allowed-numbers.ts";
export { type Country, type PhoneNumber, parseE164, parsePhoneNumber } from "./phone/phone-number.ts";
export type { ActiveSession } from "./sessions/session-records.ts";
export type { Session, Sessions } from "./sessions/sessions.ts";
export type { LoginTokens } from "./sessions/transport.ts";
export { createMemoryStore } from "./store/memory.ts";
export { DoorcodeError, type ErrorCode, isDoorcodeError, problemTitle } from "./util/errors.ts";
export { createProofVerifier, type VerifiedNumber, type VerifyProof } from "./verify/number-proof.ts";
export { type MessageStatusEvent, parseEvent, type VerificationEvent, type WebhookEvent } from "./webhooks/event.ts";
export type { HandlerContext, WebhookHandler } from "./webhooks/handlers.ts";
export type { DeadLetter } from "./webhooks/inbox.ts";
export type { Reconciliation } from "./webhooks/reconcile.ts";
export { createWebhookVerifier, signDelivery } from "./webhooks/signature.ts";
export type { WebhookWorker } from "./webhooks/worker.ts";
