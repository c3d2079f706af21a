import { isoInstant } from "../primitives/time.ts";
import type { Application } from "../state/application.ts";
import type { Service } from "./service.ts";

/**
 * Returns the instant of a new status: the present, but always later than the previous status.
 *
 * Receivers order events by this instant alone. Two statuses within one millisecond, or on a stopped clock, would have
 * the same instant and could be applied in the wrong order. A dialect that writes whole seconds needs a difference of a
 * whole second.
 *
 * @param previous - ISO instant of the previous status.
 * @see "Delivery guarantees" of the specification
 */
export function nextInstant({ scheduler }: Service, { id, dialect }: Application, previous: string): string {
  const inSeconds = dialect.instants === "iso_seconds" || dialect.instants === "epoch_seconds";
  const step = inSeconds ? 1_000 : 1;
  const now = Math.floor(scheduler.now(id) / step) * step;
  const earliest = (Math.floor(Date.parse(previous) / step) + 1) * step;
  return isoInstant(Math.max(now, earliest));
}
