import { confirmAction } from "./keyboard.ts";
import { showLiveStatus } from "./shown-page.ts";
import { markEdited, show, showCurrentTab, updateHistory, visit } from "./visit.ts";

const typingPauseMilliseconds = 120;
/** Forms that are being sent. Another click on them is ignored. */
const sending = new WeakSet<HTMLFormElement>();

/** Handles links, forms, and the back and forward buttons without loading a new document. */
export function startNavigating(): void {
  document.addEventListener("click", followLink);
  document.addEventListener("submit", sendForm);
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof Element ? target.closest("form") : null;
    if (form?.method === "post") markEdited(form);
    else if (form?.dataset.live !== undefined) searchSoon(form);
  });
  addEventListener("popstate", () => void visit(location.href, "none"));
  // A notice is shown once, so its token must not stay in the URL.
  updateHistory(new URL(location.href), "replace");
  showCurrentTab();
}

function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  // A link with a target opens another tab.
  if (!link || link.origin !== location.origin || link.target !== "" || !isPlainClick(event)) return;
  const isAnchor = link.pathname === location.pathname && link.search === location.search && link.hash !== "";
  if (isAnchor) return;
  event.preventDefault();
  void visit(link.href, "push").then(() => {
    if (link.hash !== "") document.querySelector(link.hash)?.scrollIntoView();
  });
}

/** Any other click opens a new tab, or was already handled. */
function isPlainClick({ button, defaultPrevented, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !(defaultPrevented || ctrlKey || metaKey || shiftKey || altKey);
}

function sendForm(event: SubmitEvent): void {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || form.method === "dialog") return;
  event.preventDefault();
  if (form.method === "get") void visit(queryUrl(form), "push");
  else void confirmAction(form.dataset.confirm).then((yes) => (yes ? post(form, submitter) : undefined));
}

async function post(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  if (sending.has(form)) return;
  sending.add(form);
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === "string") body.append(name, value);
  // Not through `show` yet: moving the clock by a day may take long, and the page must still update meanwhile.
  const answer = await fetch(form.action, { method: "POST", body }).catch(() => undefined);
  sending.delete(form);
  if (answer) await show(Promise.resolve(answer), "push", form);
  else showLiveStatus("lost");
}

function queryUrl(form: HTMLFormElement): string {
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && value !== "") url.searchParams.set(name, value);
  }
  return url.href;
}

let searchTimer: ReturnType<typeof setTimeout> | undefined;

function searchSoon(form: HTMLFormElement): void {
  clearTimeout(searchTimer);
  searchTimer = setTimeout(() => void visit(queryUrl(form), "replace"), typingPauseMilliseconds);
}
