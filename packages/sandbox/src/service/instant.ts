import type { Application } from "../state/application.ts";
import type { Service } from "./service.ts";

/** Writes an instant as records keep it: ISO 8601 with milliseconds. */
export function instantOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/**
 * The instant of a change: now, but always later than the change before.
 *
 * Receivers order events by this instant alone; two changes within one millisecond, or on a clock that stands still,
 * would otherwise tie and could be applied the wrong way round. A dialect that writes whole seconds needs whole seconds
 * between them.
 *
 * @param previous - instant of the change before.
 * @see "Delivery guarantees" of the specification
 */
export function instantAfter({ agenda }: Service, { id, dialect }: Application, previous: string): string {
  const inSeconds = dialect.instants === "iso_seconds" || dialect.instants === "epoch_seconds";
  const step = inSeconds ? 1_000 : 1;
  const now = Math.floor(agenda.now(id) / step) * step;
  const earliest = (Math.floor(Date.parse(previous) / step) + 1) * step;
  return instantOf(Math.max(now, earliest));
}
