export {
  type AppCodesOptions,
  appCodes,
  type MessageCodes,
  type SelfSentCodes,
  type VerificationCodes,
} from "./codes/app-codes.ts";
export type { CodeToSend, SendCode } from "./codes/app-senders.ts";
export type { CodeStrategyFactory } from "./codes/code-strategy.ts";
export type { CodeTexts } from "./codes/code-texts.ts";
export {
  type CodeToCheck,
  type CodeToRequest,
  type ProviderCodesOptions,
  providerCodes,
} from "./codes/provider-codes.ts";
export type { Purpose } from "./codes/purpose.ts";
export { type ServiceCodesOptions, serviceCodes } from "./codes/service-codes.ts";
export { createDoorcode, type Doorcode } from "./doorcode.ts";
export type { DoorcodeEvent } from "./doorcode-event.ts";
export type { LoginTokens } from "./http/carriers.ts";
export type { GuardOptions } from "./http/guard.ts";
export type { LoginState } from "./http/login-state.ts";
export type { FormPages } from "./http/pages.ts";
export type { VerifiedState } from "./http/proof-source.ts";
export type { ClosedGroup } from "./limits/closed-groups.ts";
export type { LimitMode, LoginLimits } from "./limits/login-limits.ts";
export type { AlertedApp, LimitsDescription, OperatorLimits } from "./limits/operator-limits.ts";
export type {
  BeforeSendAnswer,
  BeforeSendContext,
  LinkProof,
  LoginProof,
  ProvenPhone,
  RemovalAnswer,
  RemovedNumber,
} from "./login/callbacks.ts";
export type { CodeDelivery, DeliveryStatus } from "./login/code-delivery.ts";
export type { LoginEvent } from "./login/login-event.ts";
export type { LoginOffer, OfferedCountry } from "./login/offer.ts";
export type { AppSession, ConfirmedLogin } from "./login/request-sessions.ts";
export type { CodeSentState } from "./login/state.ts";
export type {
  DoorcodeOptions,
  LimitOptions,
  LoginOptions,
  SessionOptions,
  WebhookOptions,
} from "./options/doorcode-options.ts";
export type { Channel } from "./phone/number-types.ts";
export { type Country, type PhoneNumber, parseE164, parsePhoneNumber } from "./phone/phone-number.ts";
export type { Register, RegisteredUser } from "./register.ts";
export type { AppLogin, AppSessions } from "./sessions/session-source.ts";
export type { ActiveSession, Session, Sessions } from "./sessions/sessions.ts";
export type { Transport } from "./sessions/transport.ts";
export { createMemoryStore } from "./store/memory.ts";
export { DoorcodeError, type ErrorCode, isDoorcodeError, problemTitle } from "./util/errors.ts";
export type { Secret, SecretService } from "./util/secrets.ts";
export type { VerifiedNumber } from "./verify/number-proof.ts";
export {
  createProofVerifier,
  type ExpectedProof,
  type ProofVerifierOptions,
  type VerifyProof,
} from "./verify/proof-verifier.ts";
export type { DeadLetter, DeadLetters } from "./webhooks/dead-letters.ts";
export type { WebhookDeliveryEvent } from "./webhooks/delivery-event.ts";
export type { MessageStatusEvent, UnknownEvent, VerificationEvent, WebhookEvent } from "./webhooks/event.ts";
export type { HandlerContext, WebhookHandler, WebhookHandlers } from "./webhooks/handlers.ts";
export { parseEvent, type UnreadableEvent } from "./webhooks/parse-event.ts";
export type { ReconcileOptions, Reconciliation } from "./webhooks/reconcile.ts";
export { signDelivery } from "./webhooks/signature.ts";
export { createWebhookVerifier } from "./webhooks/verifier.ts";
export type { WebhookWorker } from "./webhooks/workers.ts";
