import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { type AppProcess, type Cluster, type ClusterEvents, startCluster } from "../examples/cluster/cluster.ts";
import { runClusterDemo } from "./cluster-demo.ts";
import { findRedis } from "./find-redis.ts";

/**
 * Starts the cluster example and runs it until it is interrupted. A new process replaces each one that ends.
 *
 * @throws CliError if Redis is missing
 */
export async function runCluster(
  port: number,
  sandboxPort: number,
  interrupted: () => Promise<unknown>,
): Promise<void> {
  const print = (name: string, line: string) => void process.stdout.write(`  ${name}  ${line}\n`);
  const events: ClusterEvents = {
    printed: print,
    forwarded: ({ by, method, path, status }) => print(by, `${status} ${method} ${path}`),
  };
  await withCluster(port, sandboxPort, events, async (cluster, sandbox, redis) => {
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const restartWhenEnded = async ({ name, ended, pid }: AppProcess): Promise<void> => {
      if (await ended) return;
      print(name, `process ${pid} ended; a new process replaces it`);
      await cluster.start(name).then(restartWhenEnded);
    };
    for (const process of cluster.processes.values()) restartWhenEnded(process).catch(reject);
    describe(cluster, sandbox, redis);
    await Promise.race([interrupted(), failed]);
  });
}

function describe({ url, processes }: Cluster, sandbox: Sandbox, redis: string): void {
  const inbox = sandbox.url.replace("127.0.0.1", "localhost");
  const names = [...processes.values()].map(({ name, pid }) => `${name} is process ${pid}`).sort();
  process.stdout.write(
    [
      "",
      `  The app       ${url}, a proxy in front of two processes`,
      `                ${names.join(", ")}`,
      `  The sandbox   ${inbox}`,
      `  Redis         ${new URL(redis).host}`,
      "",
      `  1. Open ${url} and type a German mobile number, such as +49 151 23456789.`,
      `  2. Read the code at ${inbox}. No message leaves this machine.`,
      "  3. Type the code in. The lines below show which process answers each request and handles each webhook.",
      "  4. Kill one of the two with `kill -9` at any time: the other one continues. Press Ctrl-C to stop everything.",
      "",
      "",
    ].join("\n"),
  );
}

/**
 * Starts the cluster example and runs its demo, step by step.
 *
 * @throws CliError if Redis is missing, and at the first step with an unexpected result
 */
export async function demonstrateCluster(port: number, sandboxPort: number): Promise<void> {
  const acknowledged: string[] = [];
  const events: ClusterEvents = {
    printed: () => undefined,
    forwarded: ({ by, path, status }) => path === "/webhooks" && status === 204 && void acknowledged.push(by),
  };
  await withCluster(port, sandboxPort, events, async (cluster, sandbox, redis) => {
    const [first, second] = [...cluster.processes.values()].map(({ name, pid }) => `${name} (${pid})`).sort();
    process.stdout.write(
      `\nProcesses ${first} and ${second} behind ${cluster.url}, Redis at ${new URL(redis).host}\n\n`,
    );
    await runClusterDemo({ cluster, sandbox, acknowledged });
  });
}

async function withCluster(
  port: number,
  sandboxPort: number,
  events: ClusterEvents,
  work: (cluster: Cluster, sandbox: Sandbox, redis: string) => Promise<void>,
): Promise<void> {
  const redis = await findRedis();
  const sandbox = await createSandbox({ port: sandboxPort });
  try {
    const cluster = await startCluster(port, { ...process.env, ...sandbox.env, REDIS_URL: redis }, events);
    sandbox.deliverTo(`${cluster.url}/webhooks`);
    try {
      await work(cluster, sandbox, redis);
    } finally {
      await cluster.close();
    }
  } finally {
    await sandbox.close();
  }
}
