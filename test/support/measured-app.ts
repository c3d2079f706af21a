import { fork } from "node:child_process";
import { once } from "node:events";
import type { Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { MeasuredNote, MeasuredOrder, MeasuredSettings } from "./measured-process.ts";
import { beginPost, type HeaderLines, openConnection, type RawAnswer, type RawPost } from "./raw-post.ts";
import { signedHeaders } from "./signed-delivery.ts";

/** The hosts on which an app is measured: one for each reader of bodies. Fastify has that of Express, in core. */
export const measuredHosts = ["Express", "fetch"];

/** The endpoints that read a body before they know who sent it. */
export type Door = "/webhooks" | "/login/start";

const secret = "whk_of_the_measured_app";

/** An app in a process of its own, whose memory is measured and whose time stands still. */
export interface MeasuredApp {
  /** The memory that is in use, without garbage. */
  usedBytes(): Promise<number>;
  /** Resolves when the kit has read all that was sent to it over connections that are still open. */
  hasReadAll(): Promise<void>;
  /** Moves the time of the app. */
  advance(milliseconds: number): Promise<void>;
  /** Begins a POST of a stranger, whose headers look right. Without a length it is sent in chunks. */
  beginForged(door: Door, lines?: HeaderLines): RawPost;
  /** Sends a delivery of the service. */
  deliver(body?: string): Promise<RawAnswer>;
  close(): Promise<void>;
}

/** Starts an app with the default options of the kit, except for these. */
export async function startMeasuredApp(settings: Omit<MeasuredSettings, "secret">): Promise<MeasuredApp> {
  const given: MeasuredSettings = { ...settings, secret };
  const child = fork(join(import.meta.dirname, "measured-process.ts"), [JSON.stringify(given)], {
    execArgv: ["-C", "@doorcode/source", "--expose-gc", "--disable-warning=webhook_secret"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const nextNote = async (): Promise<MeasuredNote> => {
    const ended = exited.then(() => Promise.reject(new Error("The measured app has ended.")));
    const [note] = await Promise.race([once(child, "message"), ended]);
    return note;
  };
  const ask = (order: MeasuredOrder): Promise<MeasuredNote> => {
    const note = nextNote();
    child.send(order);
    return note;
  };
  const { url } = await nextNote();
  let { nowSeconds } = await ask("report");
  const sockets: Socket[] = [];
  const begin = (door: Door, lines: HeaderLines): RawPost => {
    const socket = openConnection(url);
    sockets.push(socket);
    return beginPost(`${url}${door}`, lines, socket);
  };

  return {
    usedBytes: async () => (await ask("measure")).usedBytes,
    async hasReadAll() {
      for (;;) {
        const { bytesRead } = await ask("report");
        const isRead = (socket: Socket) => (bytesRead[socket.localPort ?? 0] ?? 0) >= socket.bytesWritten;
        if (sockets.every((socket) => socket.closed || isRead(socket))) break;
        await pause(5);
      }
      // Bytes that a socket has read reach the kit some turns of the event loop later.
      await ask("report");
    },
    async advance(milliseconds) {
      ({ nowSeconds } = await ask({ advanceMilliseconds: milliseconds }));
    },
    beginForged(door, lines = []) {
      const [type, ...signature] = signedHeaders("another body", nowSeconds, secret);
      const isWebhook = door === "/webhooks";
      return begin(door, [...(type ? [type] : []), ...(isWebhook ? signature : []), ...lines]);
    },
    deliver(body = "{}") {
      const length = ["content-length", String(Buffer.byteLength(body))] as const;
      const post = begin("/webhooks", [length, ...signedHeaders(body, nowSeconds, secret)]);
      post.end(body);
      return post.answer();
    },
    async close() {
      child.disconnect();
      await exited;
    },
  };
}
