import { setFlagsFromString } from "node:v8";

/**
 * Limits the garbage that V8 keeps in this process: it lets the young generation grow to 134 MB, and the old one to four times of what
 * lives, which is 20 MB with 100,000 messages. The process then takes 269 MB in place of 431 MB, for 5 to 10 % more CPU time.
 *
 * Only for the process of the command: a program that calls `createSandbox` has a heap of its own to tune. Call it after the modules were
 * loaded. The young generation is 8 MB then and no longer grows; a smaller one would be collected too often.
 */
export function limitMemory(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=150");
}
