import { onPageUpdate } from "./shown-page.ts";
import { instantText, leftText } from "./time-text.ts";

const tickMilliseconds = 250;
let updatedAt = Date.now();

/** Updates the shown clock and the countdowns at the rate of the application's clock. */
export function startClock(): void {
  onPageUpdate(() => {
    updatedAt = Date.now();
  });
  setInterval(tick, tickMilliseconds);
}

function tick(): void {
  const { clock, rate } = document.body.dataset;
  const now = Number(clock) + (Date.now() - updatedAt) * Number(rate);
  for (const element of document.querySelectorAll<HTMLElement>("[data-countdown]")) {
    write(element, leftText(Date.parse(element.dataset.countdown ?? "") - now));
  }
  for (const element of document.querySelectorAll<HTMLElement>("[data-clock-now] time")) {
    write(element, instantText(now, Date.now()));
  }
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
