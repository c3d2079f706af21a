import { randomBytes } from "node:crypto";

const drawnBytes = 4096;

let drawn = Buffer.alloc(0);
let nextByte = 0;

/**
 * Creates a random text of so many bytes. The bytes are drawn from the machine 4 KB at a time, because a draw takes two microseconds
 * whatever its size, and a login needs seven. No byte is used twice, and none stays in memory beside its text.
 */
export function randomText(bytes: number, encoding: "base64url" | "hex"): string {
  if (nextByte + bytes > drawn.length) {
    drawn = randomBytes(drawnBytes);
    nextByte = 0;
  }
  const end = nextByte + bytes;
  const text = drawn.toString(encoding, nextByte, end);
  drawn.fill(0, nextByte, end);
  nextByte = end;
  return text;
}
