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

/** Opens the dialog with the keyboard shortcuts. */
export function showHelp(): void {
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
