import type { AnyNode } from "acorn";
import { type AppContext, importsModule } from "../app-context.ts";
import { callsIn, isFunction, memberPath } from "../syntax.ts";
import { type AppSession, sessionKeys, userNotes } from "./app-session.ts";

const promisify = { from: "node:util", name: "promisify" };
const type = { from: "@doorcode/express", name: "ExpressSessions", isType: true };

/** Writes the sessions of an app with express-session. */
export function expressSession({ sources }: AppContext, idIsNumber: boolean): AppSession {
  const { id: own } = sessionKeys(sources);
  const id = own ?? "userId";
  const members = [...(own ? [] : [`    ${id}: string;`]), "    provenAt: number | undefined;"].join("\n");
  return {
    title: "express-session",
    imports: [promisify, type],
    declarations: `declare module "express-session" {\n  interface SessionData {\n${members}\n  }\n}\n\n`,
    code: `  async start({ userId, provenAt }, { req }) {
    // A new id: an attacker who planted the old one is not logged in.
    await promisify(req.session.regenerate.bind(req.session))();
    req.session.${id} = ${own && idIsNumber ? "Number(userId)" : "userId"};
    req.session.provenAt = provenAt;
  },
  current({ req }) {
    const { ${id === "userId" ? id : `${id}: userId`}, provenAt } = req.session;
    return userId ? { userId: String(userId), provenAt } : undefined;
  },
  end: ({ req }) => promisify(req.session.destroy.bind(req.session))(),
`,
    needs: { required: ["express-session"], optional: ["passport"] },
    notes: userNotes(sources),
  };
}

/** Writes the sessions of an app with Passport and express-session. */
export function passportSession({ sources, hasTypes }: AppContext, idIsNumber: boolean): AppSession {
  const id = serializedKey({ sources });
  const user = `{ ${id ?? "id"}: ${idIsNumber ? "Number(userId)" : "userId"} }`;
  const typed = (text: string) => (hasTypes ? text : "");
  const done = `done${typed(": (error: unknown) => void")}`;
  return {
    title: "Passport with express-session",
    imports: [promisify, type],
    declarations: `declare module "express-session" {\n  interface SessionData {\n    provenAt: number | undefined;\n  }\n}\n\n`,
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
function serializedKey({ sources }: Pick<AppContext, "sources">): string | undefined {
  const calls = sources.flatMap(({ program }) => callsIn(program));
  const serialize = calls.find(({ callee }) => memberPath(callee)?.at(-1) === "serializeUser")?.arguments[0];
  if (!isFunction(serialize as AnyNode | undefined)) return undefined;
  const done = callsIn(serialize as AnyNode).find(({ callee }) => callee.type === "Identifier")?.arguments[1];
  const path = memberPath(done as AnyNode | undefined);
  return path?.length === 2 && /^_?id$/.test(path[1] ?? "") ? path[1] : undefined;
}

/** Tells whether an app logs in with Passport's sessions. */
export function usesPassportSession(app: AppContext): boolean {
  return (
    importsModule(app, "passport") &&
    importsModule(app, "express-session") &&
    app.sources.some(({ program }) =>
      callsIn(program).some(
        ({ callee }) =>
          memberPath(callee)?.join(".") === "passport.session" || memberPath(callee)?.at(-1) === "serializeUser",
      ),
    )
  );
}
