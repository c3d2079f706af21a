export { checkCounterChange, checkSeconds, checkTexts, readRecord } from "./store/checked-store.ts";
export {
  type EntryDecision,
  type EntryRule,
  incrementEntry,
  leaseEntry,
  type StoreEntry,
  settleEntry,
} from "./store/entry.ts";
export type { CounterChange, CounterState, LeaseState, Store } from "./store/store.ts";
export {
  type Clock,
  createDeadline,
  type Deadline,
  orAborted,
  scheduleInBackground,
  systemClock,
  wait,
  waitAtMost,
} from "./util/clock.ts";
export {
  clockOption,
  objectOption,
  parseOptions,
  secondsOption,
  strictOptions,
  wholeNumberOption,
} from "./util/parse-options.ts";
