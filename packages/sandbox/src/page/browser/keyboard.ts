const storageKey = "doorcode-sandbox:keys";

const shortcuts: Readonly<Record<string, () => void>> = {
  "/": () => document.getElementById("search-text")?.focus(),
  j: () => moveFocus(1),
  k: () => moveFocus(-1),
  c: copyCode,
  "?": showHelp,
  // The link exists even where it is not visible, as in a thread beside its list.
  Escape: () => document.getElementById("back")?.click(),
};

/** Handles the keyboard shortcuts, unless the user types or has switched them off. */
export function startShortcuts(): void {
  const checkbox = document.getElementById("keys-on");
  if (checkbox instanceof HTMLInputElement) {
    checkbox.checked = localStorage.getItem(storageKey) !== "off";
    checkbox.addEventListener("change", () => localStorage.setItem(storageKey, checkbox.checked ? "on" : "off"));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (isTyping(event.target)) leaveField(event);
    else if (!(checkbox instanceof HTMLInputElement) || checkbox.checked) runShortcut(event);
  });
}

function runShortcut(event: KeyboardEvent): void {
  const section = document.querySelectorAll<HTMLElement>(".sidebar nav a")[Number(event.key) - 1];
  const shortcut = section ? () => section.click() : shortcuts[event.key];
  if (!shortcut) return;
  event.preventDefault();
  shortcut();
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches("input, textarea, select");
}

function leaveField({ key, target }: KeyboardEvent): void {
  if (key === "Escape" && target instanceof HTMLInputElement && target.value === "") target.blur();
}

function moveFocus(by: 1 | -1): void {
  const rows = visible("[data-row]");
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLElement ? rows.indexOf(activeElement) : -1;
  const current = focused === -1 ? rows.findIndex((row) => row.hasAttribute("aria-current")) : focused;
  const next = rows[current === -1 ? 0 : Math.min(Math.max(current + by, 0), rows.length - 1)];
  next?.focus();
}

/** Copies the code of the focused row, or else the newest visible code. */
function copyCode(): void {
  const focused = document.activeElement?.closest("li")?.querySelector<HTMLElement>("[data-code]");
  const code = focused ?? visible(".detail-pane [data-code]")[0] ?? visible("[data-code]")[0];
  code?.click();
}

function visible(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.checkVisibility());
}

/** Opens the help dialog and closes notices and the application switcher after clicks. */
export function startDialogs(): void {
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    if (target.closest("[data-help]")) showHelp();
    const closedId = target.closest<HTMLElement>("[data-close]")?.dataset.close;
    if (closedId !== undefined) document.getElementById(closedId)?.remove();
    const switcher = document.getElementById("switcher");
    if (!target.closest("#switcher")) switcher?.removeAttribute("open");
  });
}

function showHelp(): void {
  dialog("help")?.showModal();
}

/** Asks before an action that cannot be undone. Without a question the answer is yes. */
export function confirmAction(question: string | undefined): Promise<boolean> {
  const asking = dialog("ask");
  const text = document.getElementById("ask-text");
  if (question === undefined || !asking || !text) return Promise.resolve(true);
  text.textContent = question;
  asking.returnValue = "no";
  asking.showModal();
  return new Promise((resolve) => {
    asking.addEventListener("close", () => resolve(asking.returnValue === "yes"), { once: true });
  });
}

function dialog(id: string): HTMLDialogElement | undefined {
  const element = document.getElementById(id);
  return element instanceof HTMLDialogElement ? element : undefined;
}
