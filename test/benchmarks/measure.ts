import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";

/** What work cost a process: CPU time on all of its threads, and time on the clock, both for one operation. */
export interface Cost {
  readonly cpuMicroseconds: number;
  readonly wallMicroseconds: number;
}

/** A program of this folder in a process of its own. */
export interface Program {
  /** What the program said when it was ready, such as the port on which it listens. */
  readonly ready: unknown;
  /** The memory of the process. */
  bytes(): Promise<number>;
  /** Runs so many operations in the program. */
  run(operations: number): Promise<Cost>;
  /** Runs work of this process, such as requests, and returns what it cost the program. */
  during(operations: number, work: () => Promise<unknown>): Promise<Cost>;
  stop(): void;
}

/** Starts a program, with what it is asked to be. */
export async function start(file: string, ...words: readonly string[]): Promise<Program> {
  // What lives is counted without garbage, of which a large heap has much.
  const execArgv = words.includes("pending") || words.includes("soak") ? ["--expose-gc"] : [];
  const env = { ...process.env, NODE_ENV: "production" };
  const child = fork(file, words, { cwd: import.meta.dirname, execArgv, env });
  const ended = once(child, "exit").then(fail);
  // A program that is stopped ends without anyone waiting.
  ended.catch(() => undefined);
  const answer = async () => (await Promise.race([once(child, "message"), ended]))[0];
  const ready = await answer();
  const ask = (operations: number) => {
    child.send(operations);
    return answer() as Promise<{ readonly cpuMicroseconds: number; readonly bytes: number }>;
  };
  async function during(operations: number, work: () => Promise<unknown>): Promise<Cost> {
    const [before, wallBefore] = [await ask(0), performance.now()];
    await work();
    const wallMicroseconds = ((performance.now() - wallBefore) * 1000) / operations;
    const after = await ask(0);
    return { cpuMicroseconds: (after.cpuMicroseconds - before.cpuMicroseconds) / operations, wallMicroseconds };
  }
  return {
    ready,
    during,
    // Below 0 nothing runs, and garbage is collected first: only here, because a collection would cost what is measured next.
    bytes: async () => (await ask(-1)).bytes,
    run: (operations) => during(operations, () => ask(operations)),
    stop: () => child.kill(),
  };
}

function fail(): never {
  throw new Error("A program of the benchmark has ended. Its error is above.");
}

/** Answers {@link Program}, in the program: says that it is ready, and runs operations, some of them at the same time. */
export function serve(ready: unknown, operation?: (index: number) => unknown, atOnce = 1): void {
  let index = 0;
  async function run(operations: number): Promise<void> {
    const end = index + operations;
    const next = async () => {
      while (index < end) await operation?.(index++);
    };
    await Promise.all(Array.from({ length: atOnce }, next));
  }
  process.on("message", async (operations: number) => {
    await run(operations);
    if (operations < 0) globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const { heapUsed, rss } = process.memoryUsage();
    process.send?.({ cpuMicroseconds: user + system, bytes: globalThis.gc ? heapUsed : rss });
  });
  process.send?.(ready);
}

/** Measures subjects in turns, and returns the median of each. The first round warms up and does not count. */
export async function measure(
  rounds: number,
  subjects: Readonly<Record<string, () => Promise<number>>>,
): Promise<Readonly<Record<string, number>>> {
  const figures = new Map(Object.keys(subjects).map((name) => [name, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, subject] of Object.entries(subjects)) {
      const figure = await subject();
      if (round > 0) figures.get(name)?.push(figure);
    }
  }
  return Object.fromEntries([...figures].map(([name, all]) => [name, median(all)]));
}

/** Returns the middle one of figures. */
export function median(figures: readonly number[]): number {
  return figures.toSorted((left, right) => left - right)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** A browser: its cookies, and an address of its own, so that people do not share the limits of one address. */
export class Visitor {
  readonly cookies: Map<string, string> = new Map();
  readonly #port: number;
  readonly #address: string;

  constructor(port: number, index: number) {
    this.#port = port;
    this.#address = `10.${(index >> 8) & 255}.${index & 255}.1`;
  }

  /** Sends a request as a page does, and rejects if the status of the answer is not 2xx. */
  async ask(
    method: "GET" | "POST",
    path: string,
    body = "",
    more: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const headers = {
      host: "app.example.com",
      origin: "https://app.example.com",
      "sec-fetch-site": "same-origin",
      "x-forwarded-for": this.#address,
      "x-forwarded-proto": "https",
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
      ...more,
    };
    const sent = request({ agent, port: this.#port, host: "127.0.0.1", method, path, headers }).end(body);
    const [answer] = await once(sent, "response");
    const text = Buffer.concat(await answer.toArray()).toString();
    if (answer.statusCode >= 300) throw new Error(`${path} answered ${answer.statusCode}: ${text}`);
    for (const cookie of answer.headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.cookies.set(name, value);
    }
  }
}

/**
 * Sends requests for each index, sixteen at the same time. Meanwhile this process does not sleep. Otherwise each answer of a slow program
 * wakes it, at a third of the answer's cost, and a fast program, which keeps it busy, pays nothing of this.
 */
export async function sixteenAtOnce(count: number, send: (index: number) => Promise<void>): Promise<void> {
  let index = 0;
  const next = async () => {
    while (index < count) await send(index++);
  };
  const stayAwake = () => void (index < count && setImmediate(stayAwake));
  stayAwake();
  await Promise.all(Array.from({ length: 16 }, next));
}

/** The number of a person. Neighbours are in different blocks of numbers, as they are in life. */
export function phoneOf(index: number): string {
  return `+49151${20_000_000 + ((index * 7_654_321) % 80_000_000)}`;
}
