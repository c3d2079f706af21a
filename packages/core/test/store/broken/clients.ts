import type { Client } from "../fake-wire.ts";
import { rightClient } from "../fake-wire.ts";

/** A way in which the client of a server has been written wrong. */
export interface BrokenClient {
  /** Goes on after "a store that". */
  readonly fault: string;
  /** The title of the check that says it; the others that notice stand in `noticed.txt`. */
  readonly noticedBy: string;
  readonly client: Client;
}

/** Stores that lose more than their connection. */
export const brokenClients: readonly BrokenClient[] = [
  {
    fault: "asks again when the connection was lost",
    noticedBy: "changes each counter at most once when the answer is lost",
    client: (send, wire) => {
      const ask = rightClient(send, wire);
      return (question) => ask(question).catch(() => ask(question));
    },
  },
  {
    fault: "sends later what it could not send",
    noticedBy: "rejects each verb while the connection is down, in time, and sends nothing of it later",
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
    fault: "waits for an answer for ever",
    noticedBy: "rejects each verb that is not answered, in time, and takes a late answer for no other's",
    client: (send) => send,
  },
  {
    fault: "waits for a connection for ever",
    noticedBy: "rejects each verb while the connection is down, in time, and sends nothing of it later",
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
    fault: "gives a late answer to whoever asks next",
    noticedBy: "rejects each verb that is not answered, in time, and takes a late answer for no other's",
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
    fault: "does not connect again",
    noticedBy: "goes on by itself when the connection is back, as often as it is lost",
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
    fault: "answers nothing instead of rejecting",
    noticedBy: "rejects each verb while the connection is down, in time, and sends nothing of it later",
    client: (send, wire) => {
      const ask = rightClient(send, wire);
      return <Answer>(question: () => Promise<Answer>) => ask(question).catch(() => [undefined] as Answer);
    },
  },
];
