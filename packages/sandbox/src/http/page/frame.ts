import { isActive } from "../../fault/take-faults.ts";
import { threadAddress } from "../../page/address.ts";
import type { ClockFace, Frame, Notice, RecentMessage, SectionName } from "../../page/frame/frame.ts";
import { findApplication } from "../../portal/applications.ts";
import type { Service } from "../../service/service.ts";
import { accountId } from "../../state/account.ts";
import { isInInbox } from "../../state/message.ts";

/** Messages that the browser is told of in each view, to count what was not read. */
const recentShown = 60;

/** What a frame stands around. */
export interface Framed {
  readonly applicationId: string;
  readonly section: SectionName;
  /** For the tab of the browser. */
  readonly title: string;
}

/** What stands around a view of an application. */
export function frameOf(service: Service, view: Framed, notice: Notice | undefined): Frame {
  const { state } = service;
  const { applicationId, section, title } = view;
  const { id, name, endpoints } = findApplication(service, applicationId);
  return {
    title,
    section,
    application: { id, name },
    applications: state.applications.list(accountId),
    clock: clockFaceOf(service, id),
    faults: state.faults.list(id).filter(isActive).length,
    failingEndpoints: endpoints.filter(
      ({ failingSince, status }) => failingSince !== undefined || status === "disabled",
    ).length,
    recent: recentMessages(service, id),
    notice,
  };
}

/** How the clock of an application stands. */
export function clockFaceOf({ state, agenda }: Service, applicationId: string): ClockFace {
  const nowMilliseconds = agenda.now(applicationId);
  const pace = state.paces.get(applicationId);
  const rate = pace?.rate ?? 1;
  const offset = pace ? pace.atMilliseconds - pace.machineMilliseconds : 0;
  const machineMilliseconds = rate === 1 ? nowMilliseconds - offset : Date.now();
  return { rate, nowMilliseconds, machineMilliseconds, real: rate === 1 && offset === 0 };
}

function recentMessages({ state }: Service, applicationId: string): readonly RecentMessage[] {
  const recent: RecentMessage[] = [];
  for (const message of state.messages.newestFirst(applicationId)) {
    if (!isInInbox(message)) continue;
    const { id, to, code } = message;
    recent.push({ id, thread: threadAddress(applicationId, message), to, code });
    if (recent.length === recentShown) break;
  }
  return recent;
}
