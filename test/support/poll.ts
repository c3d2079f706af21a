import { expect } from "vitest";

/** Options of `expect.poll` for what takes its time, and nothing else tells when it is done. */
export const pollOptions = { timeout: 30_000, interval: 10 } as const;

/** Asks again and again until a question is answered. */
export async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  const asked = () =>
    ask().then(
      () => true,
      () => false,
    );
  await expect.poll(asked, pollOptions).toBe(true);
}
