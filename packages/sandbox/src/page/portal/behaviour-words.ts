import type { Behaviour } from "../../service/handset.ts";

/** How a number misbehaves, in words. */
export const behaviourWords: Readonly<Record<Behaviour, string>> = {
  sms_fails: "SMS fails",
  never_delivered: "never delivered, stays SENT",
  only_voice: "only voice works",
  slow: "slow: the outcome comes after the fallback",
  duplicate_events: "each event twice",
  reordered_events: "SENT arrives after the outcome",
};
