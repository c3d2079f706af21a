import { type Door, startMeasuredApp } from "../../support/measured-app.ts";

/** What the attack achieved. */
export interface ChunkFigures {
  /** The bytes of the bodies. */
  readonly bodyBytes: number;
  /** The bytes on the wire. */
  readonly sentBytes: number;
  /** The memory that the app uses more than before, while the bodies are not complete. */
  readonly heldBytes: number;
}

/**
 * Sends bodies in chunks of one byte and does not end them. Their headers look like those of the service, or of a program that logs in.
 *
 * @param hostName - one of `measuredHosts`.
 * @param bytes - the bytes of each body. Logins read at most 16 KiB.
 */
export async function playOneByteChunks(
  hostName: string,
  door: Door,
  { connections, bytes }: { readonly connections: number; readonly bytes: number },
): Promise<ChunkFigures> {
  const app = await startMeasuredApp({ host: hostName, limitBytes: 1_048_576 });
  try {
    const chunk = "1\r\nx\r\n";
    const flood = async (count: number, size: number) => {
      const posts = Array.from({ length: count }, () => app.beginForged(door));
      for (const post of posts) post.writeRaw(chunk.repeat(size));
      await app.hasReadAll();
    };
    // What the app allocates once is no part of the attack.
    await flood(1, 1000);
    const usedBefore = await app.usedBytes();
    await flood(connections, bytes);
    const heldBytes = (await app.usedBytes()) - usedBefore;
    return { bodyBytes: connections * bytes, sentBytes: connections * bytes * chunk.length, heldBytes };
  } finally {
    await app.close();
  }
}
