import type { Clock } from "@doorcode/core/clock";

/** @throws TypeError for what is no options, and for a name that is none of them: it would be passed over in silence. */
export function checkKeys(factory: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      `${factory}: options must be an object with a client, such as ${factory}({ client: new Redis(process.env.REDIS_URL) }).`,
    );
  }
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${factory}: options: Unrecognized key: "${unknown}". The options are ${names.join(", ")}.`);
}

/** A webhook is answered four seconds after its first byte, whatever Redis does. */
const webhookSeconds = 4;

/** @throws TypeError when Redis would be waited for until it is too late to answer a webhook. */
export function checkTimeout(factory: string, timeoutSeconds: unknown): void {
  if (typeof timeoutSeconds === "number" && timeoutSeconds > 0 && timeoutSeconds < webhookSeconds) return;
  throw new TypeError(
    `${factory}: timeoutSeconds must be a number above 0 and below ${webhookSeconds}, since a webhook is answered within ${webhookSeconds} seconds.`,
  );
}

/** @throws TypeError for what cannot tell the time, which would be noticed only when something is to be waited for. */
export function checkClock(factory: string, clock: Partial<Clock> | null): void {
  if (typeof clock?.now === "function" && typeof clock.schedule === "function") return;
  throw new TypeError(
    `${factory}: clock must be a clock with now() and schedule(), such as createManualClock(): leave it out for the machine's.`,
  );
}
