/** Opens the help, and closes what can be closed. */
export function startDialogs(): void {
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    if (target.closest("[data-help]")) showHelp();
    const closes = target.closest<HTMLElement>("[data-close]")?.dataset.close;
    if (closes !== undefined) document.getElementById(closes)?.remove();
    const switcher = document.getElementById("switcher");
    if (!target.closest("#switcher")) switcher?.removeAttribute("open");
  });
}

/** Shows the keys. */
export function showHelp(): void {
  dialog("help")?.showModal();
}

/** Asks before an act that cannot be undone; without a question the answer is yes. */
export function ask(question: string | undefined): Promise<boolean> {
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
