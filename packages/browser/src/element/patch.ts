import type { AttributeValue, ViewElement, ViewNode } from "../view/node.ts";

/** The description of the children of each element. What a translation of the browser puts in place of a text stays until it changes. */
const shown = new WeakMap<Element, string>();

/**
 * Makes the children of a node equal to a description, and keeps what fits: an input keeps its text, its focus and its
 * selection, and what the server has rendered is taken over as it is.
 */
export function patchChildren(parent: Element, described: readonly ViewNode[]): void {
  let next = parent.firstChild;
  for (const node of described) {
    const found = findMatch(next, node);
    if (!found) {
      parent.insertBefore(created(node), next);
      continue;
    }
    // The order of a page never changes: what stands before the match is not described any more.
    while (next && next !== found) next = removed(next);
    if (typeof node !== "string") patch(found as Element, node);
    else if (found.nodeValue !== node) found.nodeValue = node;
    next = found.nextSibling;
  }
  while (next) next = removed(next);
}

function removed(node: ChildNode): ChildNode | null {
  const next = node.nextSibling;
  node.remove();
  return next;
}

function findMatch(from: ChildNode | null, node: ViewNode): ChildNode | undefined {
  // A text is only taken from the next place: it has nothing by which it could be known.
  if (typeof node === "string") return from instanceof Text ? from : undefined;
  for (let candidate = from; candidate; candidate = candidate.nextSibling)
    if (candidate instanceof Element && matches(candidate, node)) return candidate;
  return undefined;
}

function matches(element: Element, { tag, attributes }: ViewElement): boolean {
  return (
    element.localName === tag &&
    ["part", "data-number"].every((name) => element.getAttribute(name) === textOf(attributes[name]))
  );
}

function patch(element: Element, { attributes, children, foreign }: ViewElement, isNew = false): void {
  for (const [name, value] of Object.entries(attributes)) {
    // What the person has typed and chosen is theirs.
    const isTheirs = (name === "value" && attributes.type !== "hidden") || name === "selected";
    if (isNew || !isTheirs) setAttribute(element, name, value);
  }
  const description = JSON.stringify(children);
  if (foreign !== undefined || shown.get(element) === description) return;
  shown.set(element, description);
  patchChildren(element, children);
}

function created(node: ViewNode): Node {
  if (typeof node === "string") return document.createTextNode(node);
  const element = document.createElement(node.tag);
  patch(element, node, true);
  return element;
}

function setAttribute(element: Element, name: string, value: AttributeValue): void {
  const text = textOf(value);
  if (text === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

function textOf(value: AttributeValue): string | null {
  if (value === undefined || value === false) return null;
  return value === true ? "" : String(value);
}
