import { promisify } from "node:util";
import { phoneLogin } from "@doorcode/express";
import session from "express-session";
import { Passport } from "passport";
import { expressVersions } from "../../support/express-versions.ts";
import { createKit, setUpOn } from "../adapter-setup.ts";
import { serveExpress } from "../serve-express.ts";
import { describeOwnSessions } from "./scenario.ts";

interface Account {
  readonly id: string;
}

for (const { name, express } of expressVersions) {
  describeOwnSessions({
    name: `Passport on ${name}`,
    cookie: "connect.sid",
    async serve() {
      const kit = await createKit({ session: "the app's own" });
      const passport = new Passport();
      passport.serializeUser((user, done) => done(null, (user as Account).id));
      passport.deserializeUser((id: string, done) => done(null, { id }));
      const app = express();
      app.use(session({ secret: "a secret of the tests", resave: false, saveUninitialized: true }));
      app.use(passport.session());
      const accountOf = ({ user }: { user?: object | undefined }) => user as Account | undefined;
      app.use(
        "/login",
        phoneLogin(kit.doorcode, {
          session: {
            // Passport renews the session's id itself.
            start: ({ userId }, { req }) =>
              promisify((done: (error: unknown) => void) => req.logIn({ id: userId }, done))(),
            current: ({ req }) => {
              const account = accountOf(req);
              return account && { userId: account.id };
            },
            end: ({ req }) => promisify((done: (error: unknown) => void) => req.logOut(done))(),
          },
        }),
      );
      app.get("/visit", (_req, res) => void res.json({}));
      app.get("/me", (req, res) => void res.json({ userId: accountOf(req)?.id ?? null }));
      return setUpOn(kit, await serveExpress(app));
    },
  });
}
