import { Idiomorph } from "idiomorph";
import { notifyPageUpdate, showLiveStatus } from "./shown-page.ts";

/** Number of the newest request. Answers to older requests are ignored. */
let newestRequest = 0;
let isLoading = false;
let needsRefresh = false;

type HistoryStep = "push" | "replace" | "none";

/** Shows another URL without loading a new document. */
export async function visit(url: string, step: HistoryStep): Promise<void> {
  await show(fetch(url, { headers: { accept: "text/html" } }), step);
}

/** Loads the current URL again. Several calls during a request become one more request after it. */
export async function refresh(): Promise<void> {
  needsRefresh = isLoading;
  if (!isLoading) await visit(location.href, "none");
}

/**
 * Shows an answer of the server.
 *
 * @param form - the form that was sent. It is emptied, unless the server refused it.
 */
export async function show(request: Promise<Response>, step: HistoryStep, form?: HTMLFormElement): Promise<void> {
  const number = ++newestRequest;
  isLoading = true;
  try {
    const response = await request;
    const html = await response.text();
    if (number === newestRequest) showHtml(html, new URL(response.url), step, form);
  } catch {
    showLiveStatus("lost");
  }
  if (number !== newestRequest) return;
  isLoading = false;
  if (needsRefresh) void refresh();
}

function showHtml(html: string, url: URL, step: HistoryStep, form: HTMLFormElement | undefined): void {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  // The sandbox was started again and asks for its token.
  if (fresh.body.dataset.login !== undefined) location.reload();
  // A proxy answers in place of the sandbox: what was asked for did not happen.
  if (!fresh.body.dataset.section) throw new Error("No page of the sandbox.");
  const isOtherPage = url.pathname !== location.pathname;
  updateHistory(url, step);
  if (form && !fresh.querySelector(".notice.problem")) {
    edited.delete(form);
    form.reset();
  }
  document.title = fresh.title;
  morphBody(fresh.body, step === "none" && !isOtherPage);
  if (isOtherPage) startAtTop();
  notifyPageUpdate();
}

/** Puts a URL into the history, without the token of a notice. */
export function updateHistory(url: URL, step: HistoryStep): void {
  url.searchParams.delete("flash");
  if (step === "none" || url.href === location.href) return;
  const isSameView = step === "replace" || (url.pathname === location.pathname && url.search === location.search);
  history[isSameView ? "replaceState" : "pushState"](null, "", url);
}

function startAtTop(): void {
  scrollTo(0, 0);
  document.getElementById("messages")?.scrollTo(0, 0);
  document.getElementById("switcher")?.removeAttribute("open");
  showCurrentTab();
  const isFocusLost = document.activeElement === null || document.activeElement === document.body;
  if (isFocusLost) document.getElementById("main")?.focus({ preventScroll: true });
}

/** Scrolls to the current section and the current tab. A phone shows only some of them. */
export function showCurrentTab(): void {
  for (const current of document.querySelectorAll(":is(.sidebar nav, .tabs) [aria-current]")) {
    current.scrollIntoView({ inline: "center", block: "nearest" });
  }
}

/** Forms with unsent input. Their fields are not updated. */
const edited = new WeakSet<Element>();

/** Marks a form as edited. Its fields keep their input. */
export function markEdited(form: Element): void {
  edited.add(form);
}

/**
 * Changes the body into another one. Equal elements are not touched, so the focus, scroll positions, open details and typed
 * text stay.
 *
 * @param keepsNotice - whether an element that is shown only once, such as a new secret, stays when the new body lacks it.
 */
function morphBody(body: HTMLElement, keepsNotice: boolean): void {
  Idiomorph.morph(document.body, body, {
    ignoreActiveValue: true,
    callbacks: {
      // Only the script writes elements with `data-own`.
      beforeNodeMorphed: (old) => !(isElement(old) && (old.hasAttribute("data-own") || isEdited(old))),
      beforeNodeRemoved: (old) =>
        !(isElement(old) && (old.hasAttribute("data-own") || (keepsNotice && old.hasAttribute("data-stays")))),
      // The user has opened a detail, or copied a text.
      beforeAttributeUpdated: (name, element) =>
        !(name === "data-copied" || (name === "open" && element instanceof HTMLDetailsElement)),
    },
  });
}

function isEdited(node: Node): boolean {
  const isInput =
    node instanceof HTMLInputElement || node instanceof HTMLSelectElement || node instanceof HTMLTextAreaElement;
  return isInput && node.form !== null && edited.has(node.form);
}

/** The library also passes text and comments, although its types say otherwise. */
function isElement(node: Node): node is Element {
  return node.nodeType === Node.ELEMENT_NODE;
}
