import type { Fault, Firing } from "../../state/fault.ts";
import type { ClockFace } from "../frame/frame.ts";
import type { Html } from "../html.ts";
import { ClockCard } from "./clock-card.tsx";
import { FaultForms } from "./fault-forms.tsx";
import { FaultList } from "./fault-list.tsx";

/** What {@link ClockPage} shows. */
export interface ClockPageProps {
  readonly applicationId: string;
  readonly clock: ClockFace;
  readonly faults: readonly Fault[];
  /** The newest first. */
  readonly firings: readonly Firing[];
}

/** The clock of an application, and what goes wrong for it on purpose. */
export function ClockPage(props: ClockPageProps): Html {
  return (
    <>
      <div class="view-head">
        <h1>Clock & faults</h1>
      </div>
      <ClockCard {...props} />
      <FaultList {...props} />
      <FaultForms applicationId={props.applicationId} />
    </>
  );
}
