import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { SqliteAnswer, SqliteOrder } from "./sqlite-program.ts";

/** A process with a store in a file. */
export interface SqliteProcess {
  readonly child: ChildProcess;
  /** Gives an order and waits for its answer. */
  ask(order: SqliteOrder): Promise<SqliteAnswer>;
  /** The answers so far. */
  readonly answers: readonly SqliteAnswer[];
  /** Ends it with `kill -9`. */
  kill(): Promise<void>;
}

/**
 * Starts a process that can be killed, stopped or given a broken disk.
 *
 * @param before - a command that starts it, such as `unshare`, with its words.
 */
export function startSqliteProcess(before: readonly string[] = [], options: SpawnOptions = {}): SqliteProcess {
  const node = [process.execPath, "--conditions=@doorcode/source", "--no-warnings"];
  const [command = "", ...words] = [...before, ...node, join(import.meta.dirname, "sqlite-program.ts")];
  const child = spawn(command, words, { stdio: ["ignore", "inherit", "inherit", "ipc"], ...options });
  const answers: SqliteAnswer[] = [];
  child.on("message", (answer: SqliteAnswer) => void answers.push(answer));
  // What it sent before its end has arrived then.
  const ended = Promise.all([once(child, "close"), once(child, "disconnect")]);
  return {
    child,
    answers,
    async ask(order) {
      child.send(order);
      const [answer] = await Promise.race([once(child, "message"), ended.then(() => [undefined])]);
      if (answer === undefined) throw new Error("The process of the test has ended.");
      return answer;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A command that gives a process a disk of its own, so many bytes large, which other processes do not see. */
export function withDisk(folder: string, bytes: number): readonly string[] {
  const mount = `mount -t tmpfs -o size=${bytes},mode=777 none "$0" && exec "$@"`;
  return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount, folder];
}

/** True on a machine that lets a process have a disk of its own. */
export const canHaveDisk: boolean = runs("unshare", "--user", "--map-root-user", "--mount", "true");
/** True on a machine that lets strace change the system calls of a process. */
export const canTrace: boolean = process.getuid?.() === 0 && runs("strace", "-o", "/dev/null", "true");

function runs(command: string, ...words: readonly string[]): boolean {
  return spawnSync(command, words, { stdio: "ignore" }).status === 0;
}

/** Has strace follow the system calls of a process. Returns a function that ends it. */
export async function trace({ child }: SqliteProcess, ...words: readonly string[]): Promise<() => Promise<void>> {
  const tracing = spawn("strace", ["-f", "-p", `${child.pid}`, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(tracing, "close");
  // It says so as soon as it is attached.
  await once(tracing.stderr, "data");
  tracing.stderr.resume();
  return async () => {
    tracing.kill("SIGINT");
    await ended;
  };
}
