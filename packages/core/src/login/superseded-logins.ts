import { z } from "zod";
import { readRecord } from "../store/checked-store.ts";
import { DoorcodeError } from "../util/errors.ts";
import type { LoginDeps } from "./login-deps.ts";
import { type LoginTransaction, outliveTransactionSeconds } from "./transaction.ts";

/*
 * A completed login supersedes every other login of its number that began before it. The record in the store has the
 * number's fingerprint as its key and names the completed login, which may still have to be finished after a crash.
 */

const supersessionShape = z.object({ atMilliseconds: z.number(), loginId: z.string() });

/** Returns the key under which a number's supersession is stored. */
export function supersessionKey({ name, keys }: LoginDeps, { phone }: Pick<LoginTransaction, "phone">): string {
  return `${name}:superseded:${keys.fingerprint(phone)}`;
}

/** Returns true when another login of the number was completed after this one began. */
export function isSuperseded({ createdAt, loginId }: LoginTransaction, stored: string | undefined): boolean {
  const supersession = readRecord(supersessionShape, stored);
  return supersession !== undefined && supersession.atMilliseconds >= createdAt && supersession.loginId !== loginId;
}

/**
 * Supersedes the other logins of the number, for a login that is being completed. It may be superseded itself by now:
 * while the app was asked for the user, the number may have been removed.
 *
 * @param starting - the session of the login, which is being started.
 * @throws {@link DoorcodeError} `no_transaction` if it is
 */
export async function supersedeOthersInTime(
  deps: LoginDeps,
  login: LoginTransaction,
  starting: Promise<unknown>,
): Promise<void> {
  // Only an app with `onRemove` removes numbers. Any other need not wait for the store once more.
  if (deps.callbacks.onRemove) {
    // A removal that supersedes this login after this read looks for sessions even later, and must find this one.
    await starting;
    const [supersession] = await deps.store.get([supersessionKey(deps, login)]);
    if (isSuperseded(login, supersession)) throw new DoorcodeError("no_transaction");
  }
  await supersedeOthers(deps, login);
}

/**
 * Supersedes all other logins of the number that began before now.
 *
 * @param winner - the login that was completed. With a random `loginId` every login of the number ends.
 */
export async function supersedeOthers(
  deps: LoginDeps,
  winner: Pick<LoginTransaction, "phone" | "loginId">,
): Promise<void> {
  const supersession = { atMilliseconds: deps.clock.now(), loginId: winner.loginId };
  const options = { ttlSeconds: outliveTransactionSeconds };
  await deps.store.put(supersessionKey(deps, winner), JSON.stringify(supersession), options);
}
