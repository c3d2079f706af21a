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
export type { CounterChange, CounterState, LeaseState, Store } from "./store/store.ts";
