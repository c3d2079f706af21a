import { Redis } from "ioredis";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { findRedis } from "../../../test/support/redis-server.ts";
import { createWorkerClient } from "../src/connection/duplicate-client.ts";

const server = await findRedis();
afterAll(() => server?.close());

test.skipIf(!server)("the commands of one turn are one write, before and after a lost connection", async () => {
  const client = new Redis(server?.url ?? "", { retryStrategy: () => 20 });
  onTestFinished(() => client.disconnect());
  const own = createWorkerClient(client);
  for (let times = 0; times < 2; times++) {
    await own.ping();
    const counted = "stream" in own ? countWrites(own) : expect.fail("There is no socket.");
    const replies = [own.echo("a"), own.echo("b"), Promise.resolve().then(() => own.echo("c"))];
    expect(await Promise.all(replies)).toEqual(["a", "b", "c"]);
    expect(counted()).toBe(1);
    await own.echo("d");
    expect(counted()).toBe(2);
    const ready = new Promise((resolve) => own.once("ready", resolve));
    await client.client("KILL", "ID", await own.client("ID"));
    await ready;
  }
});

/** Counts what reaches the socket. */
function countWrites({ stream }: Redis): () => number {
  const single = vi.spyOn(stream, "_write");
  const several = vi.spyOn(stream, "_writev" as "_write");
  return () => single.mock.calls.length + several.mock.calls.length;
}
