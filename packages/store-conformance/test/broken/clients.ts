import type { Client } from "../fake-wire.ts";
import { rightClient } from "../fake-wire.ts";

/** A client of a server with a known kind of fault. */
export interface BrokenClient {
  /** The fault, as the end of "a store that …". */
  readonly fault: string;
  /** The title of the check for this fault. `noticed.txt` lists all checks that notice it. */
  readonly noticedBy: string;
  /** The faulty client. */
  readonly client: Client;
}

/** Clients that handle a lost connection wrongly. */
export const brokenClients: readonly BrokenClient[] = [
  {
    fault: "repeats a call when the connection was lost",
    noticedBy: "changes each counter at most once if the answer is lost",
    client: (send, wire) => {
      const ask = rightClient(send, wire);
      return (question) => ask(question).catch(() => ask(question));
    },
  },
  {
    fault: "sends a rejected call later",
    noticedBy: "rejects each call in time while the connection is down, and does not send it later",
    client: (send, wire) => (question) =>
      rightClient(
        send,
        wire,
      )(question).catch((error) => {
        wire.restored().then(question);
        throw error;
      }),
  },
  {
    fault: "waits for an answer forever",
    noticedBy: "rejects each call without an answer in time, and never takes a late answer for another call's",
    client: (send) => send,
  },
  {
    fault: "waits for a connection forever",
    noticedBy: "rejects each call in time while the connection is down, and does not send it later",
    client: (send, wire) => {
      const ask = rightClient(send, wire);
      const askWhenBack: Client = () => async (question) =>
        ask(question).catch(async (error: Error) => {
          if (error.message !== "The connection is down.") throw error;
          await wire.restored();
          return ask(question);
        });
      return askWhenBack(send, wire);
    },
  },
  {
    fault: "returns a late answer to the next call",
    noticedBy: "rejects each call without an answer in time, and never takes a late answer for another call's",
    client: (send, wire) => {
      const late: unknown[] = [];
      const ask = rightClient(send, wire);
      return async <Answer>(question: () => Promise<Answer>) => {
        if (late.length > 0) return late.shift() as Answer;
        const answered = send(question);
        return ask(() => answered).catch((error) => {
          answered.then(
            (answer) => late.push(answer),
            () => undefined,
          );
          throw error;
        });
      };
    },
  },
  {
    fault: "does not reconnect",
    noticedBy: "recovers by itself when the connection is back, each time it is lost",
    client: (send, wire) => {
      let lost = false;
      const ask = rightClient(send, wire);
      return async (question) => {
        if (lost) throw new Error("There is no connection any more.");
        return ask(question).catch((error) => {
          lost = true;
          throw error;
        });
      };
    },
  },
  {
    fault: "returns nothing instead of rejecting",
    noticedBy: "rejects each call in time while the connection is down, and does not send it later",
    client: (send, wire) => {
      const ask = rightClient(send, wire);
      return <Answer>(question: () => Promise<Answer>) => ask(question).catch(() => [undefined] as Answer);
    },
  },
];
