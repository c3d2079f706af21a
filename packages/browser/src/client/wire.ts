import type { LoginState } from "@doorcode/core";

export type { CodeDelivery, DeliveryStatus, ErrorCode, LoginOffer, LoginState, OfferedCountry } from "@doorcode/core";

/** The state of a login whose code was sent. */
export type CodeSentState = LoginState & { readonly status: "code_sent" };
