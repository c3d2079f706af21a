import { promisify } from "node:util";
import { phoneLogin } from "@doorcode/express";
import session from "express-session";
import { expressVersions } from "../../support/express-versions.ts";
import { createKit, setUpOn } from "../adapter-setup.ts";
import { serveExpress } from "../serve-express.ts";
import { describeOwnSessions } from "./scenario.ts";

declare module "express-session" {
  interface SessionData {
    userId: string;
    visits: number;
  }
}

for (const { name, express } of expressVersions) {
  describeOwnSessions({
    name: `express-session on ${name}`,
    cookie: "connect.sid",
    async serve() {
      const kit = await createKit({ session: "the app's own" });
      const app = express();
      app.use(session({ secret: "a secret of the tests", resave: false, saveUninitialized: false }));
      app.use(
        "/login",
        phoneLogin(kit.doorcode, {
          session: {
            async start({ userId }, { req }) {
              await promisify(req.session.regenerate.bind(req.session))();
              req.session.userId = userId;
            },
            current: ({ req }) => (req.session.userId === undefined ? undefined : { userId: req.session.userId }),
            end: ({ req }) => promisify(req.session.destroy.bind(req.session))(),
          },
        }),
      );
      app.get("/visit", (req, res) => {
        req.session.visits = 1;
        res.json({});
      });
      app.get("/me", (req, res) => void res.json({ userId: req.session.userId ?? null }));
      return setUpOn(kit, await serveExpress(app));
    },
  });
}
