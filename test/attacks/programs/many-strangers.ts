import { type Door, startMeasuredApp } from "../../support/measured-app.ts";
import type { RawAnswer, RawPost } from "../../support/raw-post.ts";

/** What the attack achieved. */
export interface StrangerFigures {
  /** The memory that the app uses more than before, while the strangers wait. */
  readonly heldBytes: number;
  /** The answers to the strangers, the last of them after five seconds. */
  readonly answers: readonly RawAnswer[];
  /** The answer to a large delivery of the service, while the strangers wait. */
  readonly signedMeanwhile: RawAnswer;
  /** The answer to a delivery of the service, after the strangers. */
  readonly signedAfterwards: RawAnswer;
}

/**
 * Sends all of many bodies but the last byte. Their headers look like those of the service, or of a program that logs in.
 *
 * @param hostName - one of `measuredHosts`.
 * @param bytes - the bytes that each stranger sends. Logins read at most 16 KiB, webhooks 64 KiB.
 */
export async function playManyStrangers(
  hostName: string,
  door: Door,
  { strangers, bytes }: { readonly strangers: number; readonly bytes: number },
): Promise<StrangerFigures> {
  const app = await startMeasuredApp({ host: hostName });
  try {
    await app.deliver();
    const usedBefore = await app.usedBytes();
    const posts: RawPost[] = [];
    for (let stranger = 1; stranger <= strangers; stranger++) {
      const post = app.beginForged(door, [["content-length", String(bytes + 1)]]);
      post.write(Buffer.alloc(bytes, " "));
      posts.push(post);
      // A server that closes a connection whose bytes it has not read takes its answer back.
      if (stranger % 50 === 0 || stranger === strangers) await app.hasReadAll();
    }
    const signedMeanwhile = await app.deliver(" ".repeat(60_000));
    const heldBytes = (await app.usedBytes()) - usedBefore;
    await app.advance(5000);
    const answers = await Promise.all(posts.map((post) => post.answer()));
    return { heldBytes, answers, signedMeanwhile, signedAfterwards: await app.deliver() };
  } finally {
    await app.close();
  }
}
