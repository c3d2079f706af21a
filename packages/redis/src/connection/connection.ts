import type { Clock } from "@doorcode/core";
import type { RedisClient } from "./client.ts";
import { watchReadiness } from "./readiness.ts";
import { type Part, timedOut, toUnavailable } from "./unavailable.ts";

/** The time in which a command must be answered. */
export interface Deadline {
  /** True once the time is over; no command may be sent then. */
  readonly isOver: boolean;
}

/** A connection on which every command is answered in time, or rejects. */
export interface Connection {
  /**
   * Sends commands as soon as there is a connection.
   *
   * @throws DoorcodeError `store_unavailable` when there is no connection, the reply does not come in time, or Redis
   * replies with an error. Only after an error reply is it known that nothing was changed.
   */
  run<Reply>(send: (client: RedisClient, deadline: Deadline) => Promise<Reply>): Promise<Reply>;
}

/** The settings of a connection. */
export interface ConnectionOptions {
  /** The part of the kit that uses the connection. */
  readonly part: Part;
  /** The time that a command may take, in seconds. */
  readonly timeoutSeconds: number;
  /** Measures that time. */
  readonly clock: Clock;
}

/** Creates a connection on a client that nothing else uses. */
export function createConnection(client: RedisClient, { part, timeoutSeconds, clock }: ConnectionOptions): Connection {
  const readiness = watchReadiness(client);

  return {
    async run(send) {
      const deadline = { isOver: false };
      const { promise: timeout, reject } = Promise.withResolvers<never>();
      const cancelTimeout = clock.schedule(timeoutSeconds * 1000, () => {
        deadline.isOver = true;
        reject(timedOut(timeoutSeconds));
      });
      const sendWhenReady = async () => {
        await readiness.ready();
        if (deadline.isOver) return timeout;
        return send(client, deadline);
      };
      try {
        return await Promise.race([timeout, sendWhenReady()]);
      } catch (error) {
        throw toUnavailable(error, part);
      } finally {
        cancelTimeout();
      }
    },
  };
}
