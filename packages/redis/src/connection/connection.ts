import type { Clock } from "@doorcode/core/clock";
import type { RedisClient } from "./client.ts";
import { type Asker, notAnswered, storeFailure } from "./failure.ts";
import { watchReadiness } from "./readiness.ts";

/** The time in which a verb must be answered. What it has not sent when that is over, it must not send any more. */
export interface Turn {
  readonly over: boolean;
}

/** A connection on which every question is answered in time, or fails. */
export interface Connection {
  /**
   * Asks once connected.
   *
   * @throws DoorcodeError `store_unavailable` when there is no connection, the answer does not come in time, or Redis
   * refuses. Whether a change was made is unknown, unless Redis refused.
   */
  ask<Answer>(question: (client: RedisClient, turn: Turn) => Promise<Answer>): Promise<Answer>;
}

/** Who asks, and how long it waits. */
export interface ConnectionOptions {
  readonly asker: Asker;
  readonly timeoutSeconds: number;
  readonly clock: Clock;
}

/** Creates a connection over a client of its own. */
export function createConnection(client: RedisClient, { asker, timeoutSeconds, clock }: ConnectionOptions): Connection {
  const readiness = watchReadiness(client);

  return {
    async ask(question) {
      const turn = { over: false };
      const { promise: timeout, reject } = Promise.withResolvers<never>();
      const cancelTimeout = clock.schedule(timeoutSeconds * 1000, () => {
        turn.over = true;
        reject(notAnswered(timeoutSeconds));
      });
      const askWhenReady = async () => {
        await readiness.ready();
        if (turn.over) return timeout;
        return question(client, turn);
      };
      try {
        return await Promise.race([timeout, askWhenReady()]);
      } catch (error) {
        throw storeFailure(error, asker);
      } finally {
        cancelTimeout();
      }
    },
  };
}
