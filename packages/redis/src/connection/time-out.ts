/** A webhook is answered four seconds after its first byte, whatever Redis does. */
const webhookSeconds = 4;

/** @throws TypeError when Redis would be waited for until it is too late to answer a webhook. */
export function checkTimeout(factory: string, timeoutSeconds: number): void {
  if (timeoutSeconds > 0 && timeoutSeconds < webhookSeconds) return;
  throw new TypeError(
    `${factory}: timeoutSeconds must be above 0 and below ${webhookSeconds}, since a webhook is answered within ${webhookSeconds} seconds.`,
  );
}
