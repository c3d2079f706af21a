/** The outcomes of a decision: of the limits, and of the app's `beforeSend`. */
export const decisionOutcomes = ["allowed", "trusted", "would_refuse", "challenged", "suppressed", "refused"] as const;

type DecisionOutcome = (typeof decisionOutcomes)[number];

/** A decision of an app about one code, as its `onEvent` reports it. It holds no number and no address. */
export interface Decision {
  readonly id: string;
  readonly applicationId: string;
  /** ISO instant on the application's clock at which the decision came. */
  readonly at: string;
  readonly outcome: DecisionOutcome;
  /** The ISO 3166 code of the number's country. */
  readonly country: string;
  /** The limit that refused, or would have refused. */
  readonly limit?: string;
  /** The error code of what the limit refused, or would have refused. */
  readonly code?: string;
  /** The count that the limit compared with its threshold. Both are missing when the limit was already closed. */
  readonly count?: number;
  /** The largest count that the limit allows. */
  readonly threshold?: number;
  /** True while the country has far more unconfirmed logins than usual. */
  readonly onAlert: boolean;
  /** True while the whole app has far more unconfirmed logins than usual. */
  readonly appOnAlert: boolean;
  /** True for a number that a user has confirmed before. */
  readonly knownNumber: boolean;
  /** True for a device on which a user has confirmed the number. */
  readonly knownDevice: boolean;
}
