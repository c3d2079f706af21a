import { randomUUID } from "node:crypto";
import { type DoorcodeParts, secondsSince } from "@doorcode/core/adapter";
import { addFigures, addTime, createFigures, type Figures, formatFigures, parseFigures } from "./figures.ts";
import { keptSeconds } from "./periods.ts";

/** Adds the figures of a process to documents of the store. */
export interface FiguresWriter {
  /** Keeps figures for the document with this key, until they are written. */
  add(key: string, figures: Figures): void;
  /**
   * Writes what was added. Returns whether another process held a document: then its figures are written the next time. Publishes the errors of
   * the store, and never rejects.
   */
  write(): Promise<boolean>;
}

const leaseSeconds = 10;
/** What a store that stays away may leave in memory: two documents for each hour of a day. */
const maxPending = 48;

/** Creates the writer of a process. */
export function createFiguresWriter({
  store,
  clock,
  publish,
}: Pick<DoorcodeParts, "store" | "clock" | "publish">): FiguresWriter {
  /** What is to be added, by the key of the document. */
  const pending = new Map<string, Figures>();

  function add(key: string, figures: Figures): void {
    const added = pending.get(key) ?? createFigures();
    addFigures(added, figures);
    pending.set(key, added);
    const [oldest] = pending.keys();
    if (pending.size > maxPending && oldest !== undefined) pending.delete(oldest);
  }

  /**
   * Adds to a document under its lease. What is pending stays if another process holds the lease or takes it over: nothing was written then.
   * If it is unknown whether the document was written, what was pending is dropped, because nothing may be counted twice.
   *
   * Returns false if another process holds the lease. Rejects with the store's error.
   */
  async function addToDocument(key: string, figures: Figures): Promise<boolean> {
    const token = randomUUID();
    const askedAt = clock.now();
    const { held, value } = await store.lease(key, token, { leaseSeconds, ttlSeconds: keptSeconds });
    if (!held) return false;
    const document = parseFigures(value);
    addFigures(document, figures);
    addTime(document, "store", secondsSince(clock, askedAt));
    pending.delete(key);
    const isWritten = await store.settle(key, token, formatFigures(document), { ttlSeconds: keptSeconds });
    if (!isWritten) add(key, figures);
    return isWritten;
  }

  return {
    add,
    async write() {
      let isHeldElsewhere = false;
      for (const [key, figures] of [...pending]) {
        try {
          if (!(await addToDocument(key, figures))) isHeldElsewhere = true;
        } catch (error) {
          publish({ type: "store.failed", error });
        }
      }
      return isHeldElsewhere;
    },
  };
}
