export {
  clockOption,
  functionOption,
  objectOption,
  parseOptions,
  secondsOption,
  strictOptions,
  wholeNumberOption,
} from "./primitives/parse-options.ts";
export { checkCounterChange, checkSeconds, checkTexts } from "./store/arguments.ts";
export { type ChangeListeners, createChangeListeners } from "./store/change-listeners.ts";
export type { CounterChange, CounterState, LeaseState, Store, StoreChanges } from "./store/store.ts";
