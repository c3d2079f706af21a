import type { AppContext } from "../app-context.ts";
import type { ImportedName } from "../imported-name.ts";
import type { LoginNeeds } from "../middleware-chain.ts";
import { nodesIn, type SourceFile } from "../source-file.ts";
import { callsIn, literalText, memberPath } from "../syntax.ts";

/** The sessions of an app, as the code that lets a login start them. */
export interface AppSession {
  /** The name that a developer knows. */
  readonly title: string;
  /** What the code imports. */
  readonly imports: readonly ImportedName[];
  /** Functions above the code. */
  readonly preamble?: string;
  /** Declarations above the code, in TypeScript. */
  readonly declarations?: string;
  /** The code between the braces of `sessions`: the functions `start`, `current` and `end`. */
  readonly code: string;
  /** The middleware that the mount must stand below. */
  readonly needs: LoginNeeds;
  /** Sentences for the developer. */
  readonly notes: readonly string[];
}

/** Sessions without middleware. */
export const noNeeds: LoginNeeds = { required: [], optional: [] };

/** Code whose session cannot keep when the number was proven. */
export const noProof =
  "These sessions do not keep when a number was proven (provenAt), so no guard with provenWithinSeconds lets them pass.";

/** Finds the key under which the app keeps the id of its user in the session. */
export function userIdKey({ sources }: AppContext): string | undefined {
  return sources.flatMap(keysIn).find((key) => /^(user_?id|uid|account_?id)$/i.test(key));
}

function keysIn({ program }: SourceFile): readonly string[] {
  const assigned = [...nodesIn(program)].flatMap((node) => {
    const path = node.type === "AssignmentExpression" ? memberPath(node.left) : undefined;
    return path?.at(-2) === "session" ? [path.at(-1) ?? ""] : [];
  });
  const set = callsIn(program).flatMap(({ callee, arguments: [first] }) => {
    const path = memberPath(callee);
    return path?.at(-1) === "set" && path.at(-2) === "session" ? [literalText(first) ?? ""] : [];
  });
  return [...assigned, ...set];
}

/** The interface that lists the members of a session. */
export interface SessionType {
  readonly module: string;
  readonly name: string;
  readonly isOptional?: boolean;
}

/** The user's id and the time of the proof, as members of a session. */
export interface SessionFields extends Required<Pick<AppSession, "declarations" | "notes">> {
  /** The key of the user's id. */
  readonly id: string;
  /** The value of the user's id, from the text `userId`. */
  readonly value: string;
}

/** Finds the key of the user's id, which is the app's own if it has one, and declares what the app does not. */
export function sessionFields(app: AppContext, type: SessionType, idIsNumber: boolean): SessionFields {
  const own = userIdKey(app);
  const keepsUser = own === undefined && app.sources.flatMap(keysIn).includes("user");
  const note = "Your app keeps session.user: set it in sessions.start, and read it in sessions.current.";
  return {
    id: own ?? "userId",
    value: own !== undefined && idIsNumber ? "Number(userId)" : "userId",
    declarations: own === undefined ? declaredFields(type, { userId: "string" }) : declaredFields(type),
    notes: keepsUser ? [note] : [],
  };
}

/** Declares the time of the proof as a member of a session, and other members with their types. */
export function declaredFields(
  { module, name, isOptional = false }: SessionType,
  others: Readonly<Record<string, string>> = {},
): string {
  const members = Object.entries({ ...others, provenAt: "number | undefined" });
  const lines = members.map(([member, type]) => `    ${member}${isOptional ? "?" : ""}: ${type};\n`);
  return `declare module "${module}" {\n  interface ${name} {\n${lines.join("")}  }\n}\n\n`;
}
