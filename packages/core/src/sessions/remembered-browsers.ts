import { z } from "zod";
import { isKnownDevice } from "../limits/after-sending.ts";
import { readLinkedPhone } from "../login/account.ts";
import type { LoginDeps } from "../login/login-deps.ts";
import { readRecord } from "../store/checked-store.ts";
import { digestOfId, newRandomText } from "../util/keys.ts";
import { generationKey } from "./session-records.ts";

/*
 * The browsers that need no further step-up for a time, because their users have asked for it. A record of the store says so, under the
 * user's id and the digest of the device's id. It ends with the user's generation (a logout everywhere), with that of the user's remembered
 * browsers (a link, or the app), when the account's number is another one, and when the device is no longer a known device of the number.
 */

/** The longest time for which a browser is remembered: 30 days. */
export const maxRememberSeconds = 2_592_000;

/** What is kept in the store is kept for a minute more, for clocks that differ. */
const outliving = (seconds: number) => ({ ttlSeconds: seconds + 60 });

const recordShape = z.object({
  phoneFingerprint: z.string(),
  until: z.number(),
  /** The generations of the user's sessions and remembered browsers when the browser was remembered; absent if there was none. */
  sessions: z.string().optional(),
  browsers: z.string().optional(),
});

/** Remembers a browser that has proven the account's number. */
export type Remember = (proof: { readonly phone: string; readonly deviceId: string }) => Promise<void>;

/** The remembered browsers of an app. All functions reject with `store_unavailable` if the store does. */
export interface RememberedBrowsers {
  /** Prepares to remember a browser, before the code is judged: what forgets the user's browsers then forgets it too. */
  prepare(userId: string, seconds: number): Promise<Remember>;
  /** Tells whether the browser of a user is remembered. */
  includes(userId: string, deviceId: string): Promise<boolean>;
  /** Forgets every remembered browser of a user. */
  forget(userId: string): Promise<void>;
}

/** Binds the remembered browsers to the store of an app. */
export function createRememberedBrowsers(deps: LoginDeps): RememberedBrowsers {
  const { name, store, clock, keys } = deps;
  const recordKey = (userId: string, deviceId: string) => `${name}:remembered:${digestOfId(deviceId)}/${userId}`;
  const browsersKey = (userId: string) => `${name}:remembered-generation:${userId}`;
  const generationKeys = (userId: string) => [generationKey(deps, userId), browsersKey(userId)];

  return {
    async prepare(userId, seconds) {
      const [sessions, browsers] = await store.get(generationKeys(userId));
      return async ({ phone, deviceId }) => {
        const until = clock.now() + seconds * 1000;
        const record = { phoneFingerprint: keys.fingerprint(phone), until, sessions, browsers };
        await store.put(recordKey(userId, deviceId), JSON.stringify(record), outliving(seconds));
      };
    },
    async includes(userId, deviceId) {
      const [text, sessions, browsers] = await store.get([recordKey(userId, deviceId), ...generationKeys(userId)]);
      const record = readRecord(recordShape, text);
      if (!record || clock.now() >= record.until) return false;
      // A generation is forgotten only when all browsers that were remembered before it have expired.
      if (sessions !== undefined && record.sessions !== sessions) return false;
      if (browsers !== undefined && record.browsers !== browsers) return false;
      const phone = await readLinkedPhone(deps, userId);
      if (phone === undefined || keys.fingerprint(phone) !== record.phoneFingerprint) return false;
      return isKnownDevice(deps, phone, digestOfId(deviceId));
    },
    async forget(userId) {
      await store.put(browsersKey(userId), newRandomText(), outliving(maxRememberSeconds));
    },
  };
}
