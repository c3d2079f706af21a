import { applicationShown, recentMessages } from "./recent.ts";
import { onRenewed } from "./renewed.ts";

const pauseMilliseconds = 800;
let known: ReadonlySet<string> | undefined;
let application = "";
let arrived = 0;

/** Says to screen readers what came, many at once as one sentence. */
export function startAnnouncing(): void {
  onRenewed(() => {
    const recent = recentMessages();
    const fresh = application === applicationShown() && known ? recent.filter(({ id }) => !known?.has(id)) : [];
    known = new Set(recent.map(({ id }) => id));
    application = applicationShown();
    arrived += fresh.length;
    const isFirst = arrived > 0 && arrived === fresh.length;
    if (isFirst) setTimeout(sayWhatCame, pauseMilliseconds);
  });
}

/** Says a sentence to screen readers. */
export function say(sentence: string): void {
  const announcer = document.getElementById("announcer");
  if (announcer) announcer.textContent = sentence;
}

function sayWhatCame(): void {
  const [newest] = recentMessages();
  const count = arrived;
  arrived = 0;
  if (!newest) return;
  const code = newest.code === undefined ? "" : `, code ${[...newest.code].join(" ")}`;
  say(
    count === 1 ? `New message to ${newest.to}${code}` : `${count} new messages, the last one to ${newest.to}${code}`,
  );
}
