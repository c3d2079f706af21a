import type { Clock } from "@doorcode/core/clock";
import type { Job } from "bullmq";

type HandleJob<Data> = (job: Job<Data>, token?: string) => Promise<void>;

/** The jobs under way in a worker. */
export interface KeptJobs<Data> {
  readonly run: HandleJob<Data>;
  /** Resolves when none of those that run now is under way any more. */
  done(): Promise<void>;
  /** Lets the locks run out. */
  giveUp(): void;
}

/**
 * Runs jobs, and keeps each locked while it runs.
 *
 * BullMQ can do so itself, and does not stop when a worker is given up: another one would wait, and the process not end.
 */
export function createKeptJobs<Data>(
  clock: Clock,
  lockSeconds: number,
  handle: HandleJob<Data>,
  onError: (error: unknown) => void,
): KeptJobs<Data> {
  const underWay = new Set<Promise<void>>();
  let givenUp = false;

  async function keepLocked(job: Job<Data>, token: string, work: () => Promise<void>): Promise<void> {
    let cancel = (): void => undefined;
    let isDone = false;
    const renewLater = () => {
      if (!isDone && !givenUp) cancel = clock.schedule((lockSeconds / 3) * 1000, renew);
    };
    const renew = () =>
      void (
        givenUp ||
        job
          .extendLock(token, lockSeconds * 1000)
          .catch(onError)
          .then(renewLater)
      );
    renewLater();
    try {
      await work();
    } finally {
      isDone = true;
      cancel();
    }
  }

  return {
    async run(job, token = "") {
      const running = keepLocked(job, token, () => handle(job, token));
      const settled = running.catch(() => undefined);
      underWay.add(settled);
      try {
        await running;
      } finally {
        underWay.delete(settled);
      }
    },
    async done() {
      await Promise.all(underWay);
    },
    giveUp() {
      givenUp = true;
    },
  };
}
