/** Those who listen to topics in one process. */
export interface ChangeListeners {
  /**
   * Adds a listener.
   *
   * @returns the topics that nobody has listened to before, and a function that removes the listener again. That one returns
   * the topics that nobody listens to any more; a second call returns none.
   */
  add(
    topics: readonly string[],
    onChange: () => void,
  ): { readonly added: readonly string[]; readonly remove: () => readonly string[] };
  /** Calls each listener of one of the topics once; without topics, every listener. */
  tell(topics?: readonly string[]): void;
  /** Tells whether somebody listens to a topic. */
  has(topic: string): boolean;
  /** The topics that somebody listens to. */
  topics(): readonly string[];
}

/**
 * Creates an empty list of listeners, for an implementation of {@link StoreChanges}.
 *
 * @example
 * import { createChangeListeners } from "@doorcode/core/store";
 * const listeners = createChangeListeners();
 * const { remove } = listeners.add(["topic"], () => console.log("something has changed"));
 * listeners.tell(["topic"]);
 * remove();
 */
export function createChangeListeners(): ChangeListeners {
  const byTopic = new Map<string, Set<() => void>>();

  function addTo(topic: string, listener: () => void): boolean {
    const found = byTopic.get(topic);
    if (found) found.add(listener);
    else byTopic.set(topic, new Set([listener]));
    return found === undefined;
  }

  function removeFrom(topic: string, listener: () => void): boolean {
    const found = byTopic.get(topic);
    const isLast = found?.delete(listener) === true && found.size === 0;
    if (isLast) byTopic.delete(topic);
    return isLast;
  }

  return {
    add(topics, onChange) {
      // A function of its own: the same callback may be added twice.
      const listener = () => onChange();
      const added = topics.filter((topic) => addTo(topic, listener));
      return { added, remove: () => topics.filter((topic) => removeFrom(topic, listener)) };
    },
    tell(topics = [...byTopic.keys()]) {
      if (byTopic.size === 0) return;
      const told = new Set(topics.flatMap((topic) => [...(byTopic.get(topic) ?? [])]));
      for (const listener of told) listener();
    },
    has: (topic) => byTopic.has(topic),
    topics: () => [...byTopic.keys()],
  };
}
