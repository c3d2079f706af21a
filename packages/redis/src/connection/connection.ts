import { type Clock, createDeadline, type Deadline } from "@doorcode/core/store";
import type { RedisClient } from "./client.ts";
import { createFailFastClient } from "./duplicate-client.ts";
import { warnOfEviction } from "./eviction.ts";
import { watchReadiness } from "./readiness.ts";
import { type Part, timedOut, toUnavailable } from "./unavailable.ts";

/** A connection of the kit on which every command is answered in time, or rejects. */
export interface Connection {
  /** The client of the connection, which is not that of the app. */
  readonly client: RedisClient;
  /**
   * Sends commands as soon as there is a connection. `send` must not send any more once the deadline is over.
   *
   * @throws DoorcodeError `store_unavailable` when there is no connection, the reply does not come in time, or Redis
   * replies with an error. Only after an error reply is it known that nothing was changed.
   */
  run<Reply>(send: (client: RedisClient, deadline: Deadline) => Promise<Reply>): Promise<Reply>;
}

/** Options of {@link createConnection}. */
export interface ConnectionOptions {
  /** The client of the app. The connection ends when the client ends. */
  readonly client: RedisClient;
  /** The time that a command may take. */
  readonly timeoutSeconds: number;
  /** Measures that time. */
  readonly clock: Clock;
}

/** Creates a connection for a part of the kit. */
export function createConnection(part: Part, { client, timeoutSeconds, clock }: ConnectionOptions): Connection {
  const own = createFailFastClient(client, timeoutSeconds * 1000, part);
  const readiness = watchReadiness(own);
  warnOfEviction(own, part);

  return {
    client: own,
    async run(send) {
      const deadline = createDeadline(clock, timeoutSeconds, () => timedOut(timeoutSeconds));
      try {
        if (!readiness.isReady()) await deadline.race(readiness.ready());
        return await deadline.race(send(own, deadline));
      } catch (error) {
        throw toUnavailable(error, part);
      } finally {
        deadline.clear();
      }
    },
  };
}
