import { type AppContext, importsModule } from "../app-context.ts";
import { callsIn, isFunction, memberPath } from "../syntax.ts";
import { type AppSession, declaredFields, sessionFields } from "./app-session.ts";

const promisify = { from: "node:util", name: "promisify" };
const type = { from: "@doorcode/express", name: "ExpressSessions", isType: true };
const sessionData = { module: "express-session", name: "SessionData" };

/** Writes the sessions of an app with express-session. */
export function expressSession(app: AppContext, idIsNumber: boolean): AppSession {
  const { id, value, declarations, notes } = sessionFields(app, sessionData, idIsNumber);
  return {
    title: "express-session",
    imports: [promisify, type],
    declarations,
    code: `  async start({ userId, provenAt }, { req }) {
    // A new id: an attacker who planted the old one is not logged in.
    await promisify(req.session.regenerate.bind(req.session))();
    req.session.${id} = ${value};
    req.session.provenAt = provenAt;
  },
  current({ req }) {
    const { ${id === "userId" ? id : `${id}: userId`}, provenAt } = req.session;
    return userId ? { userId: String(userId), provenAt } : undefined;
  },
  end: ({ req }) => promisify(req.session.destroy.bind(req.session))(),
`,
    needs: { required: ["express-session"], optional: ["passport"] },
    notes,
  };
}

/** Writes the sessions of an app with Passport and express-session. */
export function passportSession({ calls, typed, hasTypes }: AppContext, idIsNumber: boolean): AppSession {
  const id = serializedKey(calls);
  const user = `{ ${id ?? "id"}: ${idIsNumber ? "Number(userId)" : "userId"} }`;
  const done = `done${typed(": (error: unknown) => void")}`;
  return {
    title: "Passport with express-session",
    imports: [promisify, type],
    declarations: declaredFields(sessionData),
    code: `  async start({ userId, provenAt }, { req }) {
    // logIn renews the session's id.
    await promisify((${done}) => req.logIn(${user}${typed(" as Express.User")}, done))();
    req.session.provenAt = provenAt;
  },
  current({ req }) {
    const { id } = ${hasTypes ? "(req.user ?? {}) as { id?: unknown }" : "req.user ?? {}"};
    return id ? { userId: String(id), provenAt: req.session.provenAt } : undefined;
  },
  end: ({ req }) => promisify((${done}) => req.logOut(done))(),
`,
    needs: { required: ["express-session", "passport"], optional: [] },
    notes: id === undefined ? ["Your serializeUser needs more than the id: load the user in sessions.start."] : [],
  };
}

/** Finds the member of the user that `passport.serializeUser` keeps, if it is the id alone. */
function serializedKey(calls: AppContext["calls"]): string | undefined {
  const serialize = calls.find(({ callee }) => memberPath(callee)?.at(-1) === "serializeUser")?.arguments[0];
  if (!isFunction(serialize)) return undefined;
  const done = callsIn(serialize).find(({ callee }) => callee.type === "Identifier")?.arguments[1];
  const path = memberPath(done);
  return path?.length === 2 && /^_?id$/.test(path[1] ?? "") ? path[1] : undefined;
}

/** Tells whether an app logs in with Passport's sessions. */
export function usesPassportSession(app: AppContext): boolean {
  if (!importsModule(app, "passport") || !importsModule(app, "express-session")) return false;
  return app.calls.some(({ callee }) => {
    const path = memberPath(callee);
    return path?.join(".") === "passport.session" || path?.at(-1) === "serializeUser";
  });
}
