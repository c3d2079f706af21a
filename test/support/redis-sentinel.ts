import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Redis } from "ioredis";
import { findFreePort } from "./free-port.ts";
import { end, launch, type RedisServer, startRedis } from "./redis-server.ts";

/** A primary, its replica, and a Sentinel. */
export interface RedisSentinel {
  /** The port of the Sentinel: `new Redis({ sentinels: [{ host, port }], name })`. */
  readonly port: number;
  /** The name of the primary in Sentinel. */
  readonly name: string;
  /** The primary at the start. */
  readonly primary: RedisServer;
  /** The replica at the start. */
  readonly replica: RedisServer;
  /** Makes the replica the primary. The former primary does not learn of it. */
  failOver(): Promise<void>;
  /** Stops all three. */
  stop(): Promise<void>;
}

const name = "doorcode";

/** Starts all three on free ports, and waits until the replica has synchronized. */
export async function startRedisSentinel(): Promise<RedisSentinel> {
  // Otherwise the primary waits for more replicas before it synchronizes.
  const settings = ["--repl-diskless-sync-delay", "0"];
  const primary = await startRedis({ settings });
  const replica = await startRedis({ settings: [...settings, "--replicaof", "127.0.0.1", `${primary.port}`] });
  await until(async () => (await replica.admin.info("replication")).includes("master_link_status:up"));

  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), "doorcode-sentinel-"));
  const configuration = join(folder, "sentinel.conf");
  writeFileSync(
    configuration,
    `port ${port}
bind 127.0.0.1
sentinel monitor ${name} 127.0.0.1 ${primary.port} 1
sentinel down-after-milliseconds ${name} 1000
sentinel failover-timeout ${name} 3000
`,
  );
  const running = await launch("redis-server", [configuration, "--sentinel"], "+monitor");
  const admin = new Redis({ port, host: "127.0.0.1" });
  // By default it asks its servers every ten seconds, and connects to a new one only after one second. It tells a former
  // primary of its successor after four publish periods: here never.
  await admin.call("SENTINEL", "DEBUG", "info-period", "100", "ping-period", "100", "publish-period", "600000");
  await until(async () => String(await admin.call("SENTINEL", "REPLICAS", name)).includes(`${replica.port}`));

  const replicaIsNamed = async () =>
    String(await admin.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)).includes(`${replica.port}`);

  return {
    port,
    name,
    primary,
    replica,
    async failOver() {
      // Sentinel refuses until it knows the replica well enough, and gives up a failover after three seconds.
      await until(async () => {
        if (await replicaIsNamed()) return true;
        await admin.call("SENTINEL", "FAILOVER", name).catch(() => undefined);
        return false;
      });
    },
    async stop() {
      admin.disconnect();
      await end(running);
      rmSync(folder, { recursive: true, force: true });
      await Promise.all([primary.stop(), replica.stop()]);
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await wait(20);
}
