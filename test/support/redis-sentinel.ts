import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Redis } from "ioredis";
import { findFreePort } from "./free-port.ts";
import { end, launch, type RedisServer, startRedis } from "./redis-server.ts";

/** A primary, its replica, and a Sentinel that knows which is which. */
export interface RedisSentinel {
  /** Where clients ask for the primary: `new Redis({ sentinels: [{ host, port }], name })`. */
  readonly port: number;
  readonly name: string;
  readonly primary: RedisServer;
  readonly replica: RedisServer;
  /** Makes the replica the primary; for some seconds more the former one does not know of it. */
  failOver(): Promise<void>;
  /** Kills the primary; resolves when the replica has taken its place. */
  crash(): Promise<void>;
  /** Has a former primary told soon, which then cuts off whoever is connected. */
  tellFormerPrimary(): Promise<void>;
  stop(): Promise<void>;
}

const name = "doorcode";

/** Starts the three on free ports, and waits until the replica is in step. */
export async function startRedisSentinel(): Promise<RedisSentinel> {
  // A replica that has nothing to wait for is in step at once.
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
  // By default it asks its servers every ten seconds, and connects to a new one only after one second.
  await admin.call("SENTINEL", "DEBUG", "info-period", "100", "ping-period", "100");
  await until(async () => String(await admin.call("SENTINEL", "REPLICAS", name)).includes(`${replica.port}`));

  const replicaIsNamed = async () =>
    String(await admin.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", name)).includes(`${replica.port}`);

  return {
    port,
    name,
    primary,
    replica,
    async failOver() {
      // It refuses until it knows the replica well enough, and gives up what takes it longer than three seconds.
      await until(async () => {
        if (await replicaIsNamed()) return true;
        await admin.call("SENTINEL", "FAILOVER", name).catch(() => undefined);
        return false;
      });
    },
    async crash() {
      await primary.kill();
      // The primary is dead already: to wait longer for it shows nothing.
      await admin.call("SENTINEL", "SET", name, "down-after-milliseconds", "100");
      await until(replicaIsNamed);
    },
    async tellFormerPrimary() {
      // It gives it four of these periods, of two seconds, to hear of it by itself.
      await admin.call("SENTINEL", "DEBUG", "publish-period", "50");
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
