import type { RedisClient } from "./client.ts";

/** The connections of the kit that end with a client of the app. */
interface Group {
  add(own: RedisClient): void;
  remove(own: RedisClient): void;
}

/** By client of the app. */
const groups = new WeakMap<RedisClient, Group>();
/** By connection of the kit. */
const groupOf = new WeakMap<RedisClient, Group>();
const ended = new WeakSet<RedisClient>();

/** Ends a connection of the kit when the app ends the client that the connection was made from. */
export function endWithClient(client: RedisClient, own: RedisClient): void {
  const group = groups.get(client) ?? createGroup(client);
  groups.set(client, group);
  groupOf.set(own, group);
  const endIfEnded = () => {
    if (client.status === "end") endConnection(own);
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
  // A connection that is ended between two attempts to connect emits no `end`.
  groupOf.get(own)?.remove(own);
  // ioredis would keep the process alive for two seconds more if the connection has ended before.
  if (own.status !== "end") own.disconnect();
}

/** Tells whether the kit has ended a connection. */
export function isEnded(own: RedisClient): boolean {
  return ended.has(own);
}

/** Shares the listeners on the client: Node.js warns of a leak at the eleventh. They are removed with the last connection. */
function createGroup(client: RedisClient): Group {
  const members = new Set<RedisClient>();
  const watch = watchEnd(client, () => members.forEach(endConnection));
  return {
    add(own) {
      if (members.size === 0) watch.start();
      members.add(own);
    },
    remove(own) {
      members.delete(own);
      if (members.size === 0) watch.stop();
    },
  };
}

/** The time by which an announced attempt may be late. */
const marginMilliseconds = 100;

/** A cluster client that is reconnecting, and has not been ended, emits another event sooner than this. */
const clusterPauseMilliseconds = 2500;

/**
 * Watches for the end of a client.
 *
 * ioredis emits no `end` for a client that is ended between two attempts to connect. A client for one server announces
 * each attempt, so it has been ended when an announced attempt is not made. A cluster client that is ended announces that
 * it is disconnecting, and emits nothing after that.
 */
function watchEnd(client: RedisClient, onEnd: () => void) {
  let timer: NodeJS.Timeout | undefined;
  const cancel = () => clearTimeout(timer);
  const endUnlessEvent = (milliseconds: number) => {
    cancel();
    timer = setTimeout(onEnd, milliseconds).unref();
  };
  const listeners = {
    connecting: cancel,
    reconnecting(pauseMilliseconds?: number) {
      cancel();
      if (pauseMilliseconds !== undefined) endUnlessEvent(pauseMilliseconds + marginMilliseconds);
    },
    disconnecting: () => endUnlessEvent(clusterPauseMilliseconds),
    end() {
      cancel();
      onEnd();
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
