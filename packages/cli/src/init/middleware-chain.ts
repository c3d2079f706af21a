import type { AnyNode, CallExpression } from "acorn";
import type { AppDeclaration } from "./app-declaration.ts";
import { nodesIn, requiredModule, type SourceFile } from "./source-file.ts";
import { callsIn, declaredValue, importedNames, isFunction, literalText, memberPath, referencesTo } from "./syntax.ts";

/** Middleware that lets every request pass, with its body unread. A mount may stand below it. */
const open =
  /^(morgan|helmet|compression|cors|pino-http|response-time|@fastify\/(cors|helmet|compress|cookie)|hono\/(cors|logger|secure-headers|compress|request-id))$/;
const crossOrigin = /^(cors|@fastify\/cors|hono\/cors)$/;
/** The places of the mounts in the file of an app, as offsets. */
export interface MountPlaces {
  /** Above everything that reads a body or refuses a request. */
  readonly webhooks: number;
  /** Below the app's own session, and above the CSRF protection: the kit checks the origin itself. */
  readonly login: number;
}

/** What a login must stand below. */
export interface LoginNeeds {
  /** The modules of the middleware without which it cannot run. */
  readonly required: readonly string[];
  /** Those that it only uses if they are there. */
  readonly optional: readonly string[];
}

/** Finds the places of the mounts among the statements below the app's declaration; undefined if they are not plain. */
export function findMountPlaces(app: AppDeclaration, { required, optional }: LoginNeeds): MountPlaces | undefined {
  const webhooks = webhookPlace(app);
  let login = webhooks;
  const missing = new Set(required);
  let isProtected = false;
  for (const statement of app.rest) {
    const modules = installations(app, statement)
      .filter(isForAllPaths)
      .flatMap((call) => modulesOf(app.file, call));
    isProtected ||= installsCsrf(app, statement);
    const needed = modules.filter((name) => required.includes(name));
    for (const name of needed) missing.delete(name);
    const wanted = needed.length > 0 || modules.some((name) => crossOrigin.test(name) || optional.includes(name));
    if (!wanted || statement.end <= login) continue;
    if (isProtected && needed.length > 0) return undefined;
    if (!isProtected) login = statement.end;
  }
  return missing.size === 0 ? { webhooks, login } : undefined;
}

function webhookPlace(app: AppDeclaration): number {
  let place = app.end;
  for (const statement of app.rest) {
    const uses = referencesTo(statement, app.name).length;
    const calls = installations(app, statement);
    if (uses === 0 || callsIn(statement).some(({ callee }) => isSetting(app, callee))) continue;
    if (calls.length !== uses || !calls.every((call) => isOpen(app.file, call))) break;
    place = statement.end;
  }
  return place;
}

function isSetting({ name }: AppDeclaration, callee: AnyNode): boolean {
  const [object, method = "", ...more] = memberPath(callee) ?? [];
  return object === name && /^(set|enable|disable|engine)$/.test(method) && more.length === 0;
}

/**
 * The calls in a statement that install middleware or plugins in the app. A function in it runs later, and a parameter of it may have the
 * app's name, such as in a plugin of Fastify.
 */
function installations({ name }: AppDeclaration, statement: AnyNode): readonly CallExpression[] {
  const later = new Set([...nodesIn(statement)].filter(isFunction).flatMap(callsIn));
  return callsIn(statement).filter((call) => {
    const [object, method = "", ...more] = memberPath(call.callee) ?? [];
    const installs = object === name && /^(use|register|options)$/.test(method) && more.length === 0;
    return installs && !later.has(call);
  });
}

/** The session of `app.use("/admin", session())` is no session of the login. */
function isForAllPaths({ arguments: [first] }: CallExpression): boolean {
  return /^[/*]?$/.test(literalText(first) ?? "");
}

function isOpen(file: SourceFile, call: CallExpression): boolean {
  const modules = modulesOf(file, call);
  return modules.length > 0 && modules.every((name) => open.test(name));
}

/** The modules of what a call installs: of `session` in `app.use(session({ … }))`, also if a variable holds it. */
function modulesOf(file: SourceFile, { arguments: given }: CallExpression): readonly string[] {
  return given.flatMap((argument) => {
    if (argument.type === "Literal" || argument.type === "ObjectExpression") return [];
    return [moduleOf(file, argument) ?? ""];
  });
}

function moduleOf(file: SourceFile, node: AnyNode, depth = 0): string | undefined {
  const callee = node.type === "CallExpression" ? node.callee : node;
  const required = requiredModule(callee);
  if (required !== undefined) return required;
  const [root] = memberPath(callee) ?? [];
  if (root === undefined) return undefined;
  const found = importedNames(file).get(root)?.from;
  const value = found === undefined && depth === 0 ? declaredValue(file, root) : undefined;
  return value ? moduleOf(file, value, 1) : found;
}

/** `app.use(lusca.csrf())`, and `app.use(csrfProtection)` wherever it comes from. */
function installsCsrf({ file, name }: AppDeclaration, statement: AnyNode): boolean {
  if (referencesTo(statement, name).length === 0) return false;
  const imported = importedNames(file);
  return [...nodesIn(statement)].some(
    (node) => node.type === "Identifier" && /csrf|xsrf|lusca/i.test(`${node.name} ${imported.get(node.name)?.from}`),
  );
}
