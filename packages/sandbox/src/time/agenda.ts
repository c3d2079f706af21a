import type { Task } from "../state/plan.ts";
import { type ApplicationTime, createApplicationTime, type TimeParts } from "./application-time.ts";

/** What is still to happen, for every application on its own clock. */
export interface Agenda {
  /** The time of an application. */
  of(applicationId: string): ApplicationTime;
  /** The application's clock, in Unix milliseconds. */
  now(applicationId: string): number;
  /** Plans a task. The same id plans it anew: what was planned under it before is taken back. */
  plan(applicationId: string, id: string, delayMilliseconds: number, task: Task): void;
  /** Takes a plan back; one that is not there is no mistake. */
  takeBack(id: string): void;
  /** Goes on with what the state holds, in a process that has just begun. */
  resume(applicationId: string): void;
  /** Stops the clock of an application that is no more. */
  drop(applicationId: string): void;
  /** Performs nothing any more. */
  close(): void;
}

/** Creates the agenda. Plans are records of the state; this only brings each to its time. */
export function createAgenda(parts: TimeParts): Agenda {
  const { state } = parts;
  const times = new Map<string, ApplicationTime>();
  let closed = false;
  const of = (applicationId: string) => {
    const known = times.get(applicationId);
    if (known) return known;
    const time = createApplicationTime(parts, applicationId);
    times.set(applicationId, time);
    if (closed) time.stop();
    return time;
  };

  return {
    of,
    now: (applicationId) => of(applicationId).now(),
    plan(applicationId, id, delayMilliseconds, task) {
      const time = of(applicationId);
      const plan = { id, applicationId, dueMilliseconds: time.now() + delayMilliseconds, task };
      state.plans.put(plan);
      time.await(plan);
    },
    takeBack: (id) => state.plans.remove(id),
    resume(applicationId) {
      for (const plan of state.plans.list(applicationId)) of(applicationId).await(plan);
    },
    drop(applicationId) {
      times.get(applicationId)?.stop();
      times.delete(applicationId);
      state.paces.remove(applicationId);
    },
    close() {
      closed = true;
      for (const time of times.values()) time.stop();
    },
  };
}
