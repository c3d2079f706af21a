import { expect } from "vitest";

/** How long something may take that nobody can wait for in another way. */
export const patience = { timeout: 30_000, interval: 10 } as const;

/** Asks until it is answered. */
export async function succeeds(ask: () => Promise<unknown>): Promise<void> {
  const asked = () =>
    ask().then(
      () => true,
      () => false,
    );
  await expect.poll(asked, patience).toBe(true);
}
