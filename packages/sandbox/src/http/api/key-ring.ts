import { createHash } from "node:crypto";
import { accountId } from "../../state/account.ts";
import type { Application } from "../../state/application.ts";
import type { State } from "../../state/state.ts";

/** Finds the application that a key opens, in the same time however many there are and however much of a key is right. */
export type KeyRing = (apiKey: string) => Application | undefined;

/** Creates a key ring that follows rotations and revocations. */
export function createKeyRing(state: State): KeyRing {
  const idsOfKeys = new Map<string, string>();
  const keysOfIds = new Map<string, string>();
  const put = ({ id, apiKey }: Application) => {
    idsOfKeys.delete(keysOfIds.get(id) ?? "");
    keysOfIds.delete(id);
    if (apiKey === undefined) return;
    keysOfIds.set(id, digest(apiKey));
    idsOfKeys.set(digest(apiKey), id);
  };
  state.applications.list(accountId).forEach(put);
  state.applications.watch((application, change) =>
    put(change === "removed" ? { ...application, apiKey: undefined } : application),
  );

  return (apiKey) => state.applications.get(idsOfKeys.get(digest(apiKey)) ?? "");
}

/** Looked up by its digest, a key tells nothing of itself by how long the search takes. */
function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
