import { leftText } from "./duration-text.ts";
import { onPageUpdate } from "./shown-page.ts";

const tickMilliseconds = 250;
const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
let updatedAt = Date.now();

/** Updates the shown clock and the countdowns at the rate of the application's clock. */
export function startClock(): void {
  onPageUpdate(() => {
    updatedAt = Date.now();
  });
  setInterval(tick, tickMilliseconds);
}

function tick(): void {
  const now = applicationNow();
  for (const element of document.querySelectorAll<HTMLElement>("[data-countdown]")) {
    write(element, leftText(Date.parse(element.dataset.countdown ?? "") - now));
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-clock-now] time")) write(element, clockText(now));
}

/** The day is shown unless it is today, as on the server. */
function clockText(now: number): string {
  const day = dayAndMonth.format(now);
  return `${day === dayAndMonth.format(Date.now()) ? "" : `${day}, `}${timeOfDay.format(now)}`;
}

function applicationNow(): number {
  const { clock, rate } = document.body.dataset;
  return Number(clock) + (Date.now() - updatedAt) * Number(rate);
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
