/** The five parts of the page. */
export type SectionName = "inbox" | "verifications" | "webhooks" | "portal" | "clock";

/** How the clock of an application stands, so that the browser can let it run on. */
export interface ClockFace {
  /** 1 is real time, 0 stands still. */
  readonly rate: number;
  /** Now, on the clock of the application. Unix milliseconds. */
  readonly nowMilliseconds: number;
  /** The same moment on the clock of the machine. */
  readonly machineMilliseconds: number;
  /** True while it shows the time of the machine. */
  readonly real: boolean;
}

/** A message that the browser may not have shown yet. */
export interface RecentMessage {
  readonly id: string;
  /** The path of its thread. */
  readonly thread: string;
  /** For the announcement. */
  readonly to: string;
  readonly code: string | undefined;
}

/** What an act has to say on the page after it; it is shown once. */
export interface Notice {
  readonly kind: "done" | "problem" | "secret";
  readonly text: string;
  /** What is shown this once and never again. */
  readonly secret?: string;
}

/** What stands around every view. */
export interface Frame {
  readonly title: string;
  readonly section: SectionName;
  readonly application: { readonly id: string; readonly name: string };
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  readonly clock: ClockFace;
  /** Faults that are switched on. */
  readonly faults: number;
  /** Endpoints that fail or are disabled. */
  readonly failingEndpoints: number;
  /** The newest messages, the newest first. */
  readonly recent: readonly RecentMessage[];
  readonly notice: Notice | undefined;
}
