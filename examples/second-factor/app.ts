import { promisify } from "node:util";
import type { Doorcode } from "@doorcode/core";
import { type ExpressSessions, phoneLogin, requireLogin } from "@doorcode/express";
import express, { type Express } from "express";
import session from "express-session";

/** The second factor that the app has already, such as an authenticator app. It limits the attempts of each user. */
export interface SecondFactor {
  isOn(userId: string): Promise<boolean>;
  isRight(userId: string, code: unknown): Promise<boolean>;
}

/** A user who is logged in. */
interface LoggedIn {
  userId: string;
  provenAt: number | undefined;
}

declare module "express-session" {
  interface SessionData {
    user: LoggedIn;
    /** A user whose code was right, and who owes the second factor. No guard knows this user. */
    waiting: LoggedIn & { until: number };
  }
}

const waitSeconds = 600;

const sessionsWith = (secondFactor: SecondFactor): ExpressSessions => ({
  async start({ userId, provenAt, purpose }, { req }) {
    // A link and a step-up belong to a session that has passed the second factor.
    const mustWait = purpose === "login" && (await secondFactor.isOn(userId));
    await promisify(req.session.regenerate.bind(req.session))();
    if (mustWait) req.session.waiting = { userId, provenAt, until: Date.now() + waitSeconds * 1000 };
    else req.session.user = { userId, provenAt };
    return { secondFactor: mustWait }; // `result` in the answer to /confirm
  },
  current: ({ req }) => req.session.user,
  end: ({ req }) => promisify(req.session.destroy.bind(req.session))(),
});

/** Creates an app whose login by phone does not go past a second factor. */
export function createApp(doorcode: Doorcode, secondFactor: SecondFactor, secret: string): Express {
  const sessions = sessionsWith(secondFactor);
  const app = express();
  app.use(session({ secret, resave: false, saveUninitialized: false }));
  app.use("/login", phoneLogin(doorcode, { session: sessions, forms: { page: "/login", done: "/second-factor" } }));

  app.get("/second-factor", ({ session: { waiting, user }, originalUrl }, res) => {
    if (waiting) return void res.send(`<form method="post">Code of your app: <input name="code" required></form>`);
    return res.redirect(user ? "/account" : originalUrl.replace("/second-factor", "/login"));
  });
  app.post("/second-factor", express.urlencoded(), async (req, res) => {
    const { waiting } = req.session;
    if (!waiting || waiting.until < Date.now()) return res.redirect(303, "/login");
    const { userId, provenAt } = waiting;
    if (!(await secondFactor.isRight(userId, req.body?.code))) return res.redirect(303, "/second-factor");
    await promisify(req.session.regenerate.bind(req.session))();
    req.session.user = { userId, provenAt };
    return res.redirect(303, "/account");
  });

  // The page of the second factor sends on to the login whoever has not begun.
  const needsLogin = requireLogin(doorcode, { session: sessions, loginPage: "/second-factor" });
  app.get("/account", needsLogin, (req, res) => void res.json({ id: req.doorcode.userId }));
  return app;
}
