import type { Clock } from "@doorcode/core/clock";
import { z } from "zod";
import { Misuse, parse } from "../misuse.ts";
import { findApplication } from "../portal/applications.ts";
import type { Service } from "../service/service.ts";
import { parseDuration } from "../time/duration.ts";
import { type ClockMode, clockModeShape } from "../time/pace.ts";

/**
 * The clock of an application: it drives delivery, fallback, expiry, retry delays and the 24 hours of failing endpoints.
 *
 * It is a clock for the app under test too, `createDoorcode({ clock: sandbox.clock })`: then one `advance` moves both. A
 * `reset` sets it to the machine's time; a task that waits for its time goes on waiting as long as it still had to.
 */
export interface SandboxClock extends Clock {
  mode(): ClockMode;
  /**
   * Lets the clock run as the machine's, stand still, or run faster. It goes on from where it stands and never back.
   *
   * @throws TypeError when the mode is none
   */
  set(mode: ClockMode): void;
  /**
   * Moves the clock on, event by event: everything that falls due happens at its own instant, and each webhook is answered
   * before the next. Resolves when all is settled. The five seconds an endpoint has, and `X-Webhook-Timestamp`, stay on
   * the wall clock. Awaited in a webhook handler it would wait for that handler: there, let it run.
   *
   * @param duration - `1h12m30s`, `24h`, `500ms`.
   * @throws TypeError when it is no duration
   */
  advance(duration: string): Promise<void>;
}

/** The last instant with a year of four digits: receivers read no other. */
const lastMilliseconds = Date.UTC(9999, 11, 31, 23, 59, 59);

const setting = z.strictObject({ mode: clockModeShape });

/** Creates the clock of an application over the agenda. */
export function createClock(service: Service, applicationId: string): SandboxClock {
  const time = () => service.agenda.of(findApplication(service, applicationId).id);
  return {
    now: () => time().now(),
    schedule: (delayMilliseconds, task) => time().schedule(delayMilliseconds, task),
    mode: () => time().mode(),
    set: (mode) => time().set(parse("clock.set", setting, { mode }).mode),
    async advance(duration) {
      const milliseconds = parseDuration(duration);
      if (milliseconds === undefined) throw new Misuse("clock.advance", "by", "expected a duration such as 1h12m30s");
      if (time().now() + milliseconds > lastMilliseconds) {
        throw new Misuse("clock.advance", "by", "expected an end before the year 10000");
      }
      await time().advance(milliseconds);
    },
  };
}
