import type { LoginState } from "@doorcode/core";

export type {
  CodeDelivery,
  DeliveryStatus,
  ErrorCode,
  LoginOffer,
  LoginState,
  OfferedCountry,
  Purpose,
} from "@doorcode/core";

/** A number as a person typed it, and the country that was chosen. */
export type TypedNumber = NonNullable<Extract<LoginState, { readonly status: "none" }>["typed"]>;

/** The state of a login whose code was sent. */
export type CodeSentState = LoginState & { readonly status: "code_sent" };
