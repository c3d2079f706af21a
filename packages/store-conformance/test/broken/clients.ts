import type { Client } from "../fake-wire.ts";
import { rightClient } from "../fake-wire.ts";

/** A client of a server with a known kind of fault. */
export interface BrokenClient {
  /** The fault, as the end of "a store that …". */
  readonly fault: string;
  /** The faulty client. */
  readonly client: Client;
}

/** Clients that handle a lost connection wrongly. */
export const brokenClients: readonly BrokenClient[] = [
  {
    fault: "repeats a call when the connection was lost",
    client: (send, wire) => {
      const ask = rightClient(send, wire);
      return (question) => ask(question).catch(() => ask(question));
    },
  },
  {
    fault: "sends a rejected call later",
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
    client: (send) => send,
  },
  {
    fault: "waits for a connection forever",
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
    client: (send, wire) => {
      const ask = rightClient(send, wire);
      return <Answer>(question: () => Promise<Answer>) => ask(question).catch(() => [undefined] as Answer);
    },
  },
];
