import type { AnyNode } from "acorn";
import { nodesIn } from "../source-file.ts";
import { isFunction, keyOf, memberPath, referencesTo } from "../syntax.ts";

/**
 * Writes the argument for a function of the app that takes a user's id, or a user of whom it reads the id alone. Undefined for any other
 * function, also for one that needs a second argument.
 */
export function idArgument(node: AnyNode, id: string): string | undefined {
  if (!isFunction(node)) return undefined;
  const [first, second] = node.params;
  if (first?.type !== "Identifier" || (second && second.type !== "AssignmentPattern")) return undefined;
  const members = [...nodesIn(node.body)].flatMap((each) => {
    const [object, member, ...more] = each.type === "MemberExpression" ? (memberPath(each) ?? []) : [];
    return object === first.name && member !== undefined && more.length === 0 ? [member] : [];
  });
  const references = referencesTo(node.body, first.name).length;
  if (members.length === 0) return references > 0 && /id$/i.test(first.name) ? id : undefined;
  const keys = [...new Set(members)];
  if (members.length !== references || !keys.every((key) => /^_?id$/.test(key))) return undefined;
  return `{ ${keys.map((key) => `${key}: ${id}`).join(", ")} }`;
}

/** Finds the way to the user's id in an object literal: `["user", "id"]` in `{ user: { id: user.id } }`. */
export function idPath(node: AnyNode | undefined): readonly string[] | undefined {
  if (node?.type !== "ObjectExpression") return undefined;
  for (const each of node.properties) {
    const key = each.type === "Property" ? keyOf(each.key) : undefined;
    // It becomes code of the kit's file.
    if (each.type !== "Property" || key === undefined || !/^[\w$]+$/.test(key)) continue;
    const name = memberPath(each.value)?.at(-1);
    if (name !== undefined && /^(_?id|user_?id|uid)$/i.test(name)) return [key];
    const inner = idPath(each.value);
    if (inner) return [key, ...inner];
  }
  return undefined;
}
