import { announce } from "./announce.ts";

const confirmationMilliseconds = 1600;

/** Copies the text of a copy button after a click. The button and an announcement confirm it. */
export function startCopying(): void {
  document.addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>("[data-copy]") : null;
    if (button) void copy(button);
  });
}

async function copy(button: HTMLElement): Promise<void> {
  const text = button.dataset.copy ?? "";
  const copied = await navigator.clipboard.writeText(text).then(
    () => true,
    () => copyBySelection(text),
  );
  announce(copied ? "Copied" : "The browser does not allow copying here.");
  if (!copied) return;
  button.dataset.copied = "";
  setTimeout(() => delete button.dataset.copied, confirmationMilliseconds);
}

/** Over plain http, browsers have a clipboard only on localhost. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
