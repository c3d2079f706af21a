import { createHmac } from "node:crypto";
import { connect, type Socket } from "node:net";
import { secret } from "./host.ts";

/** The headers of a delivery, computed from the specification's words and not by the kit. */
export function signed(body: string | Uint8Array, nowMilliseconds: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMilliseconds / 1000));
  const signature = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex");
  return {
    "content-type": "application/json",
    "x-webhook-timestamp": timestamp,
    "x-webhook-signature": `v1=${signature}`,
  };
}

/** Posts the beginning of a body and leaves the rest open. */
export async function beginPost(
  url: string,
  path: string,
  headers: Record<string, string>,
  beginning: string | Uint8Array,
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The other side may cut the connection: what it said before that is the answer.
  socket.on("error", () => {});
  const lines = Object.entries({ host: hostname, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  await new Promise<void>((resolve) => {
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    socket.write(beginning, () => resolve());
  });
  return socket;
}

/** One chunk of a chunked body. */
export function chunkOf(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

/** Everything the other side says until it closes the connection, in lower case. */
export async function answerUntilClosed(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => void chunks.push(chunk));
  await new Promise((resolve) => socket.once("close", resolve));
  return Buffer.concat(chunks).toString().toLowerCase();
}
