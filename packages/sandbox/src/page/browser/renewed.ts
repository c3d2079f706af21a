const listeners: (() => void)[] = [];

/** Calls the listener now, and again each time the page shows something newer. */
export function onRenewed(listener: () => void): void {
  listeners.push(listener);
  listener();
}

/** Tells everybody who wants to know that the page shows something newer. */
export function tellRenewed(): void {
  for (const listener of listeners) listener();
}
