import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "@doorcode/core/store";
import type { ExploredRequest, Process } from "./history.ts";
import { turnEnd } from "./sealing.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** What a fault does to a call. The last one is about time: no call is answered while it passes. */
export type Fault = "fails" | "loses its answer" | "is cut off" | "stops before" | "stops after" | "time passes";

/** A call that changes nothing fails in fewer ways. */
export const readFaults: readonly Fault[] = ["fails", "is cut off", "stops before"];
export const writeFaults: readonly Fault[] = [...readFaults, "loses its answer", "stops after"];

/** A step of a schedule: a call, and what happens to it. */
export interface Option {
  /** `undefined` when time passes. */
  readonly call: PendingCall | undefined;
  /** `undefined` when the call is answered. */
  readonly fault: Fault | undefined;
}

/**
 * Chooses a step: the index of an option. The first options answer a call, and 0 that of the request that came last. The others are
 * faults.
 */
export type Decide = (answers: number, all: number) => number;

/** A line of a trace. */
export interface Step extends Option {
  readonly atMilliseconds: number;
  readonly result: unknown;
}

/** A call of the store, of the service or of the app. */
export interface Call<Result> {
  /** Who is called, and for what: "get transaction, approved". */
  readonly what: string;
  readonly faults: readonly Fault[];
  /** The caller's own deadline for an answer that does not come. Without one the kit has to end the wait. */
  readonly deadlineSeconds?: number;
  carryOut(): Promise<Result>;
}

interface PendingCall extends Call<unknown> {
  readonly request: ExploredRequest;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A lease is 15 seconds long. */
const beyondLeaseMilliseconds = 16_000;
/** No schedule needs so many steps: a request that does is in a loop. */
const maxSteps = 400;

/** Holds every call of the requests back, and lets one go on at a time. */
export class Scheduler {
  readonly steps: Step[] = [];
  /** The clock of the app. A task runs for the request that scheduled it, unless its process has stopped. */
  readonly clock: Clock;
  readonly #clock: VirtualClock;
  readonly #requests = new AsyncLocalStorage<ExploredRequest>();
  readonly #pending: PendingCall[] = [];
  #last: ExploredRequest | undefined;
  #holds = false;
  /** The request whose call is being carried out. */
  carriedFor: ExploredRequest | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.clock = {
      now: clock.now,
      schedule: (delay, task) => {
        const request = this.current;
        return clock.schedule(delay, () => {
          if (!request) task();
          else if (request.process.isRunning) this.runAs(request, task);
        });
      },
    };
  }

  /** The request that runs now. */
  get current(): ExploredRequest | undefined {
    return this.#requests.getStore();
  }

  /** Runs a function for a request: its calls are those of the request. */
  runAs<Result>(request: ExploredRequest, run: () => Result): Result {
    return this.#requests.run(request, run);
  }

  /** Makes a call, as soon as the scheduler lets it go on. A call of a process that has stopped never settles. */
  call<Result>(call: Call<Result>): Promise<Result> {
    const request = this.current;
    if (request && !request.process.isRunning) return new Promise(() => undefined);
    if (!this.#holds || !request) return this.#carryOut(request, call);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#pending.push({ ...call, carryOut: () => call.carryOut(), request, resolve, reject });
    return promise as Promise<Result>;
  }

  #carryOut<Result>(request: ExploredRequest | undefined, call: Call<Result>): Promise<Result> {
    this.carriedFor = request;
    try {
      return call.carryOut();
    } finally {
      this.carriedFor = undefined;
    }
  }

  /**
   * Sends requests, and runs until each is answered or stopped, one call at a time. Returns false if that has no end.
   *
   * @param decide - chooses each step. Without it every call goes on immediately.
   */
  async run(send: () => readonly Promise<unknown>[], decide?: Decide): Promise<boolean> {
    this.#holds = decide !== undefined;
    this.#last = undefined;
    const isEnded = await this.#runUntilDone(Promise.all(send()), decide);
    this.#holds = false;
    return isEnded;
  }

  async #runUntilDone(done: Promise<unknown>, decide: Decide | undefined): Promise<boolean> {
    let isDone = false;
    void done.then(() => {
      isDone = true;
    });
    for (let step = 0; step < maxSteps; step++) {
      await turnEnd();
      // Some work of the kit begins when a turn of the event loop is over.
      if (this.#pending.length === 0) await turnEnd();
      if (this.#pending.length > 0 && decide) await this.#step(decide);
      else if (isDone) return true;
      else if (!this.#clock.runFirst()) return false;
    }
    return false;
  }

  /** Lets time pass, for what waits for it. */
  async pass(seconds: number): Promise<void> {
    const until = this.#clock.now() + seconds * 1000;
    await turnEnd();
    while (this.#clock.runNext(until)) await turnEnd();
    await turnEnd();
  }

  async #step(decide: Decide): Promise<void> {
    const options = this.#options();
    const option = options[decide(this.#pending.length, options.length)] ?? { call: undefined, fault: undefined };
    const { call, fault } = option;
    const at = { ...option, atMilliseconds: this.#clock.now() };
    if (!call) {
      for (const { request } of this.#pending) request.faults.push({ fault: "time passes", what: "" });
      this.steps.push({ ...at, result: undefined });
      await this.pass(beyondLeaseMilliseconds / 1000);
      return;
    }
    this.#pending.splice(this.#pending.indexOf(call), 1);
    this.#last = call.request;
    if (fault) call.request.faults.push({ fault, what: call.what });
    this.steps.push({ ...at, result: await this.#settle(call, fault) });
  }

  async #settle(call: PendingCall, fault: Fault | undefined): Promise<unknown> {
    const isCarriedOut = fault !== "fails" && fault !== "stops before";
    const [outcome] = isCarriedOut ? await Promise.allSettled([this.#carryOut(call.request, call)]) : [];
    if (fault === "stops before" || fault === "stops after") this.#stop(call.request.process);
    else if (fault === "is cut off") this.#cutOff(call);
    else if (fault) call.reject(new Error(`The call ${fault}.`));
    else if (outcome?.status === "rejected") call.reject(outcome.reason);
    else call.resolve(outcome?.value);
    return outcome?.status === "rejected" ? outcome.reason : outcome?.value;
  }

  #cutOff({ deadlineSeconds, reject }: PendingCall): void {
    if (deadlineSeconds === undefined) return;
    this.#clock.schedule(deadlineSeconds * 1000, () => reject(new Error("No answer came in time.")));
  }

  /** Ends a process for good: none of its requests goes on. */
  #stop(process: Process): void {
    process.isRunning = false;
    const others = this.#pending.filter(({ request }) => request.process !== process);
    this.#pending.splice(0, this.#pending.length, ...others);
    process.stop();
  }

  /** Lists what can happen now: first the next call of the request that came last is answered. */
  #options(): readonly Option[] {
    const isLast = ({ request }: PendingCall) => request === this.#last;
    const calls = [...this.#pending.filter(isLast), ...this.#pending.filter((call) => !isLast(call))];
    const options: Option[] = calls.map((call) => ({ call, fault: undefined }));
    for (const call of calls) for (const fault of call.faults) options.push({ call, fault });
    options.push({ call: undefined, fault: "time passes" });
    return options;
  }
}
