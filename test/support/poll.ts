import { expect } from "vitest";

/** Asks again and again until a question is answered. */
export async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  const asked = () =>
    ask().then(
      () => true,
      () => false,
    );
  await expect.poll(asked).toBe(true);
}
