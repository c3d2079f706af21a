import {
  type Clock,
  type Doorcode,
  type DoorcodeParts,
  doorcodeParts,
  scheduleInBackground,
  wait,
} from "@doorcode/core/adapter";
import { checkRelease } from "../options.ts";
import { createFigures } from "./figures.ts";
import { createMeasure, type Measure } from "./measure.ts";
import { dayKey, hourKey, hourMilliseconds } from "./periods.ts";
import { createFiguresWriter, type FiguresWriter } from "./write-figures.ts";

/** Options of {@link recordFigures}. */
export interface RecordOptions {
  /**
   * The release of your app, such as `"2026-11-27.1"`: the page compares releases. A kit has one in a process: the first call that names one
   * decides, and what was counted before belongs to none. Default: none.
   */
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
/** A process that ends tries for about two seconds to write its last figures. */
const maxLastTries = 20;
const lastPauseMilliseconds = 100;

/** A recorder, and the release that it counts for. */
interface Recording {
  readonly recorder: FiguresRecorder;
  release: string | undefined;
}

/** The recordings of the process, by the parts of their kit. */
const recordings = new WeakMap<object, Recording>();

/**
 * Counts this kit's events, for the operators' page: {@link createOperations} does so itself. Call it in processes that only work and
 * mount no page.
 *
 * A login makes no further call of the store. About every five seconds the process adds what it has counted to the documents of the hour and
 * of the day, so any number of processes add up. A process that dies loses the last five seconds.
 *
 * @throws TypeError for a malformed release, and for one that differs from the release of an earlier call
 */
export function recordFigures(doorcode: Doorcode, { release }: RecordOptions = {}): FiguresRecorder {
  checkRelease(release);
  const parts = doorcode[doorcodeParts];
  const known = recordings.get(parts);
  if (known) {
    nameRelease(known, release);
    return known.recorder;
  }
  const { clock, beforeClose } = parts;
  const writer = createFiguresWriter(parts);
  const measure = createMeasure(() => recording.release);
  const tally = createTally(parts, measure, writer);
  const write = createWrite(tally, writer);
  let isStopped = false;
  let cancel = scheduleNext();

  async function flush(): Promise<void> {
    await write();
  }

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
      tally.stop();
      recordings.delete(parts);
      beforeClose.delete(recorder.stop);
      await writeLast(clock, write);
    },
  };
  const recording: Recording = { recorder, release };
  recordings.set(parts, recording);
  beforeClose.add(recorder.stop);
  return recorder;
}

/** Creates the function that writes what was counted. One at a time: two writes of this process would wait for each other's leases. */
function createWrite(tally: Tally, writer: FiguresWriter): () => Promise<boolean> {
  let writing: Promise<boolean> = Promise.resolve(false);
  return () => {
    writing = writing.then(() => {
      tally.settle();
      return writer.write();
    });
    return writing;
  };
}

/** Writes until everything is written: processes that end together want the same documents. */
async function writeLast(clock: Clock, write: () => Promise<boolean>): Promise<void> {
  for (let tries = 1; (await write()) && tries < maxLastTries; tries += 1) {
    await wait(clock, lastPauseMilliseconds * (0.5 + Math.random()));
  }
}

/** Sets the release of a recording that has none. Two releases of one process would split its figures. */
function nameRelease(recording: Recording, release: string | undefined): void {
  if (release === undefined) return;
  recording.release ??= release;
  if (recording.release === release) return;
  throw new TypeError(
    `recordFigures: release: expected "${recording.release}", as in an earlier call for this kit, and not "${release}". Give recordFigures() and operations() the same release.`,
  );
}

type Tally = ReturnType<typeof createTally>;

/** Counts the events of a kit, and hands what it has counted in an hour to the writer. */
function createTally({ clock, name, listen }: DoorcodeParts, measure: Measure, writer: FiguresWriter) {
  /** What was counted in an hour, which begins at this instant. */
  let current = { hour: 0, figures: createFigures() };

  function settle(): void {
    const { hour, figures } = current;
    current = { hour: 0, figures: createFigures() };
    if (hour === 0) return;
    // The page shows the lists of a day, and none of an hour.
    const { counts, times } = figures;
    writer.add(hourKey(name, hour), { ...createFigures(), counts, times });
    writer.add(dayKey(name, hour), figures);
  }

  const stop = listen((event) => {
    const at = clock.now();
    const hour = at - (at % hourMilliseconds);
    if (hour !== current.hour) {
      settle();
      current.hour = hour;
    }
    measure(event, current.figures, at);
  });

  return { settle, stop };
}
