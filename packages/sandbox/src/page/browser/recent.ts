/** A message among the newest ones, as the server tells of it. */
export interface Recent {
  readonly id: string;
  /** The path of its thread. */
  readonly thread: string;
  readonly to: string;
  readonly code?: string;
}

/** The newest messages of the application, the newest first. */
export function recentMessages(): readonly Recent[] {
  const told: readonly Recent[] = JSON.parse(document.body.dataset.recent ?? "[]");
  return told;
}

/** The application that the page shows. */
export function applicationShown(): string {
  return document.body.dataset.application ?? "";
}
