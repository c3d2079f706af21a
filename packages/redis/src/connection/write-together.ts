import type { Redis } from "ioredis";

/**
 * Has a connection write all commands of a turn of the event loop at once: a system call costs more than a command does, and a busy
 * worker completes several jobs in one turn. Each command is still sent, answered and lost by itself, and none later than in its turn.
 */
export function writeTogether(own: Redis): void {
  own.on("ready", () => {
    const { stream } = own;
    // An adapted client may have no socket to show.
    if (typeof stream?.cork !== "function") return;
    const { write } = stream;
    Object.assign(stream, {
      write(...given: readonly unknown[]): boolean {
        if (stream.writableCorked === 0) {
          stream.cork();
          process.nextTick(() => stream.uncork());
        }
        return Reflect.apply(write, stream, given);
      },
    });
  });
}
