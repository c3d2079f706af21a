import { say } from "./announce.ts";

const shownMilliseconds = 1600;

/** Copies what a button holds, and says so on the button and to screen readers. */
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
    () => copyOldWay(text),
  );
  say(copied ? "Copied" : "The browser does not allow copying here.");
  if (!copied) return;
  button.dataset.copied = "";
  setTimeout(() => delete button.dataset.copied, shownMilliseconds);
}

/** Over plain http on another name than this machine's, browsers have no clipboard. */
function copyOldWay(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  return copied;
}
