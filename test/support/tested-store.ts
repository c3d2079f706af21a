import type { Store } from "@doorcode/core/store";

/** A store on which the suites run. */
export interface TestedStore {
  /** For the titles of tests. */
  readonly name: string;
  /** Makes room for the entries of one app, whose keys all begin with its name and a colon. */
  makeRoom(appName: string): StoreRoom;
  close(): Promise<void>;
}

/** The entries of one app, and their time. */
export interface StoreRoom {
  /** Opens a process's own way to them. No two are the same client, where there are clients. */
  connect(): Store;
  /** Lets time pass for them alone: it is the same whether now moves on, or every instant of theirs moves back. */
  passTime(milliseconds: number): Promise<void>;
  /** How many of them live. */
  countEntries(): Promise<number>;
}

/**
 * Gives each process of an app a client of its own. They stay open from test to test, since making one takes longer
 * than most tests.
 *
 * @param open - opens another client.
 */
export function createClients<Client>(open: () => Client): { take(): () => Client; all(): readonly Client[] } {
  const clients: Client[] = [];
  return {
    take() {
      let taken = 0;
      return () => {
        const client = clients[taken] ?? open();
        clients[taken++] = client;
        return client;
      };
    },
    all: () => clients,
  };
}
