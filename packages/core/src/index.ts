export type { Awaitable } from "./awaitable.ts";
export { type Clock, systemClock, within } from "./clock.ts";
export { createDoorcode, type Doorcode, type KitMessages } from "./doorcode.ts";
export type { DoorcodeEvent, LoginEvent, PhoneTrace, WebhookReport } from "./doorcode-event.ts";
export { DoorcodeError, type ErrorCode, type ErrorDetails, isDoorcodeError, problemTitle } from "./errors.ts";
export type { GuardOptions } from "./http/guard.ts";
export type { LoginState } from "./http/login-state.ts";
export type { FormPages } from "./http/pages.ts";
export type { CodeKeys } from "./keys.ts";
export { type AppCodesOptions, appCodes } from "./login/app-codes.ts";
export type {
  CodeStrategy,
  CodeStrategyFactory,
  CodeSubject,
  CodeTools,
  CodeVerdict,
  IssuedCode,
  Template,
} from "./login/code-strategy.ts";
export type { Limits } from "./login/limits.ts";
export type {
  CallbackContext,
  CurrentSession,
  LoginCallbacks,
  ProvenPhone,
  SessionStart,
} from "./login/login.ts";
export { type ServiceCodesOptions, serviceCodes } from "./login/service-codes.ts";
export type { CodeSentState } from "./login/state.ts";
export type { Purpose, Transaction } from "./login/transaction.ts";
export type { DoorcodeOptions, LoginOptions, Secret, SessionOptions, WebhookOptions } from "./options.ts";
export { type PhoneNumber, parsePhoneNumber } from "./phone-number.ts";
export type { Register, RegisteredUser } from "./register.ts";
export { createServiceClient, type ServiceClient, type ServiceOptions } from "./service/client.ts";
export type { CallOptions, MessageRecord, MessageResponse, Messages } from "./service/messages.ts";
export type { Confirmation, Verification, Verifications } from "./service/verifications.ts";
export type { ConfirmationRequest, MessageRequest, VerificationRequest } from "./service/wire.ts";
export type { AppSessions } from "./session/session-source.ts";
export type { Login, NewSession, SessionLogin, Sessions } from "./session/sessions.ts";
export { createMemoryStore, type MemoryStoreOptions } from "./store/memory.ts";
export type { Increment, Incremented, Leased, Store } from "./store/store.ts";
export type { DeadLetter, WebhookDesk } from "./webhook/dead-letter.ts";
export type {
  Instant,
  MessageData,
  MessageStatusEvent,
  UnknownEvent,
  VerificationData,
  VerificationEvent,
  WebhookEvent,
} from "./webhook/event.ts";
export type { HandlerContext, WebhookHandler, WebhookHandlers } from "./webhook/handlers.ts";
export {
  type BuriedEntry,
  fewestInboxKeepSeconds,
  type Inbox,
  type InboxEntry,
  type InboxHandler,
  type InboxWorker,
  type InboxWorkOptions,
  type LastError,
  type TakenEntry,
  type Verdict,
} from "./webhook/inbox.ts";
export { parseEvent, type UnreadableEvent } from "./webhook/parse-event.ts";
export type { ReconcileOptions, Reconciler, Reconciliation } from "./webhook/reconcile.ts";
export { type SignatureReason, signDelivery } from "./webhook/signature.ts";
export type { EventTransactions, Settle } from "./webhook/transactions.ts";
export {
  createWebhookVerifier,
  type DeliveryVerdict,
  type ReceivedDelivery,
  type WebhookVerifierOptions,
} from "./webhook/verifier.ts";
export type { WebhookWorker, WorkOptions } from "./webhook/workers.ts";
