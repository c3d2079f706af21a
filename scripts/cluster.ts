import { createSandbox } from "@doorcode/sandbox";
import { Redis } from "ioredis";
import { type AppProcess, type Cluster, startCluster } from "../examples/cluster/cluster.ts";
import { CliError, print } from "./cli-error.ts";

/**
 * Starts the cluster example and runs it until it is interrupted. A new process replaces each one that ends.
 *
 * @throws CliError if Redis is missing
 */
export async function runCluster(port: number, sandboxPort: number, interrupted: () => Promise<void>): Promise<void> {
  const redis = await findRedis();
  const printOf = (name: string, line: string) => print(`  ${name}  ${line}`);
  const sandbox = await createSandbox({ port: sandboxPort });
  try {
    const env = { ...process.env, ...sandbox.env, REDIS_URL: redis };
    const cluster = await startCluster(port, env, {
      printed: printOf,
      forwarded: ({ by, method, path, status }) => printOf(by, `${status} ${method} ${path}`),
    });
    sandbox.deliverTo(`${cluster.url}/webhooks`);
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const restartWhenEnded = async ({ name, ended, pid }: AppProcess): Promise<void> => {
      if (await ended) return;
      printOf(name, `process ${pid} ended; a new process replaces it`);
      await cluster.start(name).then(restartWhenEnded);
    };
    for (const process of cluster.processes.values()) restartWhenEnded(process).catch(reject);
    describe(cluster, sandbox.url.replace("127.0.0.1", "localhost"), redis);
    await Promise.race([interrupted(), failed]).finally(cluster.close);
  } finally {
    await sandbox.close();
  }
}

function describe({ url, processes }: Cluster, inbox: string, redis: string): void {
  const names = [...processes.values()].map(({ name, pid }) => `${name} is process ${pid}`).sort();
  print(`
  The app       ${url}, a proxy in front of two processes
                ${names.join(", ")}
  The sandbox   ${inbox}
  Redis         ${new URL(redis).host}

  1. Open ${url} and type a German mobile number, such as +49 151 23456789.
  2. Read the code at ${inbox}. No message leaves this machine.
  3. Type the code in. The lines below show which process answers each request and handles each webhook.
  4. Kill one of the two with \`kill -9\` at any time: the other one continues. Press Ctrl-C to stop everything.
`);
}

/** Finds the Redis of `REDIS_URL`, by default the one on this machine, and returns its URL. */
async function findRedis(): Promise<string> {
  const url = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
  if (!/^rediss?:$/.test(URL.parse(url)?.protocol ?? "")) {
    throw new CliError("REDIS_URL must be a URL such as redis://127.0.0.1:6379.");
  }
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on("error", () => undefined);
  const answers = client.connect().then(() => client.ping());
  const isSilent = new Promise<never>((_, reject) => setTimeout(reject, 3000).unref());
  try {
    await Promise.race([answers, isSilent]);
    return url;
  } catch {
    throw new CliError(
      `No Redis answers at ${new URL(url).host}. Start one with \`docker compose up -d redis\`, or install redis-server and ` +
        "run it, or set REDIS_URL.",
    );
  } finally {
    client.disconnect();
  }
}
