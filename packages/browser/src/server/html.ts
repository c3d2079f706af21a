import type { ViewNode } from "../view/node.ts";

const withoutEnd = new Set(["input"]);

/** Writes a text so that it is nothing but text, in an element and in an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Writes an element as HTML. Only what the app itself gave as HTML is not escaped. */
export function toHtml(node: ViewNode): string {
  if (typeof node === "string") return escapeHtml(node);
  const { tag, attributes, children, foreign } = node;
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => (value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`));
  const start = `<${tag}${written.join("")}>`;
  return withoutEnd.has(tag) ? start : `${start}${foreign ?? ""}${children.map(toHtml).join("")}</${tag}>`;
}
