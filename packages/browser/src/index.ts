export {
  type ActionOptions,
  createPhoneLogin,
  type LoginSnapshot,
  type OfferResult,
  type PhoneLoginClient,
  type PhoneLoginOptions,
  type ResendInput,
  type StartInput,
  type StateResult,
} from "./client/create-phone-login.ts";
export type { ClientProblemCode, LoginAction, LoginProblem, ProblemCode } from "./client/problem.ts";
export type { TimedCodeSentState, TimedLoginState } from "./client/timed-state.ts";
export type { CodeDelivery, DeliveryStatus, LoginOffer, LoginState } from "./client/wire.ts";
