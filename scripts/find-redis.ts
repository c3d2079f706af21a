import { Redis } from "ioredis";
import { Complaint } from "./ports.ts";

const waitMilliseconds = 3000;

/**
 * Finds the Redis of `REDIS_URL`, else the one on this machine, and answers its URL.
 *
 * @throws Complaint that says how to start one, when none answers within three seconds
 */
export async function findRedis(): Promise<string> {
  const url = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new Complaint("REDIS_URL must be a URL such as redis://127.0.0.1:6379.");
  }
  const refusal = await ask(url);
  if (refusal === undefined) return url;
  throw new Complaint(
    `No Redis answers at ${new URL(url).host} (${refusal}). Start one with \`docker compose up -d redis\`, or install ` +
      "redis-server and run it, or set REDIS_URL.",
  );
}

/** Answers why it does not answer. */
async function ask(url: string): Promise<string | undefined> {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    // ioredis waits that long for the end of a connection, also of one that has ended.
    disconnectTimeout: 1,
  });
  let lastError: Error | undefined;
  client.on("error", (error) => {
    lastError = error;
  });
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("silence")), waitMilliseconds);
  try {
    await Promise.race([silence, client.connect().then(() => client.ping())]);
    return undefined;
  } catch (error) {
    return (lastError ?? (error as Error)).message;
  } finally {
    clearTimeout(timer);
    client.disconnect();
  }
}
