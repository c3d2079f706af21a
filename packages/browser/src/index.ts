export type { ActionOptions } from "./client/action-order.ts";
export {
  type ConfirmOptions,
  createPhoneLogin,
  type OfferResult,
  type PhoneLoginClient,
  type PhoneLoginOptions,
  type ResendInput,
  type StartInput,
} from "./client/create-phone-login.ts";
export type { ClientProblemCode, LoginAction, LoginProblem, ProblemCode } from "./client/problem.ts";
export type { LoginSnapshot, StateResult } from "./client/snapshots.ts";
export type { TimedCodeSentState, TimedLoginState } from "./client/timed-state.ts";
export type { CodeDelivery, DeliveryStatus, LoginOffer, LoginState } from "./client/wire.ts";
