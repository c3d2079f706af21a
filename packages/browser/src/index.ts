export { createPhoneLogin } from "./client/create-phone-login.ts";
export type {
  ActOptions,
  LoginSnapshot,
  OfferResult,
  PhoneLoginClient,
  PhoneLoginOptions,
  ResendInput,
  StartInput,
  StateResult,
} from "./client/phone-login-client.ts";
export type { ClientProblemCode, LoginAction, LoginProblem, ProblemCode } from "./client/problem.ts";
export type { TimedCodeSentState, TimedLoginState } from "./client/timed-state.ts";
export type { CodeDelivery, DeliveryStatus, LoginOffer, LoginState } from "./client/wire.ts";
