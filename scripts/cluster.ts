import { createSandbox, type Sandbox } from "@doorcode/sandbox";
import { type AppProcess, type Cluster, type ClusterEvents, startCluster } from "../examples/cluster/cluster.ts";
import { tellClusterStory } from "./cluster-story.ts";
import { findRedis } from "./find-redis.ts";

/**
 * Starts the cluster example, and runs until it is interrupted: a process that ends is followed by another.
 *
 * @throws Complaint when Redis is missing
 */
export async function runCluster(
  port: number,
  sandboxPort: number,
  interrupted: () => Promise<unknown>,
): Promise<void> {
  const said = (name: string, line: string) => void process.stdout.write(`  ${name}  ${line}\n`);
  const events: ClusterEvents = {
    said,
    passedOn: ({ by, method, path, status }) => said(by, `${status} ${method} ${path}`),
  };
  await withCluster(port, sandboxPort, events, async (cluster, sandbox, redis) => {
    const { promise: failed, reject } = Promise.withResolvers<never>();
    const follow = async ({ name, ended, pid }: AppProcess): Promise<void> => {
      if (await ended) return;
      said(name, `process ${pid} is gone; another one takes its place`);
      await cluster.start(name).then(follow);
    };
    for (const process of cluster.processes.values()) follow(process).catch(reject);
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
      `  2. Read the code at ${inbox}: no message leaves this machine.`,
      "  3. Type it in. Below stands which process answered each request, and which one handled each webhook.",
      "  4. End one of the two by `kill -9` at any point: the other goes on. Ctrl-C ends all.",
      "",
      "",
    ].join("\n"),
  );
}

/**
 * Starts the cluster example and has it tell its story, step by step.
 *
 * @throws Complaint when Redis is missing, and at the first step that does not come out as it must
 */
export async function tellCluster(port: number, sandboxPort: number): Promise<void> {
  const acknowledged: string[] = [];
  const events: ClusterEvents = {
    said: () => undefined,
    passedOn: ({ by, path, status }) => path === "/webhooks" && status === 204 && void acknowledged.push(by),
  };
  await withCluster(port, sandboxPort, events, async (cluster, sandbox, redis) => {
    const [first, second] = [...cluster.processes.values()].map(({ name, pid }) => `${name} (${pid})`).sort();
    process.stdout.write(
      `\nProcesses ${first} and ${second} behind ${cluster.url}, Redis at ${new URL(redis).host}\n\n`,
    );
    await tellClusterStory({ cluster, sandbox, acknowledged });
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
