/** The ways in which a simulated phone number can misbehave. */
export const behaviours = [
  "sms_fails",
  "never_delivered",
  "only_voice",
  "slow",
  "duplicate_events",
  "reordered_events",
] as const;

/**
 * The misbehaviour of a simulated phone number. `sms_fails`: SMS end `FAILED`. `never_delivered`: messages stay `SENT`.
 * `only_voice`: everything except calls ends `FAILED`. `slow`: the outcome comes only after the fallback time-out.
 * `duplicate_events`: each event is sent twice. `reordered_events`: `SENT` arrives after the outcome.
 */
export type Behaviour = (typeof behaviours)[number];
