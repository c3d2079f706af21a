import type { Store } from "@doorcode/core/store";

/** One call of a store. */
export interface StoreCall {
  /** Its verb and the kinds of its keys: "get transaction, approved". */
  readonly what: string;
  readonly keys: readonly string[];
}

/** Wraps a store: `around` decides for every call when the store is asked, and what happens to its answer. */
export function interceptStore(
  inner: Store,
  around: <Result>(call: StoreCall, ask: () => Promise<Result>) => Promise<Result>,
): Store {
  const watch = <Result>(verb: string, keys: readonly string[], ask: () => Promise<Result>) =>
    around({ what: `${verb} ${[...new Set(keys.map(kindOf))].join(", ")}`, keys }, ask);

  return {
    get: (keys) => watch("get", keys, () => inner.get(keys)),
    put: (key, value, options) =>
      watch(value === undefined ? "delete" : "put", [key], () => inner.put(key, value, options)),
    increment: (changes) => {
      const keys = changes.map(({ key }) => key);
      return watch("increment", keys, () => inner.increment(changes));
    },
    lease: (key, token, options) => watch("lease", [key], () => inner.lease(key, token, options)),
    settle: (key, token, value, options) => watch("settle", [key], () => inner.settle(key, token, value, options)),
    // Hints, which no call waits for.
  };
}

/** What the short words of keys mean. */
const words: Readonly<Record<string, string>> = { login: "transaction" };

/** The purpose of a key of the kit, without the id in it. */
function kindOf(key: string): string {
  const [, kind = key, name, part] = key.split(":");
  if (kind === "webhook") return name ?? kind;
  if (kind === "login" && part === "code") return "newest-code";
  const word = words[kind] ?? kind;
  return word === "limits" ? word : (part ?? word);
}
