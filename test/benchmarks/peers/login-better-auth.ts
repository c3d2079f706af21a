import { toNodeHandler } from "better-auth/node";
import express from "express";
import { serveHttp } from "../measure/program.ts";
import { createUsers } from "../programs/people.ts";
import { createAuth } from "./better-auth.ts";
import { callService } from "./call-service.ts";

const [serviceUrl = "", people = ""] = process.argv.slice(2);
const auth = createAuth(createUsers(Number(people)), {
  sendOTP: ({ phoneNumber, code }) => callService(serviceUrl, { phone: phoneNumber, code }),
});
const app = express();

/** https://better-auth.com/docs/integrations/express */
app.all("/api/auth/*splat", toNodeHandler(auth));

serveHttp(app);
