import type { AddressInfo } from "node:net";
import { createApp } from "./app.ts";
import { createKit } from "./kit.ts";

const kit = createKit(process.env);
const server = createApp(process.env, kit).listen(Number(process.env.PORT ?? 3000), "127.0.0.1", (error) => {
  if (error) throw error;
  process.stdout.write(`http://localhost:${(server.address() as AddressInfo).port}\n`);
});

let stopping = false;

/** Stops taking requests and webhooks, and finishes those in progress. The process then ends. */
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  server.close();
  await kit.close();
  if (process.connected) process.disconnect();
}

process.on("SIGINT", stop).on("SIGTERM", stop);
// The parent process has ended and cannot send a signal any more.
process.on("disconnect", stop);

// The worker starts when Redis is available, and ends with the kit.
void kit.doorcode.work();
