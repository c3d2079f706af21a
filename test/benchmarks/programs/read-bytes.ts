import type { IncomingMessage } from "node:http";

/** The default of the kit's `limitBytes`. */
export const limitBytes = 65_536;

/** Reads a body; `undefined` if it is too large. */
export function readBytes(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) return resolve(undefined);
      chunks.push(chunk);
    });
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", reject);
  });
}
