import { randomUUID } from "node:crypto";
import { type Doorcode, doorcodeParts, scheduleInBackground, secondsSince } from "@doorcode/core/adapter";
import { checkRelease } from "../options.ts";
import { addFigures, addTime, createFigures, type Figures, formatFigures, parseFigures } from "./figures.ts";
import { createMeasure } from "./measure.ts";
import { dayKey, hourKey, hourMilliseconds, keptSeconds } from "./periods.ts";

/** Options of {@link recordFigures}. */
export interface RecordOptions {
  /** The release of your app, such as `"2026-11-27.1"`: the page compares releases. Default: none. */
  readonly release?: string | undefined;
}

/** The figures that this process records. */
export interface FiguresRecorder {
  /** Writes what was counted since the last time. A store that fails is tried again; rejects never. */
  flush(): Promise<void>;
  /** Writes what was counted, and counts no more. */
  stop(): Promise<void>;
}

const flushMilliseconds = 5000;
const leaseSeconds = 10;
/** What a store that stays away may leave in memory: two documents for each hour of a day. */
const maxPending = 48;

/** A process that ends tries for about two seconds to write its last figures. */
const maxLastTries = 20;
const lastPauseMilliseconds = 100;

const recorders = new WeakMap<object, FiguresRecorder>();

/**
 * Counts this kit's events, for the operators' page: {@link createOperations} does so itself. Call it in processes that only work and
 * mount no page.
 *
 * A login makes no further call of the store. About every five seconds the process adds what it has counted to the documents of the hour and
 * of the day, so any number of processes add up. A process that dies loses the last five seconds.
 */
export function recordFigures(doorcode: Doorcode, { release }: RecordOptions = {}): FiguresRecorder {
  checkRelease(release);
  const parts = doorcode[doorcodeParts];
  const known = recorders.get(parts);
  if (known) return known;
  const { clock, store, name, listen, publish, beforeClose } = parts;
  const measure = createMeasure(release);
  /** What was counted in an hour, which begins at this instant. */
  let current = { hour: 0, figures: createFigures() };
  /** What is to be added, by the key of the document. */
  const pending = new Map<string, Figures>();
  let writing: Promise<boolean> = Promise.resolve(false);
  let isStopped = false;

  const stopListening = listen((event) => {
    const at = clock.now();
    const hour = at - (at % hourMilliseconds);
    if (hour !== current.hour) {
      settleCurrent();
      current.hour = hour;
    }
    measure(event, current.figures, at);
  });

  function settleCurrent(): void {
    const { hour, figures } = current;
    current = { hour: 0, figures: createFigures() };
    if (hour === 0) return;
    // The page shows the lists of a day, and none of an hour.
    const { counts, times } = figures;
    addPending(hourKey(name, hour), { ...createFigures(), counts, times });
    addPending(dayKey(name, hour), figures);
  }

  function addPending(key: string, figures: Figures): void {
    const added = pending.get(key) ?? createFigures();
    addFigures(added, figures);
    pending.set(key, added);
    const [oldest] = pending.keys();
    if (pending.size > maxPending && oldest !== undefined) pending.delete(oldest);
  }

  /** Returns whether another process held a document, which is written the next time then. */
  async function write(): Promise<boolean> {
    settleCurrent();
    let isHeldElsewhere = false;
    for (const [key, figures] of [...pending]) {
      try {
        if (!(await addToDocument(key, figures))) isHeldElsewhere = true;
      } catch (error) {
        publish({ type: "store.failed", error });
      }
    }
    return isHeldElsewhere;
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
    if (!isWritten) addPending(key, figures);
    return isWritten;
  }

  async function flush(): Promise<void> {
    await writeInTurn();
  }

  /** One at a time: two writes of this process would wait for each other's leases. */
  function writeInTurn(): Promise<boolean> {
    writing = writing.then(write);
    return writing;
  }

  /** Processes that end together want the same documents. */
  async function writeLast(): Promise<void> {
    for (let tries = 1; (await writeInTurn()) && tries < maxLastTries; tries += 1) {
      await new Promise<void>((resolve) => clock.schedule(lastPauseMilliseconds * (0.5 + Math.random()), resolve));
    }
  }

  let cancel = scheduleNext();

  function scheduleNext(): () => void {
    // Processes that start together must not ask for the same lease at the same moment, each time again.
    const delay = flushMilliseconds * (0.8 + 0.4 * Math.random());
    return scheduleInBackground(clock, delay, () => {
      void flush().then(() => {
        if (!isStopped) cancel = scheduleNext();
      });
    });
  }

  const recorder: FiguresRecorder = {
    flush,
    async stop() {
      isStopped = true;
      cancel();
      stopListening();
      recorders.delete(parts);
      beforeClose.delete(recorder.stop);
      await writeLast();
    },
  };
  recorders.set(parts, recorder);
  beforeClose.add(recorder.stop);
  return recorder;
}
