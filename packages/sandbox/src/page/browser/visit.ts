import { setLive } from "./live-state.ts";
import { letGo, morphBody } from "./morph.ts";
import { tellRenewed } from "./renewed.ts";

/** The newest question to the server: answers to older ones come too late. */
let asked = 0;
let underWay = false;
let wantsAnother = false;

/** How an address gets into the history. */
export type HistoryStep = "push" | "replace" | "none";

/** Shows another address without a new document. */
export async function visit(address: string, step: HistoryStep): Promise<void> {
  await show(fetch(address, { headers: { accept: "text/html" } }), step);
}

/** Shows what stands at the current address now. Many at once become one, and one after it. */
export async function refresh(): Promise<void> {
  wantsAnother = underWay;
  if (!underWay) await visit(location.href, "none");
}

/**
 * Shows an answer of the server.
 *
 * @param sent - the form it is the answer to: emptied, unless the server refused what was in it.
 */
export async function show(request: Promise<Response>, step: HistoryStep, sent?: HTMLFormElement): Promise<void> {
  const number = ++asked;
  underWay = true;
  try {
    const response = await request;
    const html = await response.text();
    if (number === asked) take(html, new URL(response.url), step, sent);
  } catch {
    setLive("lost");
  }
  if (number !== asked) return;
  underWay = false;
  if (wantsAnother) void refresh();
}

function take(html: string, address: URL, step: HistoryStep, sent: HTMLFormElement | undefined): void {
  const fresh = new DOMParser().parseFromString(html, "text/html");
  if (!fresh.body.dataset.section) return;
  const isElsewhere = address.pathname !== location.pathname;
  enter(address, step);
  if (sent && !fresh.querySelector(".notice.problem")) {
    letGo(sent);
    sent.reset();
  }
  document.title = fresh.title;
  morphBody(fresh.body, step === "none" && !isElsewhere);
  if (isElsewhere) beginAnew();
  tellRenewed();
}

/** Puts an address into the history, without what is said only once. */
function enter(address: URL, step: HistoryStep): void {
  address.searchParams.delete("flash");
  if (step === "none" || address.href === location.href) return;
  const isSameView =
    step === "replace" || (address.pathname === location.pathname && address.search === location.search);
  history[isSameView ? "replaceState" : "pushState"](null, "", address);
}

/** Another view begins at its top. */
function beginAnew(): void {
  scrollTo(0, 0);
  document.getElementById("messages")?.scrollTo(0, 0);
  document.getElementById("switcher")?.removeAttribute("open");
  showCurrentTab();
  const isFocusLost = document.activeElement === null || document.activeElement === document.body;
  if (isFocusLost) document.getElementById("main")?.focus({ preventScroll: true });
}

/** Of many tabs, a phone shows a few. */
export function showCurrentTab(): void {
  document.querySelector(".tabs [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
}
