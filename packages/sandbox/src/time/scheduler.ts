import type { Task } from "../state/schedule.ts";
import { type ApplicationScheduler, createApplicationScheduler, type SchedulerDeps } from "./application-scheduler.ts";

/** The scheduled work of all applications, each on its own clock. */
export interface Scheduler {
  of(applicationId: string): ApplicationScheduler;
  /** Returns the time of the application's clock, in Unix milliseconds. */
  now(applicationId: string): number;
  /** Schedules a task. It replaces the task that was scheduled with the same id. */
  schedule(applicationId: string, id: string, delayMilliseconds: number, task: Task): void;
  /** Cancels a task, if there is one with this id. */
  cancel(id: string): void;
  /** Continues with the scheduled tasks in the state, after a restart of the process. */
  resume(applicationId: string): void;
  /** Stops and removes the clock of an application. */
  remove(applicationId: string): void;
  close(): void;
}

/** Creates the scheduler. Scheduled tasks are records of the state; the scheduler runs them when they are due. */
export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { state } = deps;
  const schedulers = new Map<string, ApplicationScheduler>();
  let closed = false;
  const of = (applicationId: string) => {
    const known = schedulers.get(applicationId);
    if (known) return known;
    const created = createApplicationScheduler(deps, applicationId);
    schedulers.set(applicationId, created);
    if (closed) created.stop();
    return created;
  };

  return {
    of,
    now: (applicationId) => of(applicationId).now(),
    schedule(applicationId, id, delayMilliseconds, task) {
      const scheduler = of(applicationId);
      const scheduled = { id, applicationId, dueMilliseconds: scheduler.now() + delayMilliseconds, task };
      state.scheduledTasks.put(scheduled);
      scheduler.add(scheduled);
    },
    cancel: (id) => state.scheduledTasks.remove(id),
    resume(applicationId) {
      for (const task of state.scheduledTasks.list(applicationId)) of(applicationId).add(task);
    },
    remove(applicationId) {
      schedulers.get(applicationId)?.stop();
      schedulers.delete(applicationId);
      state.clockRates.remove(applicationId);
    },
    close() {
      closed = true;
      for (const scheduler of schedulers.values()) scheduler.stop();
    },
  };
}
