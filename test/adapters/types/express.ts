import {
  type ExpressRequestContext,
  type ExpressSessions,
  getSession,
  phoneLogin,
  requireLogin,
  sessionOf,
  webhooks,
} from "@doorcode/express";
import express, { type NextFunction, type Request, type RequestHandler, type Response } from "express";
import { doorcode, type Same, type User } from "./kit.ts";

const app = express();
app.use("/webhooks", webhooks(doorcode));

// The user of `loadUser` reaches the route through Register, without an annotation.
app.get("/account", requireLogin(doorcode, { provenWithinSeconds: 300 }), (req, res) => {
  const isUser: Same<typeof req.doorcode.user, User> = true;
  const isText: Same<typeof req.doorcode.userId, string> = true;
  res.json({ isUser, isText, name: req.doorcode.user.name });
});

// The path keeps its parameters, and what else the app puts in front of a handler changes nothing.
const other: RequestHandler = (_req, _res, next) => next();
const guard = requireLogin(doorcode);
app.get("/orders/:id", guard, express.json(), (req, res) => {
  const id: string = req.params.id;
  res.json({ id, title: req.body.title, user: req.doorcode.user.name });
});
app.get("/a", other, guard, other, (req, res) => void res.json(req.doorcode.user.name));
app.post(
  ["/a", "/b"],
  guard,
  (req, _res, next) => next(req.doorcode.user.name),
  (req, res) => void res.json(req.doorcode),
);

// A guard is a handler like any other, wherever Express or an app takes one.
const handlers: RequestHandler[] = [other, guard];
app.get("/listed", ...handlers, (req, res) => void res.json(sessionOf(req).user.name));
app.get("/nested", [guard, other], showUser);
export const passOn = (req: Request, res: Response, next: NextFunction): void => guard(req, res, next);

// No type can flow out of `use` without a path: `sessionOf` reads the session there, and in functions of the app.
const router = express.Router();
router.use(guard);
router.get("/me", showUser);
function showUser(req: Request, res: Response): void {
  const isUser: Same<ReturnType<typeof sessionOf>["user"], User> = true;
  res.json({ isUser, name: sessionOf(req).user.name });
}

// A route without a guard has no session: forgetting the guard is an error of the compiler.
// @ts-expect-error there is no guard
app.get("/unguarded", (req, res) => void res.json(req.doorcode.userId));
// @ts-expect-error "?." would make every user a stranger
app.get("/unguarded", (req, res) => void res.json(req.doorcode?.userId));
// @ts-expect-error the type of a router's guard does not flow here
router.get("/me", (req, res) => void res.json(req.doorcode.userId));

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

// Behind a guard by the app's own sessions stands what `current` returned, without what only the kit's sessions have.
const sessions: ExpressSessions = {
  start: () => undefined,
  current: () => ({ userId: "user_1" }),
  end: () => undefined,
};
app.get("/own", requireLogin(doorcode, { session: sessions, provenWithinSeconds: 300 }), (req, res) => {
  const isText: Same<typeof req.doorcode.userId, string> = true;
  // @ts-expect-error only the kit knows when its sessions have started
  req.doorcode.startedAt;
  res.json({ isText });
});
