import { ask } from "./dialogs.ts";
import { setLive } from "./live-state.ts";
import { keepTyped } from "./morph.ts";
import { show, showCurrentTab, visit } from "./visit.ts";

const typingPauseMilliseconds = 120;
/** Forms that are on their way: a second click sends nothing. */
const onTheWay = new WeakSet<HTMLFormElement>();

/** Takes links, forms, and the way back and forth over from the browser. */
export function startNavigating(): void {
  document.addEventListener("click", followLink);
  document.addEventListener("submit", sendForm);
  document.addEventListener("input", ({ target }) => {
    const form = target instanceof Element ? target.closest("form") : null;
    if (form?.method === "post") keepTyped(form);
    else if (form?.dataset.live !== undefined) searchSoon(form);
  });
  addEventListener("popstate", () => void visit(location.href, "none"));
  dropFlash();
  showCurrentTab();
}

/** What is said once must not be asked for again. */
function dropFlash(): void {
  const address = new URL(location.href);
  if (!address.searchParams.has("flash")) return;
  address.searchParams.delete("flash");
  history.replaceState(null, "", address);
}

function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.origin !== location.origin || !isPlainClick(event)) return;
  const isAnchor = link.pathname === location.pathname && link.search === location.search && link.hash !== "";
  if (isAnchor) return;
  event.preventDefault();
  void visit(link.href, "push").then(() => {
    if (link.hash !== "") document.querySelector(link.hash)?.scrollIntoView();
  });
}

/** Any other click asks for a new tab, or was answered already. */
function isPlainClick({ button, defaultPrevented, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean {
  return button === 0 && !(defaultPrevented || ctrlKey || metaKey || shiftKey || altKey);
}

function sendForm(event: SubmitEvent): void {
  const { target: form, submitter } = event;
  if (!(form instanceof HTMLFormElement) || form.method === "dialog") return;
  event.preventDefault();
  if (form.method === "get") void visit(queryOf(form), "push");
  else void ask(form.dataset.confirm).then((yes) => (yes ? post(form, submitter) : undefined));
}

async function post(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  if (onTheWay.has(form)) return;
  onTheWay.add(form);
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) if (typeof value === "string") body.append(name, value);
  // Live news go on meanwhile: an act that moves the clock by a day may take its time.
  const answer = await fetch(form.action, { method: "POST", body }).catch(() => undefined);
  onTheWay.delete(form);
  if (answer) await show(Promise.resolve(answer), "push", form);
  else setLive("lost");
}

function queryOf(form: HTMLFormElement): string {
  const address = new URL(form.action);
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string" && value !== "") address.searchParams.set(name, value);
  }
  return address.href;
}

let searching: ReturnType<typeof setTimeout> | undefined;

function searchSoon(form: HTMLFormElement): void {
  clearTimeout(searching);
  searching = setTimeout(() => void visit(queryOf(form), "replace"), typingPauseMilliseconds);
}
