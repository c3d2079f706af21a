export { type Clock, systemClock, wait } from "./primitives/clock.ts";
export { createDeadline, type Deadline, orAborted, waitAtMost } from "./primitives/deadline.ts";
export { createWakeUp, type WakeUp } from "./primitives/wake-up.ts";
