import { setImmediate } from "node:timers/promises";
import type { ManualClock } from "@doorcode/core/testing";
import { onTestFinished } from "vitest";
import type { TcpProxy } from "./tcp-proxy.ts";

/**
 * Holds back the answers of servers, and lets the time of their clients pass until they are restored. Time-outs run out
 * only where nothing can be answered, so no test depends on how fast the machine is.
 *
 * @param clock - of the clients, which nothing else moves.
 * @returns restores the answers; the end of the test does so, too.
 */
export function holdAnswers(proxies: readonly TcpProxy[], clock: ManualClock): () => void {
  let holding = true;
  const passTime = async () => {
    while (holding) {
      await clock.advance(100);
      await setImmediate();
    }
  };
  const restore = () => {
    holding = false;
    for (const proxy of proxies) proxy.restore();
  };
  for (const proxy of proxies) proxy.holdAnswers();
  onTestFinished(restore);
  void passTime();
  return restore;
}
