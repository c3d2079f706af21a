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
  /** The count that was compared, and what it may be; without both, the limit had closed before. */
  readonly count?: number;
  readonly threshold?: number;
  /** True while the country has far more unconfirmed logins than its past explains. */
  readonly onAlert: boolean;
  /** True while the app as a whole has. */
  readonly appOnAlert: boolean;
  /** True for a number that was proven before. */
  readonly knownNumber: boolean;
  /** True for a device that has proven the number. */
  readonly knownDevice: boolean;
}
