import type { ImportedName } from "../imported-name.ts";
import type { LoginNeeds } from "../middleware-chain.ts";
import type { SourceFile } from "../source-file.ts";
import { nodesIn } from "../source-file.ts";
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

/** Finds the key under which the app keeps the id of its user in the session, and whether it keeps the user itself. */
export function sessionKeys(sources: readonly SourceFile[]): {
  readonly id: string | undefined;
  readonly user: boolean;
} {
  const keys = sources.flatMap(keysIn);
  return { id: keys.find((key) => /^(user_?id|uid|account_?id)$/i.test(key)), user: keys.includes("user") };
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

/** The note for an app whose session keeps the user itself. */
export function userNotes(sources: readonly SourceFile[]): readonly string[] {
  const { id, user } = sessionKeys(sources);
  if (id !== undefined || !user) return [];
  return ["Your app keeps session.user: set it in sessions.start, and read it in sessions.current."];
}
