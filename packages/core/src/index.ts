export { type Clock, systemClock } from "./clock.ts";
export { DoorcodeError, type ErrorCode, type ErrorDetails, isDoorcodeError } from "./errors.ts";
export { type PhoneNumber, parsePhoneNumber } from "./phone-number.ts";
export type { Increment, Incremented, Leased, Store } from "./store/store.ts";
export { type SignatureReason, signDelivery } from "./webhook/signature.ts";
