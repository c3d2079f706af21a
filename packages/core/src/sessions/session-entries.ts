import { z } from "zod";
import { readRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import { randomText } from "../util/random-text.ts";

/*
 * The sessions of an app in its store. A session is an entry of its own, and the entry alone decides: the cookie only
 * names it, so a cookie that was sealed with a stolen password proves nothing. Each entry keeps the generation that its
 * user had at the start. `endAll` gives the user a new generation, which ends all entries of the earlier ones whatever the
 * clocks of the processes say.
 */

/** A session, as the store holds it. Instants are Unix milliseconds, judged by core's clock. */
export interface SessionEntry {
  readonly userId: string;
  readonly startedAt: number;
  readonly provenAt?: number | undefined;
  readonly expiresAt: number;
  /** The label that the app gave at the start. */
  readonly label?: string | undefined;
  /** The user's generation at the start; absent if no `endAll` had been called then. */
  readonly generation?: string | undefined;
}

const sessionEntryShape: z.ZodType<SessionEntry> = z.object({
  userId: z.string(),
  startedAt: z.number(),
  provenAt: z.number().optional(),
  expiresAt: z.number(),
  label: z.string().optional(),
  generation: z.string().optional(),
});

/** A session that is valid now. */
export interface LiveSession extends Omit<SessionEntry, "generation"> {
  readonly sessionId: string;
  /** The last use, to about a minute. */
  readonly lastUsedAt: number;
}

/** The dependencies of session entries. */
export interface SessionEntriesDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The prefix of the app's keys in the store. */
  readonly name: string;
  readonly lifetimeSeconds: number;
  /** The time without use after which a session ends; `undefined` for none. */
  readonly idleSeconds: number | undefined;
}

/** The session that a cookie or a token names. */
export interface NamedSession {
  readonly userId: string;
  readonly sessionId: string;
  /** The keys of all that decides about it. */
  readonly keys: readonly string[];
  /** The entry that was read last. It is parsed again only if the store has another text. */
  entryText: string | undefined;
  entry: SessionEntry | undefined;
}

/** The sessions of an app in its store. Each function rejects with `store_unavailable` if the store does. */
export interface SessionEntries {
  /** Adds a session under an id that was never used, and lists it with its user's. */
  add(session: Omit<LiveSession, "lastUsedAt">): Promise<void>;
  /** Names a session of a user, whether it exists or not. To use it costs less if it is the same object each time. */
  name(userId: string, sessionId: string): NamedSession;
  /** Returns a session if it is valid, in one read, and notes its use at most once a minute. */
  use(named: NamedSession): Promise<LiveSession | undefined>;
  /** Returns the valid sessions of a user, the newest first. */
  list(userId: string): Promise<readonly LiveSession[]>;
  /** Removes a session. */
  remove(sessionId: string): Promise<void>;
  /** Invalidates every session of a user that was added so far. */
  removeAll(userId: string): Promise<void>;
}

/** The longest time for which browsers keep a cookie. An `endAll` is remembered for longer than any session lives. */
export const maxLifetimeSeconds = 34_560_000;

/** A user who starts more sessions than this ends the oldest of them, so that every valid one can be listed. */
const maxListed = 1000;

const useNotedEveryMilliseconds = 60_000;

function readEntryOf(named: NamedSession, text: string | undefined): SessionEntry | undefined {
  if (named.entryText !== text) {
    named.entryText = text;
    named.entry = readRecord(sessionEntryShape, text);
  }
  return named.entry;
}

/** Creates the random id of a session: 128 bits. */
export function newSessionId(): string {
  return randomText(16, "base64url");
}

/** Binds the sessions of an app to its store. */
export function createSessionEntries(deps: SessionEntriesDeps): SessionEntries {
  const { store, clock, name, lifetimeSeconds, idleSeconds = Number.POSITIVE_INFINITY } = deps;
  // A minute longer, for clocks that differ.
  const ttlSeconds = lifetimeSeconds + 60;
  const keys = {
    entry: (sessionId: string) => `${name}:session:${sessionId}`,
    lastUse: (sessionId: string) => `${name}:session-use:${sessionId}`,
    generation: (userId: string) => `${name}:session-generation:${userId}`,
    count: (userId: string) => `${name}:session-count:${userId}`,
    listed: (userId: string, place: number) => `${name}:session-listed:${place}/${userId}`,
  };
  const remove = (sessionId: string) => store.put(keys.entry(sessionId), undefined, { ttlSeconds });

  /** Returns the session that these values describe, if it is valid at this instant. */
  function readLive(
    { userId, sessionId }: Pick<NamedSession, "userId" | "sessionId">,
    entry: SessionEntry | undefined,
    generation: string | undefined,
    lastUse: string | undefined,
    now: number,
  ): LiveSession | undefined {
    if (entry?.userId !== userId) return undefined;
    // A generation is forgotten only when all sessions before it have long expired.
    if (generation !== undefined && entry.generation !== generation) return undefined;
    const { startedAt, provenAt, expiresAt, label } = entry;
    const lastUsedAt = lastUse === undefined ? startedAt : Number(lastUse);
    const endsAt = Math.min(expiresAt, lastUsedAt + idleSeconds * 1000);
    return now < endsAt ? { userId, sessionId, startedAt, lastUsedAt, expiresAt, provenAt, label } : undefined;
  }

  async function noteUse(session: LiveSession, now: number): Promise<LiveSession> {
    // A key of its own: writing the entry could bring back a session that ended meanwhile. A use that was not noted is
    // published by the store, and at worst ends the session earlier.
    await store.put(keys.lastUse(session.sessionId), String(now), { ttlSeconds }).catch(() => undefined);
    return session;
  }

  return {
    async add({ sessionId, ...session }) {
      const { userId } = session;
      const [[generation], [counted]] = await Promise.all([
        store.get([keys.generation(userId)]),
        // The count outlives every place that it gave away.
        store.increment([{ key: keys.count(userId), by: 1, ttlSeconds: maxLifetimeSeconds + 60, renew: true }]),
      ]);
      const place = counted?.count ?? 0;
      const entry: SessionEntry = { ...session, generation };
      // An allow list: a session that the store lost is over. A deny list would bring ended sessions back.
      await Promise.all([
        store.put(keys.entry(sessionId), JSON.stringify(entry), { ttlSeconds }),
        store.put(keys.listed(userId, place), sessionId, { ttlSeconds }),
        place > maxListed && removeListed(userId, place - maxListed),
      ]);
    },

    name: (userId, sessionId) => ({
      userId,
      sessionId,
      keys: [keys.entry(sessionId), keys.generation(userId), keys.lastUse(sessionId)],
      entryText: undefined,
      entry: undefined,
    }),

    use: (named) =>
      store.get(named.keys).then((values) => {
        const now = clock.now();
        const session = readLive(named, readEntryOf(named, values[0]), values[1], values[2], now);
        const isNoted = !session || now - session.lastUsedAt < useNotedEveryMilliseconds;
        return isNoted ? session : noteUse(session, now);
      }),

    async list(userId) {
      const [[generation], [counted]] = await Promise.all([
        store.get([keys.generation(userId)]),
        store.increment([{ key: keys.count(userId), by: 0, ttlSeconds: maxLifetimeSeconds + 60 }]),
      ]);
      const newest = counted?.count ?? 0;
      const places = Array.from({ length: Math.min(newest, maxListed) }, (_, index) => newest - index);
      const listed = await store.get(places.map((place) => keys.listed(userId, place)));
      const sessionIds = listed.filter((sessionId) => sessionId !== undefined);
      const values = await store.get(sessionIds.flatMap((id) => [keys.entry(id), keys.lastUse(id)]));
      const now = clock.now();
      return sessionIds.flatMap((sessionId, index) => {
        const entry = readRecord(sessionEntryShape, values[2 * index]);
        const live = readLive({ userId, sessionId }, entry, generation, values[2 * index + 1], now);
        return live ? [live] : [];
      });
    },

    remove,

    async removeAll(userId) {
      // Random, not counted up: two calls at once and a lost entry then need no thought.
      const generation = randomText(12, "base64url");
      await store.put(keys.generation(userId), generation, { ttlSeconds: maxLifetimeSeconds + 60 });
    },
  };

  async function removeListed(userId: string, place: number): Promise<void> {
    const [sessionId] = await store.get([keys.listed(userId, place)]);
    if (sessionId !== undefined) await remove(sessionId);
  }
}
