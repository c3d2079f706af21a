/** The requests that wait for a change of their login, in one process. */
export interface StateWaits {
  /** The number of requests that wait. */
  readonly count: number;
  /**
   * Lets a request wait. Returns `undefined` when it must not: too many wait already, for its login or in all, or it would keep
   * its server from closing.
   *
   * @param mount - the mount that serves the request.
   * @param login - the key of its login.
   * @param end - called when the wait must end.
   * @returns a function that ends the wait.
   */
  enter(mount: object, login: string, end: () => void): (() => void) | undefined;
  /** Ends the waits of a mount, or all of them, and lets no more begin there. */
  close(mount?: object): void;
}

/** Two tabs, each of them just reloaded. */
const maxWaitsOfLogin = 4;

/** A request that waits. */
interface Wait {
  readonly mount: object;
  readonly login: string;
  readonly end: () => void;
}

/**
 * Creates the waits of a kit.
 *
 * @param maxWaits - how many requests may wait in all: each one holds a connection.
 */
export function createStateWaits(maxWaits: number): StateWaits {
  const waits = new Set<Wait>();
  const countOf = new Map<string, number>();
  const closedMounts = new WeakSet<object>();
  let isClosed = false;

  function leave(wait: Wait): void {
    if (!waits.delete(wait)) return;
    const left = (countOf.get(wait.login) ?? 1) - 1;
    if (left > 0) countOf.set(wait.login, left);
    else countOf.delete(wait.login);
  }

  return {
    get count() {
      return waits.size;
    },
    enter(mount, login, end) {
      const ofLogin = countOf.get(login) ?? 0;
      const isFull = waits.size >= maxWaits || ofLogin >= maxWaitsOfLogin;
      if (isFull || isClosed || closedMounts.has(mount)) return undefined;
      const wait = { mount, login, end };
      waits.add(wait);
      countOf.set(login, ofLogin + 1);
      return () => leave(wait);
    },
    close(mount) {
      if (mount) closedMounts.add(mount);
      else isClosed = true;
      for (const wait of waits) if (!mount || wait.mount === mount) wait.end();
    },
  };
}
