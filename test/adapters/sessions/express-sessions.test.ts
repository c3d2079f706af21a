import type { Express } from "express";
import { afterAll, vi } from "vitest";
import { serveExpress } from "../serve-express.ts";
import { describeOwnSessions } from "./scenario.ts";

vi.stubEnv("SESSION_PASSWORD", "a secret of the tests");
afterAll(() => void vi.unstubAllEnvs());

const apps = ["express-session", "Passport"].flatMap((heading) => [
  { heading },
  { heading, packages: { express: "express4" } },
]);

for (const app of apps) {
  describeOwnSessions<Express>({
    ...app,
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
