import { createManualClock } from "@doorcode/core/testing";
import { Cluster } from "ioredis";
import { expect, onTestFinished, test } from "vitest";
import { isInstalled, type RedisCluster, startRedisCluster } from "../../../test/support/redis-server.ts";
import { createConnection } from "../src/connection/connection.ts";

test.skipIf(!isInstalled("redis-server"))(
  "a node is sent no command later that waited for the connection to the node until its timeout",
  async () => {
    const cluster = await startRedisCluster();
    const client = new Cluster(cluster.nodes.map(({ port }) => ({ port, host: "127.0.0.1" })));
    const clock = createManualClock();
    const connection = createConnection("store", { client, timeoutSeconds: 2, clock });
    onTestFinished(async () => {
      connection.close();
      client.disconnect();
      await cluster.stop();
    });
    await connection.run(async () => undefined);
    const own = connection.client as Cluster;
    // The first commands of a connection have connected one node or two.
    const waiting = own.nodes().find(({ status }) => status === "wait");
    const index = cluster.nodes.findIndex(({ port }) => port === waiting?.options.port);
    const node = cluster.nodes[index] ?? expect.fail("Each node is connected.");
    const key = await keyOn(cluster, index);

    await node.pause();
    const command = connection.run(() => own.set(key, "late"));
    const rejected = expect(command).rejects.toMatchObject({ code: "store_unavailable" });
    await clock.advance(2000);
    await rejected;
    node.resume();
    const value = () => connection.run(() => own.get(key));
    await expect.poll(() => value().catch(() => "rejected")).toBe(null);
  },
);

/** Finds a key of a node. The nodes have equal shares of the slots. */
async function keyOn({ nodes }: RedisCluster, index: number): Promise<string> {
  for (let number = 0; ; number++) {
    const slot = await nodes[0]?.admin.cluster("KEYSLOT", `key ${number}`);
    if (Math.floor((Number(slot) * nodes.length) / 16_384) === index) return `key ${number}`;
  }
}
