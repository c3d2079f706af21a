import type { RedisClient } from "./client.ts";
import { ended, hasEnded } from "./reconnect.ts";

/** The connections of the kit that end with a client. */
interface Group {
  /** Adds a connection that is being made. */
  add(own: RedisClient): void;
  /** Removes a connection that has ended by itself, and may be made again. */
  remove(own: RedisClient): void;
  /** Removes a connection that the kit has ended. */
  forget(own: RedisClient): void;
  /** Ends all connections. */
  end(): void;
}

/** By client. */
const groups = new WeakMap<RedisClient, Group>();
/** By connection of the kit. */
const groupOf = new WeakMap<RedisClient, Group>();

/**
 * Ends a connection of the kit when the client that it was made from ends. That is the client of the app, or for the copy that
 * BullMQ makes of a connection, the connection.
 */
export function endWithClient(client: RedisClient, own: RedisClient): void {
  const group = groups.get(client) ?? createGroup(client);
  groups.set(client, group);
  groupOf.set(own, group);
  const endIfEnded = () => {
    if (hasEnded(client)) endConnection(own);
  };
  group.add(own);
  // A connection that has ended by itself may be connected again.
  own.on("connecting", () => group.add(own));
  own.on("end", () => group.remove(own));
  own.on("reconnecting", endIfEnded);
  own.on("ready", endIfEnded);
}

/** Ends a connection of the kit for good. */
export function endConnection(own: RedisClient): void {
  ended.add(own);
  // A connection that has ended, and was to be connected again, emits no second `end`.
  groups.get(own)?.end();
  // A connection that is ended between two attempts to connect emits no `end`.
  groupOf.get(own)?.forget(own);
  // ioredis would keep the process alive for two seconds more if the connection has ended before.
  if (own.status !== "end") own.disconnect();
}

/** Shares the listeners on the client: Node.js warns of a leak at the eleventh. They are removed with the last connection. */
function createGroup(client: RedisClient): Group {
  const members = new Set<RedisClient>();
  /** Ended because the client was silent. They come back with it. */
  const silenced = new Set<RedisClient>();
  const end = () => members.forEach(endConnection);
  const watch = watchEnd(client, {
    onEnd: end,
    onSilence() {
      if (silenced.size === 0) client.on("ready", comeBack);
      for (const own of members) {
        endConnection(own);
        silenced.add(own);
      }
    },
  });

  /** The client had not ended: its sockets took longer to close. */
  function comeBack(): void {
    for (const own of silenced) {
      removeSilenced(own);
      ended.delete(own);
      void connectAgain(own);
    }
  }

  function removeSilenced(own: RedisClient): void {
    if (silenced.delete(own) && silenced.size === 0) client.removeListener("ready", comeBack);
  }

  function remove(own: RedisClient): void {
    members.delete(own);
    if (members.size === 0) watch.stop();
  }

  return {
    add(own) {
      if (members.size === 0) watch.start();
      members.add(own);
    },
    remove,
    forget(own) {
      remove(own);
      removeSilenced(own);
    },
    end,
  };
}

const retryMilliseconds = 1000;

/** Connects a connection that was ended. ioredis does not try again by itself if the first attempt fails. */
async function connectAgain(own: RedisClient): Promise<void> {
  await own.connect().catch(() => {
    setTimeout(() => {
      if (own.status !== "ready" && !ended.has(own)) void connectAgain(own);
    }, retryMilliseconds).unref();
  });
}

/** The time by which an announced attempt may be late. */
const marginMilliseconds = 100;

/** A cluster client that is reconnecting, and has not been ended, usually emits another event sooner than this. */
const clusterPauseMilliseconds = 2500;

/** What a client may do. */
interface Endings {
  /** Called when the client has ended. */
  onEnd(): void;
  /** Called when a cluster client has probably ended. */
  onSilence(): void;
}

/**
 * Watches for the end of a client.
 *
 * ioredis emits no `end` for a client that is ended between two attempts to connect. A client for one server announces
 * each attempt, so it has been ended when an announced attempt is not made. A cluster client that is ended announces that
 * it is disconnecting, and emits nothing after that: neither does one whose sockets take long to close.
 */
function watchEnd(client: RedisClient, { onEnd, onSilence }: Endings) {
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => clearTimeout(timer);
  const schedule = (task: () => void, milliseconds: number) => {
    cancel();
    timer = setTimeout(task, milliseconds).unref();
  };
  const listeners = {
    connecting: cancel,
    reconnecting(pauseMilliseconds?: number) {
      cancel();
      if (pauseMilliseconds !== undefined) schedule(onEnd, pauseMilliseconds + marginMilliseconds);
    },
    disconnecting: () => schedule(onSilence, clusterPauseMilliseconds),
    end() {
      cancel();
      if (hasEnded(client)) onEnd();
    },
  };
  return {
    start() {
      for (const [event, listener] of Object.entries(listeners)) client.on(event, listener);
    },
    stop() {
      cancel();
      for (const [event, listener] of Object.entries(listeners)) client.removeListener(event, listener);
    },
  };
}
