import { z } from "zod";
import { type ProvenBy, provenByValues } from "../login/account.ts";
import { readRecord } from "../store/checked-store.ts";
import type { Store } from "../store/store.ts";
import type { Clock } from "../util/clock.ts";
import { newRandomText } from "../util/keys.ts";

/*
 * The sessions of an app in its store. The record of a session alone decides: the cookie only names it, so a cookie that was sealed
 * with a stolen password proves nothing. Each record keeps the generation that its user had at the start. `endAll` gives the user a new
 * generation, which ends all records of the earlier ones, also if the clocks of the processes differ.
 */

const recordShape = z.object({
  userId: z.string(),
  startedAt: z.number(),
  provenAt: z.number().optional(),
  provenBy: z.enum(provenByValues).optional(),
  expiresAt: z.number(),
  label: z.string().optional(),
  /** Absent if no `endAll` had been called at the start. */
  generation: z.string().optional(),
});

type SessionRecord = z.output<typeof recordShape>;

/** A session that is valid now. Instants are Unix milliseconds. */
export interface ActiveSession {
  readonly sessionId: string;
  readonly startedAt: number;
  /** The last use, to about a minute. */
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** The newest proof of this session, an older one is not kept; `undefined` if it never had one. */
  readonly provenAt: number | undefined;
  /** What that proof was of: the phone number, or a passkey. */
  readonly provenBy: ProvenBy | undefined;
  /** The label that the app gave when the session started, such as the name of the browser. */
  readonly label: string | undefined;
}

/** A session that is valid now, and whose it is. */
export interface LiveSession extends ActiveSession {
  readonly userId: string;
}

/** The store of an app's sessions, and how long they live. */
export interface SessionRecordsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly name: string;
  readonly lifetimeSeconds: number;
  /** The time without use after which a session ends; left out for none. */
  readonly idleSeconds?: number | undefined;
}

/** The longest time for which browsers keep a cookie. An `endAll` is remembered for longer than any session lives. */
export const maxLifetimeSeconds = 34_560_000;

/** A user who starts more sessions than this ends the oldest of them, so that every valid one can be listed. */
const maxListed = 1000;

const useNotedEveryMilliseconds = 60_000;

/** What is kept of a user outlives each of the user's sessions. */
const ofUser = { ttlSeconds: maxLifetimeSeconds + 60 };

const sessionKey = ({ name }: SessionRecordsDeps, sessionId: string) => `${name}:session:${sessionId}`;
const lastUseKey = ({ name }: SessionRecordsDeps, sessionId: string) => `${name}:session-use:${sessionId}`;
/** Returns the key of a user's generation, which `endAll` replaces. */
export const generationKey = ({ name }: Pick<SessionRecordsDeps, "name">, userId: string): string =>
  `${name}:session-generation:${userId}`;
const countKey = ({ name }: SessionRecordsDeps, userId: string) => `${name}:session-count:${userId}`;
const listedKey = ({ name }: SessionRecordsDeps, userId: string, place: number) =>
  `${name}:session-listed:${place}/${userId}`;

/** What is kept of a session outlives it by a minute, for clocks that differ. */
function ofSession({ lifetimeSeconds }: SessionRecordsDeps): { readonly ttlSeconds: number } {
  return { ttlSeconds: lifetimeSeconds + 60 };
}

/** Adds a session under an id that was never used, and lists it with its user's. */
export async function addSession(
  deps: SessionRecordsDeps,
  { sessionId, ...session }: Omit<LiveSession, "lastUsedAt">,
): Promise<void> {
  const { userId } = session;
  const { generation, count: place } = await readUser(deps, userId, 1);
  const record: SessionRecord = { ...session, generation };
  // An allow list: a session that the store lost is over. A deny list would bring ended sessions back.
  const written = await Promise.allSettled([
    deps.store.put(sessionKey(deps, sessionId), JSON.stringify(record), ofSession(deps)),
    deps.store.put(listedKey(deps, userId, place), sessionId, ofSession(deps)),
    place > maxListed && removeListed(deps, userId, place - maxListed),
  ]);
  const failed = written.find(({ status }) => status === "rejected");
  if (failed?.status !== "rejected") return;
  // Perhaps only an answer of the store was lost. The user would find a session in the list that no browser has.
  await Promise.allSettled([removeSession(deps, sessionId)]);
  throw failed.reason;
}

/** Returns a session of a user if it is valid, in one read. */
export async function findSession(
  deps: SessionRecordsDeps,
  userId: string,
  sessionId: string,
): Promise<LiveSession | undefined> {
  const keys = [sessionKey(deps, sessionId), generationKey(deps, userId), lastUseKey(deps, sessionId)];
  const [text, generation, lastUse] = await deps.store.get(keys);
  return readLive(deps, { userId, sessionId }, text, generation, lastUse);
}

/** Returns a session as {@link findSession} does, and notes its use at most once a minute. */
export async function useSession(
  deps: SessionRecordsDeps,
  userId: string,
  sessionId: string,
): Promise<LiveSession | undefined> {
  const { store, clock } = deps;
  const session = await findSession(deps, userId, sessionId);
  const now = clock.now();
  // A use that lies ahead was noted before the clock was set back, or by a clock that is ahead: the session would stay for too long.
  if (!session || Math.abs(now - session.lastUsedAt) < useNotedEveryMilliseconds) return session;
  // A separate key: writing the record could bring back a session that ended meanwhile. The store publishes its failure, and
  // a use that was not noted ends the session earlier at worst.
  await store.put(lastUseKey(deps, sessionId), String(now), ofSession(deps)).catch(() => undefined);
  return session;
}

/** Returns the valid sessions of a user, the newest first. */
export async function listSessions(deps: SessionRecordsDeps, userId: string): Promise<readonly LiveSession[]> {
  const { store } = deps;
  const { generation, count: newest } = await readUser(deps, userId, 0);
  const places = Array.from({ length: Math.min(newest, maxListed) }, (_, index) => newest - index);
  const listed = await store.get(places.map((place) => listedKey(deps, userId, place)));
  const sessionIds = listed.filter((sessionId) => sessionId !== undefined);
  const values = await store.get(sessionIds.flatMap((id) => [sessionKey(deps, id), lastUseKey(deps, id)]));
  return sessionIds.flatMap((sessionId, index) => {
    const [text, lastUse] = values.slice(2 * index);
    return readLive(deps, { userId, sessionId }, text, generation, lastUse) ?? [];
  });
}

/** Removes a session. */
export async function removeSession(deps: SessionRecordsDeps, sessionId: string): Promise<void> {
  await deps.store.put(sessionKey(deps, sessionId), undefined, ofSession(deps));
}

/** Removes the sessions of a user except one. */
export async function removeOtherSessions(
  deps: SessionRecordsDeps,
  { userId, sessionId: own }: { readonly userId: string; readonly sessionId?: string | undefined },
): Promise<void> {
  // A session is listed before its cookie is handed out, so none that a browser holds is missing here.
  const others = (await listSessions(deps, userId)).filter(({ sessionId }) => sessionId !== own);
  await Promise.all(others.map(({ sessionId }) => removeSession(deps, sessionId)));
}

/** Invalidates every session of a user that was added so far. */
export async function removeAllSessions(deps: SessionRecordsDeps, userId: string): Promise<void> {
  // Random, not counted up: two calls at the same time and a lost entry then need no thought.
  await deps.store.put(generationKey(deps, userId), newRandomText(), ofUser);
}

async function removeListed(deps: SessionRecordsDeps, userId: string, place: number): Promise<void> {
  const [sessionId] = await deps.store.get([listedKey(deps, userId, place)]);
  if (sessionId !== undefined) await removeSession(deps, sessionId);
}

/** Reads the generation of a user, and counts sessions that the user has started. */
async function readUser(
  deps: SessionRecordsDeps,
  userId: string,
  started: 0 | 1,
): Promise<{ readonly generation: string | undefined; readonly count: number }> {
  const { store } = deps;
  const change = { key: countKey(deps, userId), by: started, ...ofUser, renew: started > 0 };
  const [[generation], [counted]] = await Promise.all([
    store.get([generationKey(deps, userId)]),
    store.increment([change]),
  ]);
  return { generation, count: counted?.count ?? 0 };
}

/** Returns the session of a user that these values describe, if it is valid now: its record, the generation of its user, and its last use. */
function readLive(
  { idleSeconds = Number.POSITIVE_INFINITY, clock }: SessionRecordsDeps,
  { userId, sessionId }: Pick<LiveSession, "userId" | "sessionId">,
  text: string | undefined,
  generation: string | undefined,
  lastUse: string | undefined,
): LiveSession | undefined {
  const record = readRecord(recordShape, text);
  if (record?.userId !== userId) return undefined;
  // A generation is forgotten only when all sessions before it have long expired.
  if (generation !== undefined && record.generation !== generation) return undefined;
  const { startedAt, provenAt, provenBy, expiresAt, label } = record;
  const lastUsedAt = lastUse === undefined ? startedAt : Number(lastUse);
  const endsAt = Math.min(expiresAt, lastUsedAt + idleSeconds * 1000);
  if (clock.now() >= endsAt) return undefined;
  return { userId, sessionId, startedAt, lastUsedAt, expiresAt, provenAt, provenBy, label };
}
