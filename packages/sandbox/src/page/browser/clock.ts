import { leftText } from "./duration-text.ts";
import { onRenewed } from "./renewed.ts";

const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
let shownAt = Date.now();

/** Lets what counts down, and the clock, go on as fast as the clock of the application does; or stand, when it does. */
export function startClock(): void {
  onRenewed(() => {
    shownAt = Date.now();
  });
  setInterval(tick, 250);
}

function tick(): void {
  const now = nowOfApplication();
  for (const element of document.querySelectorAll<HTMLElement>("[data-countdown]")) {
    write(element, leftText(Date.parse(element.dataset.countdown ?? "") - now));
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-clock-now] time")) write(element, clockText(now));
}

/** The day is named when it is not today, as the server does. */
function clockText(now: number): string {
  const day = dayAndMonth.format(now);
  return `${day === dayAndMonth.format(Date.now()) ? "" : `${day}, `}${timeOfDay.format(now)}`;
}

function nowOfApplication(): number {
  const { clock, rate } = document.body.dataset;
  return Number(clock) + (Date.now() - shownAt) * Number(rate);
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
