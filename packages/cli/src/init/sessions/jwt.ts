import type { AnyNode, CallExpression } from "acorn";
import { type AppContext, importsModule } from "../app-context.ts";
import type { ImportedName } from "../imported-name.ts";
import { nodesIn, type SourceFile } from "../source-file.ts";
import {
  calledOrigin,
  callsIn,
  declaredValue,
  importedNames,
  isFunction,
  memberPath,
  methodOf,
  propertyOf,
} from "../syntax.ts";
import { type AppSession, noNeeds, noProof } from "./app-session.ts";
import { idArgument, idPath } from "./id-parameter.ts";

/** Code that uses functions of the app. */
interface Code {
  readonly imports: readonly ImportedName[];
  readonly text: string;
}

/** Writes the sessions of an Express app whose clients send a JWT; undefined if its tokens are made or read in no plain way. */
export function jwtSession(app: AppContext, idIsNumber: boolean): AppSession | undefined {
  // A token in a cookie has options that only the app knows.
  if (app.calls.some((call) => methodOf(call) === "cookie")) return undefined;
  const signed = app.sources.flatMap(signaturesIn);
  const start = startCode(app, signed, idIsNumber ? "Number(userId)" : "userId");
  const current = passportCode(app) ?? middlewareCode(app, signed) ?? verifyCode(app, signed);
  if (!start || !current) return undefined;
  const type = { from: "@doorcode/express", name: "ExpressSessions", isType: true };
  return {
    title: "JSON Web Tokens",
    imports: [type, ...start.imports, ...current.imports],
    code: `  // The answer to /confirm has what is returned here, as \`result\`.
  start: async ({ userId }) => ${start.text},
${current.text}  // A JWT stays valid until it expires.
  end: () => undefined,
`,
    needs: { ...noNeeds, optional: ["passport"] },
    notes: [noProof],
  };
}

/** A call of `jwt.sign`. */
interface Signature {
  readonly file: SourceFile;
  readonly call: CallExpression;
  /** The way to the user's id in the token. */
  readonly path: readonly string[] | undefined;
}

function signaturesIn(file: SourceFile): readonly Signature[] {
  const names = [...importedNames(file)].filter(([, { from }]) => from === "jsonwebtoken");
  return callsIn(file.program).flatMap((call) => {
    const path = memberPath(call.callee) ?? [];
    const imported = names.find(([name]) => name === path[0]);
    if (!imported || (path[1] ?? imported[1].name) !== "sign") return [];
    const [payload] = call.arguments;
    const object = payload?.type === "Identifier" ? declaredValue(file, payload.name) : payload;
    return [{ file, call, path: idPath(object) }];
  });
}

const makesLogin =
  /^(?:generate|create|make|sign|issue|get|build)?(?:auth|access|login|session|bearer|user)*(?:tokens?|jwt)$/i;

function startCode(app: AppContext, signed: readonly Signature[], id: string): Code | undefined {
  const exported = new Map(app.exported.map((each) => [each.value, each]));
  const makers = [...exported.values()].flatMap(({ file, name, local, value }) => {
    const makes = callsIn(value).some(({ callee }) => /^sign$|token|jwt/i.test(memberPath(callee)?.at(-1) ?? ""));
    const argument = isFunction(value) && makes && makesLogin.test(local) ? idArgument(value, id) : undefined;
    if (argument === undefined) return [];
    const isText = signed.some(({ call }) => [...nodesIn(value)].includes(call));
    return [{ imports: [{ from: app.specifierOf(file.path), name, local }], call: `${local}(${argument})`, isText }];
  });
  const [maker] = makers;
  if (maker && makers.length === 1)
    return { imports: maker.imports, text: maker.isText ? `({ token: await ${maker.call} })` : maker.call };
  return makers.length === 0 ? inlineCode(app, signed, id) : undefined;
}

/** Signs as the app's only `jwt.sign` does, if it needs nothing but the id and the environment. */
function inlineCode({ typed }: AppContext, signed: readonly Signature[], id: string): Code | undefined {
  const [first] = signed;
  const [payload, secret, options] = first?.call.arguments ?? [];
  if (!first || signed.length !== 1 || first.path?.length !== 1 || payload?.type !== "ObjectExpression")
    return undefined;
  const isPlain = payload.properties.length === 1 && isEnvironment(secret) && (!options || isConstant(options));
  if (!isPlain) return undefined;
  const [key] = first.path;
  const rest = [
    `${textOf(first.file, secret)}${typed(" as string")}`,
    ...(options ? [textOf(first.file, options)] : []),
  ].join(", ");
  return { imports: [jsonwebtoken], text: `({ token: jwt.sign({ ${key === id ? key : `${key}: ${id}`} }, ${rest}) })` };
}

const jsonwebtoken = { from: "jsonwebtoken", name: "default", local: "jwt" };

/** Asks the app's own strategy, so that its own rules decide. */
function passportCode(app: AppContext): Code | undefined {
  if (!importsModule(app, "passport-jwt")) return undefined;
  const { typed } = app;
  return {
    imports: [{ from: "passport", name: "default", local: "passport" }],
    text: `  current: ({ req }) =>
    new Promise((resolve, reject) => {
      const done = (error${typed(": unknown")}, user${typed(": { id: unknown } | false | undefined")}) =>
        error ? reject(error) : resolve(user ? { userId: String(user.id) } : undefined);
      passport.authenticate("jwt", { session: false }, done)(req, req.res, reject);
    }),
`,
  };
}

/** Runs the app's own middleware of express-jwt. */
function middlewareCode(app: AppContext, signed: readonly Signature[]): Code | undefined {
  const path = pathOf(signed);
  const found = app.exported.flatMap(({ file, name, local, value }) => {
    const isMiddleware = (node: AnyNode | undefined) => calledOrigin(file, node)?.from === "express-jwt";
    const member = ["required", "optional"].find((key) => isMiddleware(propertyOf(value, key)));
    const call = isMiddleware(value) ? local : member && `${local}.${member}`;
    return call === undefined ? [] : [{ import: { from: app.specifierOf(file.path), name, local }, call }];
  });
  const [first] = found;
  if (!first || found.length > 1 || !path) return undefined;
  const isOld = /^\D*[1-6]\./.test(app.manifest.dependencies["express-jwt"] ?? "");
  const way = [isOld ? "user" : "auth", ...path];
  return {
    imports: [first.import, { from: "express", name: "Response", isType: true }],
    text: `  async current({ req }) {
    // The app's own middleware reads the token. Without a valid one it sets nothing.
    await new Promise((resolve) => ${first.call}(req, req.res${app.typed(" as Response")}, resolve));
    const id = ${app.hasTypes ? `(req as ${typeOf(way)})` : "req"}.${way.join("?.")};
    return id ? { userId: String(id) } : undefined;
  },
`,
  };
}

/** Verifies the token as `jsonwebtoken` does, with the app's secret. */
function verifyCode(app: AppContext, signed: readonly Signature[]): Code | undefined {
  const path = pathOf(signed);
  const [first] = signed;
  const secret = first?.call.arguments[1];
  if (!first || !path || importsModule(app, "express-jwt") || !isEnvironment(secret)) return undefined;
  return {
    imports: [jsonwebtoken],
    text: `  current({ req }) {
    const [, token = ""] = req.get("authorization")?.match(/^Bearer (.+)$/) ?? [];
    try {
      const payload = jwt.verify(token, ${textOf(first.file, secret)}${app.typed(" as string")})${app.typed(` as ${typeOf(path)}`)};
      const id = payload.${path.join("?.")};
      return id ? { userId: String(id) } : undefined;
    } catch {
      return undefined;
    }
  },
`,
  };
}

/** The type of an object that has a value at the end of a way. */
function typeOf(way: readonly string[]): string {
  return way.reduceRight((inner, key) => `{ ${key}?: ${inner} }`, "unknown");
}

/** The way to the user's id, if all tokens of the app have the same one. */
function pathOf(signed: readonly Signature[]): readonly string[] | undefined {
  const paths = new Set(signed.map(({ path }) => path?.join(".")));
  return paths.size === 1 ? signed[0]?.path : undefined;
}

/** `process.env.JWT_SECRET`, with a default or without. */
function isEnvironment(node: AnyNode | undefined): node is AnyNode {
  if (node?.type === "LogicalExpression") return isEnvironment(node.left) && isConstant(node.right);
  const path = memberPath(node);
  return path?.length === 3 && path[0] === "process" && path[1] === "env";
}

function isConstant(node: AnyNode): boolean {
  if (node.type !== "ObjectExpression") return node.type === "Literal";
  return node.properties.every((each) => each.type === "Property" && isConstant(each.value));
}

function textOf({ text }: SourceFile, { start, end }: AnyNode): string {
  return text.slice(start, end);
}
