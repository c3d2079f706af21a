import type { AttributeValue, ViewElement, ViewNode } from "../view/node.ts";

/**
 * Makes the children of a node equal to a description, and keeps what fits: an input keeps its text, its focus and its
 * selection, and what the server has rendered is taken over as it is.
 */
export function patchChildren(parent: Element, described: readonly ViewNode[]): void {
  let next = parent.firstChild;
  for (const node of described) {
    const found = findMatch(next, node);
    // The order of a page never changes: what stands before the match is not described any more.
    while (found && next && next !== found) next = removed(next);
    if (!found) parent.insertBefore(created(node), next);
    else if (typeof node === "string") {
      if (found.nodeValue !== node) found.nodeValue = node;
    } else patch(found as Element, node);
    if (found) next = found.nextSibling;
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
  if (typeof node === "string") return from?.nodeType === Node.TEXT_NODE ? from : undefined;
  for (let candidate = from; candidate; candidate = candidate.nextSibling)
    if (candidate instanceof Element && matches(candidate, node)) return candidate;
  return undefined;
}

function matches(element: Element, { tag, attributes }: ViewElement): boolean {
  return (
    element.localName === tag &&
    ["part", "data-number"].every((name) => (element.getAttribute(name) ?? undefined) === textOf(attributes[name]))
  );
}

function patch(element: Element, { attributes, children, foreign }: ViewElement): void {
  for (const [name, value] of Object.entries(attributes)) {
    // What the person has typed and chosen is theirs.
    if ((name === "value" && attributes.type !== "hidden") || name === "selected") continue;
    setAttribute(element, name, value);
  }
  if (foreign === undefined) patchChildren(element, children);
}

function created(node: ViewNode): Node {
  if (typeof node === "string") return document.createTextNode(node);
  const element = document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.attributes)) setAttribute(element, name, value);
  patchChildren(element, node.children);
  return element;
}

function setAttribute(element: Element, name: string, value: AttributeValue): void {
  const text = textOf(value);
  if (text === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

function textOf(value: AttributeValue): string | undefined {
  if (value === undefined || value === false) return undefined;
  return value === true ? "" : String(value);
}
