import { type ExpressRequestContext, getSession, phoneLogin, requireLogin, webhooks } from "@doorcode/express";
import express from "express";
import { doorcode, type Same, type User } from "./kit.ts";

const app = express();
app.use("/webhooks", webhooks(doorcode));

// The user of `loadUser` reaches the route through Register, without an annotation.
app.get("/account", requireLogin(doorcode, { provenWithinSeconds: 300 }), (req, res) => {
  const isUser: Same<typeof req.doorcode.user, User> = true;
  const isText: Same<typeof req.doorcode.userId, string> = true;
  res.json({ isUser, isText, name: req.doorcode.user.name });
});

// An open route has to ask whether anybody is there.
app.get("/who", async (req, res) => {
  const session = await getSession(doorcode, req);
  // @ts-expect-error there may be no session
  session.user;
  const { status } = await phoneLogin(doorcode, { purpose: "step_up" }).state(req);
  res.json({ name: session?.user.name, status });
});

// The app's own sessions see Express's own request and response; a page that only reads has no response.
app.use(
  "/login",
  phoneLogin(doorcode, {
    session: {
      start({ userId, phone, loginId, purpose }, native) {
        const isNative: Same<typeof native, ExpressRequestContext> = true;
        native.res.cookie("app", userId);
        return { isNative, phone, loginId, purpose };
      },
      current({ req }) {
        return { userId: req.ip ?? "" };
      },
      end: ({ res }) => void res.clearCookie("app"),
    },
  }),
);

// What the app adds for `beforeSend` is read from the request; there is no response to write yet.
phoneLogin(doorcode, { signals: ({ req }) => ({ userAgent: req.get("user-agent") }) });
// @ts-expect-error signals are asked with a request only
phoneLogin(doorcode, { signals: ({ res }) => res });

phoneLogin(doorcode, {
  session: {
    start: () => undefined,
    // @ts-expect-error a page asks with a request only
    current: ({ res }) => res,
    end: () => undefined,
  },
});

// @ts-expect-error the purposes are a closed list
phoneLogin(doorcode, { purpose: "signup" });
