/*
 * Loads the view again every five seconds while it is visible, and replaces its main part. What a person has opened, typed or focused
 * stays. Without this script the page works the same, until it is loaded again.
 */

const pauseMilliseconds = 5000;
const isLive = "live" in document.body.dataset;
document.documentElement.classList.add("scripted");

const states = { live: "Live", paused: "Paused while you type", lost: "Not connected" } as const;

function showState(state: keyof typeof states): void {
  const live = document.getElementById("live");
  if (!live || live.dataset.state === state) return;
  live.dataset.state = state;
  live.textContent = states[state];
}

/** Typed text and choices would be lost, and a list that is open would close. */
function isTyping(): boolean {
  const isTyped = [...document.querySelectorAll<HTMLInputElement>("main input[type=text]")].some(
    ({ value }) => value !== "",
  );
  // No list of the page begins with another choice than its first one.
  const isChosen = [...document.querySelectorAll<HTMLSelectElement>("main select")].some(
    ({ selectedIndex }) => selectedIndex > 0,
  );
  return (
    isTyped ||
    isChosen ||
    document.activeElement instanceof HTMLSelectElement ||
    document.activeElement instanceof HTMLInputElement
  );
}

/** The section of the focused element, its text, and its place among all that can be focused there. */
function focusedPlace(): { readonly section: string; readonly text: string; readonly index: number } | undefined {
  const section = document.activeElement?.closest("main [id]");
  if (!section) return undefined;
  const focused = document.activeElement as HTMLElement;
  return { section: section.id, text: focused.textContent, index: focusableIn(section).indexOf(focused) };
}

function focusableIn(section: Element): readonly HTMLElement[] {
  return [...section.querySelectorAll<HTMLElement>("a, button, summary, [tabindex]")];
}

/** The links stay, and so does the focus. */
function showBadges(answer: Document): void {
  const fresh = answer.querySelectorAll("nav li a");
  for (const [index, link] of document.querySelectorAll("nav li a").entries()) {
    if (fresh[index] && fresh[index].innerHTML !== link.innerHTML) link.replaceChildren(...fresh[index].childNodes);
  }
}

async function refresh(): Promise<void> {
  const response = await fetch(location.href, { headers: { accept: "text/html" } });
  // The guard of the app asks for a login, which this page cannot show.
  if (response.redirected && !isTyping()) return location.reload();
  const answer = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = answer.querySelector("main");
  const main = document.querySelector("main");
  if (!response.ok || !fresh || !main) throw new Error("The page was not answered.");
  showState(isTyping() ? "paused" : "live");
  showBadges(answer);
  if (isTyping() || fresh.innerHTML === main.innerHTML) return;
  const open = [...main.querySelectorAll("details[open]")].map(({ id }) => id);
  const focused = focusedPlace();
  for (const id of open) fresh.querySelector(`#${CSS.escape(id)}`)?.setAttribute("open", "");
  main.replaceChildren(...fresh.childNodes);
  const section = focused && document.getElementById(focused.section);
  if (!section) return;
  const places = focusableIn(section);
  const isSame = (place: HTMLElement | undefined) => place?.textContent === focused.text;
  const there = places[focused.index];
  // A new row moves the others: the focus stays with its own.
  const place = isSame(there) ? there : (places.find(isSame) ?? there);
  place?.focus({ preventScroll: true });
}

async function keepFresh(): Promise<void> {
  if (!document.hidden) await refresh().catch(() => showState("lost"));
  setTimeout(keepFresh, pauseMilliseconds);
}

if (isLive) {
  showState("live");
  setTimeout(keepFresh, pauseMilliseconds);
}

export {};
