import type { Clock } from "@doorcode/core/store";
import { z } from "zod";
import { parse, UsageError } from "../primitives/errors.ts";
import { findApplication, type Service } from "../service/service.ts";
import { type ClockMode, clockModeShape, parseDuration } from "../time/clock.ts";

/**
 * The clock of an application. Delivery, fallback, expiry, retry delays and the 24 hours of a failing endpoint depend on it.
 *
 * The app under test can use it as well, with `createDoorcode({ clock: sandbox.clock })`: one `advance` then moves both. A
 * `reset` sets it to the machine's time; a scheduled callback keeps its remaining delay.
 */
export interface SandboxClock extends Clock {
  mode(): ClockMode;
  /**
   * Sets the clock to real time, stops it, or makes it faster. It runs on from where it is and never goes back.
   *
   * @throws TypeError when the mode is invalid
   */
  set(mode: ClockMode): void;
  /**
   * Moves the clock forward, from event to event. Everything that becomes due happens at its own instant, and each webhook
   * is answered before the next. Resolves when all of that is complete. The five seconds in which an endpoint must answer,
   * and `X-Webhook-Timestamp`, stay on the wall clock. Do not await it in a webhook handler: it waits for that handler.
   *
   * @param duration - `1h12m30s`, `24h`, `500ms`.
   * @throws TypeError when the duration is invalid
   */
  advance(duration: string): Promise<void>;
}

/** The last instant with a year of four digits. Receivers cannot read a later one. */
const maxMilliseconds = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The clock, for values of requests and forms as well: each method checks what it gets. */
export interface CheckedClock extends SandboxClock {
  set(mode: unknown): void;
  advance(duration: unknown): Promise<void>;
}

/** Creates the clock of an application. */
export function createClock(service: Service, applicationId: string): CheckedClock {
  const scheduler = () => service.scheduler.of(findApplication(service, applicationId).id);
  return {
    now: () => scheduler().now(),
    schedule: (delayMilliseconds, task) => scheduler().schedule(delayMilliseconds, task),
    mode: () => scheduler().mode(),
    set: (mode) => scheduler().set(parse("clock.set", clockModeShape, mode, "mode")),
    async advance(duration) {
      const { now, advance } = scheduler();
      const milliseconds = parseDuration(parse("clock.advance", z.string(), duration, "by"));
      if (milliseconds === undefined) throw invalidDuration("expected a duration such as 1h12m30s");
      if (now() + milliseconds > maxMilliseconds) throw invalidDuration("expected an end before the year 10000");
      await advance(milliseconds);
    },
  };
}

function invalidDuration(expected: string): UsageError {
  return new UsageError("clock.advance", "by", expected);
}
