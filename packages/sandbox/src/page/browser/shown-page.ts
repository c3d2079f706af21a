/** A new message, as the server reports it. The page counts and announces unread messages. */
export interface RecentMessage {
  readonly id: string;
  readonly thread: string;
  readonly to: string;
  readonly code?: string | undefined;
}

/** Returns the newest messages of the application, the newest first. */
export function recentMessages(): readonly RecentMessage[] {
  const recent: readonly RecentMessage[] = JSON.parse(document.body.dataset.recent ?? "[]");
  return recent;
}

/** Returns the id of the application that the page shows. */
export function shownApplication(): string {
  return document.body.dataset.application ?? "";
}

const listeners: (() => void)[] = [];

/** Calls the listener now and after each update of the page. */
export function onPageUpdate(listener: () => void): void {
  listeners.push(listener);
  listener();
}

/** Calls all listeners after an update of the page. */
export function notifyPageUpdate(): void {
  for (const listener of listeners) listener();
}

/** Whether the page receives updates. */
export type LiveStatus = "live" | "lost";

const texts: Readonly<Record<LiveStatus, string>> = { live: "Live", lost: "Not connected" };

/** Shows whether the page receives updates. Only a change is announced. */
export function showLiveStatus(status: LiveStatus): void {
  const live = document.getElementById("live");
  if (!live || live.dataset.state === status) return;
  live.dataset.state = status;
  live.textContent = texts[status];
}
