import { once } from "node:events";
import { createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Cost } from "../measure/subject.ts";

/** Creates an app, asks it for one page, which nobody may see, and tells the process that has started this one what that cost. */
export async function answerFirst(createApp: () => Promise<RequestListener>): Promise<void> {
  const [usageBefore, wallBefore] = [process.cpuUsage(), performance.now()];
  const server = createServer(await createApp()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const headers = { host: "app.example.com" };
  const [answer] = (await once(get({ port, host: "127.0.0.1", path: "/account", headers }), "response")) as [
    IncomingMessage,
  ];
  const { user, system } = process.cpuUsage(usageBefore);
  if (answer.statusCode !== 401) throw new Error(`The first answer is ${answer.statusCode}.`);
  const cost: Cost = { cpuMicroseconds: user + system, wallMicroseconds: (performance.now() - wallBefore) * 1000 };
  process.send?.(cost);
  process.once("disconnect", () => process.exit());
}
