import { onPageUpdate, recentMessages, shownApplication } from "./shown-page.ts";

const pauseMilliseconds = 800;
let known: ReadonlySet<string> | undefined;
let application = "";
let arrived = 0;

/** Announces new messages to screen readers. Many messages at once are one announcement. */
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

/** Announces a sentence to screen readers. */
export function announce(sentence: string): void {
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
