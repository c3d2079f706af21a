import type { Store } from "@doorcode/core/store";

/** A store on which the suites run. */
export interface TestedStore {
  /** For the titles of tests. */
  readonly name: string;
  /** Opens the entries of one app, whose keys all begin with its name and a colon. */
  openEntries(appName: string): AppEntries;
  close(): Promise<void>;
}

/** The entries of one app, and their time. */
export interface AppEntries {
  /** Creates the store of one process. Each has its own client, where the store needs one. */
  connect(): Store;
  /** Lets time pass for these entries alone, by moving their expiry back. */
  passTime(milliseconds: number): Promise<void>;
  /** Returns the number of entries that have not expired. */
  countEntries(): Promise<number>;
}

/**
 * Creates a client for each process of an app. Clients stay open from test to test, because connecting takes longer than
 * most tests.
 *
 * @param open - creates another client.
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
