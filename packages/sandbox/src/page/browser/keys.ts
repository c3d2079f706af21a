import { showHelp } from "./dialogs.ts";

const sections = ["inbox", "verifications", "webhooks", "portal", "clock"];
const storageKey = "doorcode-sandbox:keys";

const acts: Readonly<Record<string, () => void>> = {
  "/": () => document.getElementById("search-text")?.focus(),
  j: () => move(1),
  k: () => move(-1),
  c: copyCode,
  "?": showHelp,
  // Beside its list, a thread shows no way back, and still has one.
  Escape: () => document.getElementById("back")?.click(),
};

/** Lets single keys do something, unless somebody types or switched them off. */
export function startKeys(): void {
  const on = document.getElementById("keys-on");
  if (on instanceof HTMLInputElement) {
    on.checked = localStorage.getItem(storageKey) !== "off";
    on.addEventListener("change", () => localStorage.setItem(storageKey, on.checked ? "on" : "off"));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) leaveField(event);
    else if (!(on instanceof HTMLInputElement) || on.checked) press(event);
  });
}

function press(event: KeyboardEvent): void {
  const section = sections[Number(event.key) - 1];
  const act = section ? () => document.getElementById(`to-${section}`)?.click() : acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
  );
}

function leaveField({ key, target }: KeyboardEvent): void {
  if (key === "Escape" && target instanceof HTMLInputElement && target.value === "") target.blur();
}

function move(by: 1 | -1): void {
  const rows = visible("[data-row]");
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLElement ? rows.indexOf(activeElement) : -1;
  const current = focused === -1 ? rows.findIndex((row) => row.hasAttribute("aria-current")) : focused;
  const next = rows[current === -1 ? 0 : Math.min(Math.max(current + by, 0), rows.length - 1)];
  next?.focus();
}

/** The code of what has the focus, else the newest one in sight. */
function copyCode(): void {
  const focused = document.activeElement?.closest("li")?.querySelector<HTMLElement>("[data-code]");
  const code = focused ?? visible(".detail-pane [data-code]")[0] ?? visible("[data-code]")[0];
  code?.click();
}

function visible(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility());
}
