import { answerFirst } from "../install/answer-first.ts";

// The kit as an app mounts it, or Express alone. Everything is imported while the time runs.
await answerFirst(async () => {
  const { default: express } = await import("express");
  const app = express();
  if (process.argv[2] !== "kit") return app.get("/account", (_req, res) => void res.status(401).end());
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
  app.use("/webhooks", webhooks(doorcode));
  app.use("/login", phoneLogin(doorcode));
  return app.get("/account", requireLogin(doorcode), (req, res) => void res.json({ id: req.doorcode.userId }));
});
