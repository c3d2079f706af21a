export { type Clock, systemClock, wait } from "./util/clock.ts";
export { createDeadline, type Deadline, orAborted, waitAtMost } from "./util/deadline.ts";
export { createWakeUp, type WakeUp } from "./util/wake-up.ts";
