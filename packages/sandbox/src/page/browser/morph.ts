import { Idiomorph } from "idiomorph";

/** Forms with unsent input. Their fields are not updated. */
const edited = new WeakSet<Element>();

/** Marks a form as edited. Its fields keep their input. */
export function markEdited(form: Element): void {
  edited.add(form);
}

/** Marks a form as sent. The server fills it in again. */
export function markSent(form: Element): void {
  edited.delete(form);
}

/**
 * Changes the body into another one. Equal elements are not touched, so the focus, scroll positions, open details and typed
 * text stay.
 *
 * @param keepsNotice - whether an element that is shown only once, such as a new secret, stays when the new body lacks it.
 */
export function morphBody(body: HTMLElement, keepsNotice: boolean): void {
  Idiomorph.morph(document.body, body, {
    ignoreActiveValue: true,
    callbacks: {
      beforeNodeMorphed: (old) => !(isOwned(old) || isEdited(old)),
      beforeNodeRemoved: (old) =>
        !(isElement(old) && (old.hasAttribute("data-own") || (keepsNotice && old.hasAttribute("data-stays")))),
      beforeAttributeUpdated: (name, element) => !isUserState(name, element),
    },
  });
}

/** Only the script writes these elements. */
function isOwned(node: Node): boolean {
  return isElement(node) && node.hasAttribute("data-own");
}

function isEdited(node: Node): boolean {
  const isInput =
    node instanceof HTMLInputElement || node instanceof HTMLSelectElement || node instanceof HTMLTextAreaElement;
  return isInput && node.form !== null && edited.has(node.form);
}

function isUserState(name: string, element: Element): boolean {
  return name === "data-copied" || (name === "open" && element instanceof HTMLDetailsElement);
}

/** The library also passes text and comments, although its types say otherwise. */
function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}
