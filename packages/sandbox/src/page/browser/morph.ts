import { Idiomorph } from "idiomorph";

/** Forms that somebody typed into and did not send: what they hold is not ours to change. */
const typedInto = new WeakSet<Element>();

/** Remembers that a form holds what somebody typed. */
export function keepTyped(form: Element): void {
  typedInto.add(form);
}

/** Lets the server fill a form in again. */
export function letGo(form: Element): void {
  typedInto.delete(form);
}

/**
 * Makes the body look like another one and changes nothing that looks like it already: focus, scroll positions, open
 * details and typed text stay.
 *
 * @param stays - whether what is shown once, such as a new secret, outlives its absence in the other body.
 */
export function morphBody(body: HTMLElement, stays: boolean): void {
  Idiomorph.morph(document.body, body, {
    ignoreActiveValue: true,
    callbacks: {
      beforeNodeMorphed: (old) => !(isOurs(old) || isTypedInto(old)),
      beforeNodeRemoved: (old) =>
        !(isElement(old) && (old.hasAttribute("data-own") || (stays && old.hasAttribute("data-stays")))),
      beforeAttributeUpdated: (name, element) => !isTheReaders(name, element),
    },
  });
}

/** Elements that the script alone writes. */
function isOurs(node: Node): boolean {
  return isElement(node) && node.hasAttribute("data-own");
}

function isTypedInto(node: Node): boolean {
  const isControl =
    node instanceof HTMLInputElement || node instanceof HTMLSelectElement || node instanceof HTMLTextAreaElement;
  return isControl && node.form !== null && typedInto.has(node.form);
}

function isTheReaders(name: string, element: Element): boolean {
  return name === "data-copied" || (name === "open" && element instanceof HTMLDetailsElement);
}

/** Text and comments come here too, whatever the library's declarations say. */
function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}
