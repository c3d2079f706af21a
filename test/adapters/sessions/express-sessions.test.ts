import type { Express } from "express";
import { vi } from "vitest";
import { serveExpress } from "../serve-express.ts";
import { describeOwnSessions } from "./scenario.ts";

vi.stubEnv("SESSION_PASSWORD", "a secret of the tests");

for (const heading of ["express-session", "Passport"]) {
  describeOwnSessions<Express>({
    heading,
    cookie: "connect.sid",
    serve(app) {
      app.get("/visit", (req, res) => {
        Object.assign((req as unknown as { session: object }).session, { visits: 1 });
        res.json({});
      });
      return serveExpress(app);
    },
  });
}
