import { describe, expect, onTestFinished, test, vi } from "vitest";
import { playManyStrangers } from "../attacks/programs/many-strangers.ts";
import { playOneByteChunks } from "../attacks/programs/one-byte-chunks.ts";
import { type Door, type MeasuredApp, measuredHosts, startMeasuredApp } from "../support/measured-app.ts";
import type { HeaderLines, RawAnswer, RawPost } from "../support/raw-post.ts";

// Megabytes are sent in small pieces, on a machine that may be busy.
vi.setConfig({ testTimeout: 300_000 });

const mebibyte = 1024 * 1024;
const boundBytes = 16 * mebibyte;
const limitBytes: Readonly<Record<Door, number>> = { "/webhooks": 65_536, "/login/start": 16_384 };
const doors = ["/webhooks", "/login/start"] as const;

/** More than a connection takes on any host, with its streams and promises. */
const connectionBytes = 28_672;

const busy = "503 server_busy, again in 5 seconds, close";
const tooSlow = "408 body_too_slow, again in undefined seconds, close";

/** The app keeps something of its first requests, such as code that was compiled. */
const warmUpRounds = 5;
const measuredRounds = 25;

function describeAnswer({ status, code, headers }: RawAnswer): string {
  return `${status} ${code}, again in ${headers["retry-after"]} seconds, ${headers.connection}`;
}

function countBy(answers: readonly RawAnswer[]): Readonly<Record<string, number>> {
  const groups = Map.groupBy(answers, describeAnswer);
  return Object.fromEntries([...groups].map(([kind, { length }]) => [kind, length]));
}

/** Sends bodies that hold as many bytes as their door allows, and are never complete. */
async function fill(app: MeasuredApp, door: Door, count: number): Promise<readonly RawPost[]> {
  const posts: RawPost[] = [];
  for (let started = 1; started <= count; started++) {
    const post = app.beginForged(door, [["content-length", String(limitBytes[door])]]);
    post.write(Buffer.alloc(limitBytes[door] - 1, " "));
    posts.push(post);
    if (started % 50 === 0) await app.hasReadAll();
  }
  await app.hasReadAll();
  return posts;
}

/** Each host has a reader of bodies of its own, which both doors share. */
const floods = [
  { host: "Express", door: "/webhooks", connections: 1, strangers: 320, bytes: 60_000, chunks: 100_000 },
  { host: "fetch", door: "/login/start", connections: 8, strangers: 1150, bytes: 16_000, chunks: 12_000 },
] as const;

describe.each(floods)("bodies that are not verified, at $door on $host", (flood) => {
  const { host, door, strangers, bytes } = flood;

  test("W20: take less than 20 bytes for each byte in chunks of one byte", async () => {
    const { bodyBytes, heldBytes } = await playOneByteChunks(host, door, { ...flood, bytes: flood.chunks });
    expect(heldBytes / bodyBytes).toBeLessThan(20);
  });

  test("W20: take 16 MiB together, and keep no delivery of the service out", async () => {
    const { heldBytes, answers, ...signed } = await playManyStrangers(host, door, flood);
    const { [busy]: refused = 0, [tooSlow]: ended = 0, ...others } = countBy(answers);

    expect(heldBytes).toBeLessThan(boundBytes + strangers * connectionBytes);
    expect(ended * bytes).toBeLessThanOrEqual(boundBytes);
    expect([refused + ended, others]).toEqual([strangers, {}]);
    expect([signed.signedMeanwhile.status, signed.signedAfterwards.status]).toEqual([204, 204]);
  });
});

describe.each(measuredHosts)("bodies that are not verified, on %s", (host) => {
  test("W20: are counted no longer and no less than they are held", async () => {
    // In chunks on one host, and with a length on the other: what counts the bytes is the same.
    const linesOf = (bytes: number): HeaderLines => (host === "Express" ? [] : [["content-length", String(bytes)]]);
    const app = await startMeasuredApp({ host });
    onTestFinished(app.close);
    const begin = (door: Door, bytes: number, sent: number) => {
      const post = app.beginForged(door, linesOf(bytes));
      post.write(Buffer.alloc(sent, " "));
      return post;
    };
    const codesAt = async (door: Door): Promise<unknown[]> => {
      const limit = limitBytes[door];
      const whole = begin(door, limit, limit);
      whole.end();
      const tooLarge = begin(door, limit + 1, limit + 1);
      const cut = begin(door, limit, limit - 1);
      const late = begin(door, limit, limit - 1);
      await app.hasReadAll();
      cut.destroy();
      const verified = await app.deliver(" ".repeat(limitBytes["/webhooks"]));
      await app.advance(5000);
      const answers = await Promise.all([whole, tooLarge, late].map((post) => post.answer()));
      return [verified.status, ...answers.map(({ code }) => code)];
    };
    const usedAfter: number[] = [];
    for (let round = 1; round <= warmUpRounds + measuredRounds; round++) {
      for (const door of doors) {
        const refused = door === "/webhooks" ? "signature_invalid" : "body_malformed";
        expect(await codesAt(door)).toEqual([204, refused, "body_too_large", "body_too_slow"]);
      }
      if (round === warmUpRounds || round === warmUpRounds + measuredRounds) usedAfter.push(await app.usedBytes());
    }
    const [before = 0, after = 0] = usedAfter;
    // Less than what one of these bodies at the larger door would leave behind. The heap itself grows by a megabyte at times.
    expect(after - before).toBeLessThan(measuredRounds * limitBytes["/webhooks"] * 0.9);

    for (const door of doors) {
      const kept = boundBytes / limitBytes[door];
      const posts = await fill(app, door, kept + 3);
      await app.advance(5000);
      expect(countBy(await Promise.all(posts.map((post) => post.answer())))).toEqual({ [busy]: 3, [tooSlow]: kept });
    }
    expect((await app.deliver()).status).toBe(204);
  });
});
