import { isActive } from "../../fault/fire-faults.ts";
import { listApplications } from "../../sandbox/applications.ts";
import type { Service } from "../../service/service.ts";
import type { Application } from "../../state/application.ts";
import { isInInbox } from "../../state/message.ts";
import type { RecentMessage } from "../browser/shown-page.ts";
import { threadPath } from "../components/paths.ts";

/** The sections of the page in the order of its navigation, with the label and the icon of each. */
export const sections = [
  ["inbox", "Inbox", "inbox"],
  ["verifications", "Verifications", "shield"],
  ["webhooks", "Webhooks", "webhook"],
  ["requests", "Requests", "request"],
  ["portal", "Portal", "portal"],
  ["clock", "Clock & faults", "clock"],
  ["limits", "Limits", "gauge"],
] as const;

/** The name of a section; `nowhere` for an address at which there is nothing. */
export type SectionName = (typeof sections)[number][0] | "nowhere";

/** The state of an application's clock. The browser lets it run on from there. */
export interface ClockState {
  /** A multiple of real time: 1 is real time, 0 is a stopped clock. */
  readonly rate: number;
  /** Now, in Unix milliseconds on the application's clock. */
  readonly nowMilliseconds: number;
  /** Now, in Unix milliseconds on the machine's clock. */
  readonly machineMilliseconds: number;
  /** True while the clock shows the machine's time. */
  readonly isReal: boolean;
}

/** The result of a form. It is shown once, on the next page. */
export interface Notice {
  readonly kind: "done" | "problem" | "secret";
  readonly text: string;
  readonly lines?: readonly string[];
  /** A secret, which is never shown again. */
  readonly secret?: string;
}

/** The data of the layout around a view. */
export interface LayoutData {
  readonly section: SectionName;
  readonly title: string;
  readonly application: { readonly id: string; readonly name: string };
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  readonly clock: ClockState;
  readonly faults: number;
  readonly failingEndpoints: number;
  /** The newest messages, the newest first. */
  readonly recent: readonly RecentMessage[];
  readonly notice: Notice | undefined;
}

/** Messages that each page reports to the browser, for the count of unread messages. */
const maxRecentMessages = 60;

/** Collects the data of the layout around a view. */
export function layoutData(
  deps: Service,
  application: Application,
  view: Pick<LayoutData, "section" | "title" | "notice">,
): LayoutData {
  const { id, endpoints } = application;
  const failing = endpoints.filter(({ failingSince, status }) => failingSince !== undefined || status === "disabled");
  return {
    ...view,
    application,
    applications: listApplications(deps),
    clock: clockState(deps, id),
    faults: deps.state.faults.list(id).filter(isActive).length,
    failingEndpoints: failing.length,
    recent: recentMessages(deps, id),
  };
}

/** Returns the state of an application's clock. */
export function clockState({ state, scheduler }: Service, applicationId: string): ClockState {
  const nowMilliseconds = scheduler.now(applicationId);
  const clockRate = state.clockRates.get(applicationId);
  const rate = clockRate?.rate ?? 1;
  const offset = clockRate ? clockRate.atMilliseconds - clockRate.machineMilliseconds : 0;
  const machineMilliseconds = rate === 1 ? nowMilliseconds - offset : Date.now();
  return { rate, nowMilliseconds, machineMilliseconds, isReal: rate === 1 && offset === 0 };
}

function recentMessages({ state }: Service, applicationId: string): readonly RecentMessage[] {
  const newest = state.messages.list(applicationId).filter(isInInbox).slice(-maxRecentMessages).reverse();
  return newest.map((message) => {
    const { id, to, code } = message;
    return { id, thread: threadPath(applicationId, message), to, code };
  });
}
