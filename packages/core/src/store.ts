export { checkCounterChange, checkSeconds, checkTexts } from "./store/arguments.ts";
export type { CounterChange, CounterState, LeaseState, Store } from "./store/store.ts";
export { type Clock, systemClock, wait } from "./util/clock.ts";
export { createDeadline, type Deadline, orAborted, waitAtMost } from "./util/deadline.ts";
export {
  clockOption,
  objectOption,
  parseOptions,
  secondsOption,
  strictOptions,
  wholeNumberOption,
} from "./util/parse-options.ts";
export { createWakeUp, type WakeUp } from "./util/wake-up.ts";
