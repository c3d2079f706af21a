import { once } from "node:events";
import { get } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "./measure.ts";

/** What the import, the start and the first answer of an app take: with the kit, or of Express alone. */
const begun = performance.now();
const { default: express } = await import("express");
const app = express();
if (process.argv[2] === "kit") {
  const { createDoorcode, createMemoryStore, providerCodes } = await import("@doorcode/core");
  const { phoneLogin, requireLogin, webhooks } = await import("@doorcode/express");
  const doorcode = createDoorcode({
    origins: ["https://app.example.com"],
    store: createMemoryStore(),
    session: { password: "a password of the benchmark, long enough" },
    login: {
      countries: ["DE"],
      codes: providerCodes({ send: ({ phone }) => ({ id: phone }), check: () => false }),
      onLogin: ({ phone }) => phone,
    },
    webhooks: { secret: "whsec_of_the_benchmark" },
  });
  app.use("/webhooks", webhooks(doorcode)).use("/login", phoneLogin(doorcode));
  app.get("/account", requireLogin(doorcode));
}
const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const headers = { host: "app.example.com" };
await once(get({ port, host: "127.0.0.1", path: "/account", headers }), "response");
serve(performance.now() - begun);
