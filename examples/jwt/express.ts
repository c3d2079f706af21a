import type { Store } from "@doorcode/core/store";
import { type ExpressSessions, phoneLogin, requireLogin } from "@doorcode/express";
import cors from "cors";
import express, { type Express } from "express";
import { corsOptions, createKit } from "./kit.ts";
import type { Tokens } from "./tokens.ts";

/** Creates an API on Express for a page of another site. */
export function createExpressApp(env: NodeJS.ProcessEnv, origin: string, tokens: Tokens, store?: Store): Express {
  const doorcode = createKit(env, origin, store);
  const session: ExpressSessions = {
    transport: "bearer",
    async start(login, { req }) {
      const pair = await tokens.start(login);
      await tokens.end(req.get("authorization")); // The login that the request came with.
      return pair; // `result` in the answer to /confirm
    },
    current: ({ req }) => tokens.read(req.get("authorization")),
    end: ({ req }) => tokens.end(req.get("authorization")),
  };

  const app = express();
  app.use(cors(corsOptions(origin)));
  app.use("/login", phoneLogin(doorcode, { session }));
  app.post("/token", express.json(), async (req, res) => {
    const pair = await tokens.refresh(String(req.body?.refreshToken));
    res.status(pair ? 200 : 401).json(pair ?? { code: "login_required" });
  });
  app.get("/account", requireLogin(doorcode, { session }), (req, res) => void res.json({ id: req.doorcode.userId }));
  return app;
}
