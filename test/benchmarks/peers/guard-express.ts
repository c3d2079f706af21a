import { fromNodeHeaders, toNodeHandler } from "better-auth/node";
import express from "express";
import { serveHttp } from "../measure/program.ts";
import { guardCode, guarded } from "../programs/guard-kit.ts";
import { createUsers } from "../programs/people.ts";
import { createAuth } from "./better-auth.ts";

const auth = createAuth(createUsers(guarded), {
  sendOTP: () => undefined,
  verifyOTP: ({ code }) => code === guardCode,
});
const app = express();

/** https://better-auth.com/docs/integrations/express */
app.all("/api/auth/*splat", toNodeHandler(auth));
app.get("/account", async (req, res) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) });
  if (!session) return void res.status(401).end();
  res.json({ id: session.user.id });
});

serveHttp(app);
