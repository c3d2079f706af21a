import { phoneLogin } from "@doorcode/fastify";
import cookie from "@fastify/cookie";
import session from "@fastify/session";
import { createKit, setUpOn } from "../adapter-setup.ts";
import { createFastifyApp } from "../serve-fastify.ts";
import { describeOwnSessions } from "./scenario.ts";

declare module "fastify" {
  interface Session {
    userId?: string;
    visits?: number;
  }
}

describeOwnSessions({
  name: "@fastify/session",
  cookie: "sessionId",
  async serve() {
    const kit = await createKit({ session: "the app's own" });
    const { app, serve } = createFastifyApp();
    await app.register(cookie);
    await app.register(session, {
      secret: "a secret of the tests, 32 characters",
      cookie: { secure: false },
      saveUninitialized: false,
    });
    const login = phoneLogin(kit.doorcode, {
      session: {
        async start({ userId }, { request }) {
          await request.session.regenerate();
          request.session.userId = userId;
        },
        current: ({ request: { session } }) => (session.userId === undefined ? undefined : { userId: session.userId }),
        end: ({ request }) => request.session.destroy(),
      },
    });
    await app.register(login, { prefix: "/login" });
    app.get("/visit", async ({ session }) => {
      session.visits = 1;
      return {};
    });
    app.get("/me", async ({ session }) => ({ userId: session.userId ?? null }));
    return setUpOn(kit, await serve());
  },
});
