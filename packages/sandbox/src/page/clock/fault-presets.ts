import type { FaultLimits, FaultRule } from "../../state/fault.ts";

/** A common fault, which one click switches on. */
export interface FaultPreset {
  /** The value of the form field `preset`. */
  readonly id: string;
  /** The label of the button. */
  readonly label: string;
  /** The fault to add. */
  readonly fault: FaultRule & FaultLimits;
}

/** The failures that apps meet most often. */
export const faultPresets: readonly FaultPreset[] = [
  {
    id: "busy",
    label: "3 × 503 on verifications",
    fault: { on: "POST /verifications", action: { type: "answer", status: 503, retryAfterSeconds: 2 }, times: 3 },
  },
  {
    id: "limited",
    label: "429 once",
    fault: { on: "request", action: { type: "answer", status: 429, retryAfterSeconds: 5 }, times: 1 },
  },
  {
    id: "lost",
    label: "Lose one answer",
    fault: { on: "POST /verifications", action: { type: "cut", when: "after" }, times: 1 },
  },
  {
    id: "slow",
    label: "Every request takes 3 s",
    fault: { on: "request", action: { type: "delay", milliseconds: 3000 } },
  },
  { id: "twice", label: "Each webhook twice", fault: { on: "webhook", action: { type: "duplicate" } } },
  { id: "order", label: "Webhooks out of order", fault: { on: "webhook", action: { type: "reorder" } } },
  {
    id: "drop",
    label: "Lose every second webhook",
    fault: { on: "webhook", action: { type: "drop" }, probability: 0.5 },
  },
  {
    id: "forged",
    label: "Corrupt the signature",
    fault: { on: "webhook", action: { type: "corrupt_signature" }, times: 1 },
  },
  {
    id: "stale",
    label: "Timestamp 10 minutes old",
    fault: { on: "webhook", action: { type: "stale_timestamp", seconds: 600 }, times: 1 },
  },
  { id: "rotation", label: "Two secrets", fault: { on: "webhook", action: { type: "two_secrets" } } },
];
