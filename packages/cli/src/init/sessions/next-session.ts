import type { AnyNode } from "acorn";
import type { AppContext } from "../app-context.ts";
import { type Exported, exportsOf } from "../exports.ts";
import { nodesIn } from "../source-file.ts";
import { calledOrigin, callsIn, isFunction, keyOf, literalText, methodOf, namesFrom } from "../syntax.ts";
import { type AppSession, noNeeds, noProof, userIdKey } from "./app-session.ts";
import { idArgument, idPath } from "./id-parameter.ts";

const type = { from: "@doorcode/fetch", name: "FetchSessions", isType: true };
const cookies = { from: "next/headers", name: "cookies" };

/** Writes the sessions of a Next.js app that keeps them in a cookie of its own; undefined if its functions are not plain. */
export function nextCookieSession(app: AppContext, idIsNumber: boolean): AppSession | undefined {
  const exported = app.sources.filter((file) => namesFrom(file, "next/headers").includes("cookies")).flatMap(exportsOf);
  const start = only(exported, /^(set|create|start|save|make)(User|Auth|Login)?(Session|Cookie|Token)$/i, "set");
  const read = only(exported, /^(get|read)(User|Auth|Current)?Session$/i, "get");
  const end = only(exported, /^(delete|destroy|clear|end|remove)(User|Auth)?(Session|Cookie)$/i, "delete");
  if (!start || !read || !isFunction(read.value) || read.value.params.length > 0) return undefined;
  const argument = idArgument(start.value, idIsNumber ? "Number(userId)" : "userId");
  const path = [...nodesIn(start.value)].map((node) => idPath(node)).find((each) => each !== undefined);
  const cookie = cookieName(start.value);
  if (!argument || !path || (!end && cookie === undefined)) return undefined;
  const names = [start, read, ...(end ? [end] : [])];
  const cast = argument.startsWith("{") ? app.typed(` as Parameters<typeof ${start.local}>[0]`) : "";
  return {
    title: "the session cookie of your app",
    imports: [
      type,
      ...names.map(({ file, name, local }) => ({ from: app.specifierOf(file.path), name, local })),
      ...(end ? [] : [cookies]),
    ],
    code: `  async start({ userId }) {
    await ${start.local}(${argument}${cast});
  },
  async current() {
    const session = await ${read.local}();
    const id = session?.${path.join("?.")};
    return id ? { userId: String(id) } : undefined;
  },
  async end() {
    ${end ? `await ${end.local}()` : `(await cookies()).delete(${JSON.stringify(cookie)})`};
  },
`,
    needs: noNeeds,
    notes: [noProof],
  };
}

/** Finds the only exported function of such a name that calls a method of the cookies. */
function only(exported: readonly Exported[], name: RegExp, method: string): Exported | undefined {
  const found = exported.filter(
    (each) => name.test(each.local) && callsIn(each.value).some((call) => methodOf(call) === method),
  );
  return found.length === 1 ? found[0] : undefined;
}

function cookieName(start: AnyNode): string | undefined {
  const set = callsIn(start).find((call) => methodOf(call) === "set");
  return literalText(set?.arguments[0]);
}

/** Writes the sessions of a Next.js app with iron-session; undefined if no function of the app returns its session. */
export function ironSession(app: AppContext, idIsNumber: boolean): AppSession | undefined {
  const found = app.exported.filter(({ file, value }) => {
    const calls = callsIn(value).some((call) => calledOrigin(file, call)?.name === "getIronSession");
    return isFunction(value) && value.params.length === 0 && calls;
  });
  const [get] = found;
  const id = userIdKey(app);
  if (!get || found.length > 1 || id === undefined) return undefined;
  return {
    title: "iron-session",
    imports: [type, { from: app.specifierOf(get.file.path), name: get.name, local: get.local }],
    code: `  async start({ userId }) {
    const session = await ${get.local}();
    session.${id} = ${idIsNumber ? "Number(userId)" : "userId"};
    await session.save();
  },
  async current() {
    const session = await ${get.local}();
    return session.${id} ? { userId: String(session.${id}) } : undefined;
  },
  async end() {
    (await ${get.local}()).destroy();
  },
`,
    needs: noNeeds,
    notes: [noProof],
  };
}

/** Writes the sessions of an app with next-auth; undefined if it keeps them in a database. */
export function nextAuthSession({ manifest, typed, sources }: AppContext): AppSession | undefined {
  const options = sources.flatMap(({ program }) => [...nodesIn(program)].filter((node) => node.type === "Property"));
  const keepsRows = options.some(({ key }) => keyOf(key) === "adapter");
  const keepsTokens = options.some(({ key, value }) => keyOf(key) === "strategy" && literalText(value) === "jwt");
  if (keepsRows && !keepsTokens) return undefined;
  const isOld = /^\D*4\./.test(manifest.dependencies["next-auth"] ?? "");
  const seal = isOld ? "secret: authSecret()" : "secret: authSecret(), salt: name";
  return {
    title: "next-auth",
    imports: [type, cookies, ...["decode", "encode"].map((name) => ({ from: "next-auth/jwt", name }))],
    preamble: authFunctions(isOld, typed),
    code: `  async start({ userId, provenAt }, { request }) {
    const { name, secure } = sessionCookie(request);
    const token = await encode({ token: { sub: userId, provenAt }, ${seal} });
    (await cookies()).set(name, token, { path: "/", httpOnly: true, sameSite: "lax", secure });
  },
  async current({ request }) {
    const { name } = sessionCookie(request);
    const value = (await cookies()).get(name)?.value;
    const token = value && (await decode({ token: value, ${seal} }).catch(() => null));
    return token && token.sub ? { userId: token.sub, provenAt: token.provenAt${typed(" as number | undefined")} } : undefined;
  },
  async end({ request }) {
    const { name, secure } = sessionCookie(request);
    (await cookies()).set(name, "", { path: "/", maxAge: 0, secure });
  },
`,
    needs: noNeeds,
    notes: ["next-auth calls no callback for a login by phone: what your callback jwt adds is missing in its token."],
  };
}

function authFunctions(isOld: boolean, typed: AppContext["typed"]): string {
  const [name, prefix] = isOld ? ["next-auth", "NEXTAUTH"] : ["authjs", "AUTH"];
  return `/** The secret of next-auth: without one, anybody could make its cookie. */
function authSecret()${typed(": string")} {
  const secret = process.env.${prefix}_SECRET;
  if (!secret) throw new Error("${prefix}_SECRET is missing.");
  return secret;
}

/** The cookie of next-auth. */
function sessionCookie({ url, headers }${typed(": Request")}) {
  const address = process.env.${prefix}_URL ?? headers.get("x-forwarded-proto") ?? url;
  const secure = address.startsWith("https");
  return { secure, name: \`\${secure ? "__Secure-" : ""}${name}.session-token\` };
}

`;
}
