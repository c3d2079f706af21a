import { onPageUpdate, recentMessages, shownApplication } from "./shown-page.ts";

const pauseMilliseconds = 800;
let known: ReadonlySet<string> | undefined;
let application = "";
let arrived = 0;

/** Announces new messages to screen readers. Many messages at the same time are one announcement. */
export function startAnnouncing(): void {
  onPageUpdate(() => {
    const recent = recentMessages();
    const isSameApplication = application === shownApplication();
    const fresh = isSameApplication && known ? recent.filter(({ id }) => !known?.has(id)) : [];
    known = new Set(recent.map(({ id }) => id));
    application = shownApplication();
    arrived += fresh.length;
    const isFirst = arrived > 0 && arrived === fresh.length;
    if (isFirst) setTimeout(announceArrived, pauseMilliseconds);
  });
}

function announce(sentence: string): void {
  const announcer = document.getElementById("announcer");
  if (announcer) announcer.textContent = sentence;
}

function announceArrived(): void {
  const [newest] = recentMessages();
  const count = arrived;
  arrived = 0;
  if (!newest) return;
  const code = newest.code === undefined ? "" : `, code ${[...newest.code].join(" ")}`;
  announce(
    count === 1 ? `New message to ${newest.to}${code}` : `${count} new messages, the last one to ${newest.to}${code}`,
  );
}

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
