import { Redis } from "ioredis";
import { CliError } from "./cli-error.ts";

const waitMilliseconds = 3000;

/**
 * Finds the Redis of `REDIS_URL`, by default the one on this machine, and returns its URL.
 *
 * @throws CliError if no Redis answers within three seconds; it tells how to start one
 */
export async function findRedis(): Promise<string> {
  const url = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new CliError("REDIS_URL must be a URL such as redis://127.0.0.1:6379.");
  }
  const failure = await connectionFailure(url);
  if (failure === undefined) return url;
  throw new CliError(
    `No Redis answers at ${new URL(url).host} (${failure}). Start one with \`docker compose up -d redis\`, or install ` +
      "redis-server and run it, or set REDIS_URL.",
  );
}

/** Tries to connect. Returns the reason of a failure; `undefined` if Redis answers. */
async function connectionFailure(url: string): Promise<string | undefined> {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    // ioredis waits that long for the end of a connection, even of one that has ended.
    disconnectTimeout: 1,
  });
  let lastError: Error | undefined;
  client.on("error", (error) => {
    lastError = error;
  });
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("no answer within 3 seconds")), waitMilliseconds);
  try {
    await Promise.race([timedOut, client.connect().then(() => client.ping())]);
    return undefined;
  } catch (error) {
    return (lastError ?? (error as Error)).message;
  } finally {
    clearTimeout(timer);
    client.disconnect();
  }
}
