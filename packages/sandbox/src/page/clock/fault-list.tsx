import { isActive } from "../../fault/fire-faults.ts";
import { removeFault } from "../../sandbox/faults.ts";
import type { Fault, FaultLimits, FaultRule, Firing } from "../../state/fault.ts";
import { PostButton } from "../components/controls.tsx";
import { Card, EmptyNote, type Html } from "../components/elements.tsx";
import { actionText, limitText, matchText } from "../components/fault-text.ts";
import { applicationPath } from "../components/paths.ts";
import { Status } from "../components/status.tsx";
import { Timeline, type TimelineEntry } from "../components/timeline.tsx";
import { type FormHandlers, ofApplication } from "../request/form-handler.ts";

/** The handlers of the forms that switch faults off. */
export const faultListForms: FormHandlers = {
  returning: {
    [`${ofApplication}/faults/remove`]: ({ deps, application }) => deps.state.faults.forget(application.id),
    [`${ofApplication}/faults/:fault/remove`]: ({ deps, application, param }) =>
      removeFault(deps, application.id, param("fault")),
  },
};

interface FaultListProps {
  readonly applicationId: string;
  readonly faults: readonly Fault[];
  readonly firings: readonly Firing[];
}

/** Shows common faults as buttons, the faults that are on, and their last firings. */
export function FaultList({ applicationId, faults, firings }: FaultListProps): Html {
  const path = applicationPath(applicationId, "faults");
  return (
    <Card
      id="faults"
      title="Faults"
      lead="Failures on purpose. Each firing appears on the timeline of the affected verification or delivery."
      aside={faults.length > 0 && <PostButton action={`${path}/remove`} label="Switch all off" />}
    >
      <fieldset class="presets">
        <legend class="unseen">Common faults</legend>
        {faultPresets.map(({ id, label }) => (
          <PostButton action={path} label={label} icon="bolt" look="quiet" fields={{ preset: id }} />
        ))}
      </fieldset>
      {faults.length === 0 && <EmptyNote>No fault is on.</EmptyNote>}
      <ul class="items">
        {faults.map((fault) => (
          <FaultItem fault={fault} path={path} />
        ))}
      </ul>
      {firings.length > 0 && (
        <details class="raw" id="firings" open>
          <summary>Last firings</summary>
          <Timeline entries={firings.map(firingEntry)} label="Firings, the newest first" />
        </details>
      )}
    </Card>
  );
}

function FaultItem({ fault, path }: { readonly fault: Fault; readonly path: string }): Html {
  const usedUp = !isActive(fault);
  return (
    <li id={`fault-${fault.id}`} class={usedUp ? "used-up" : undefined}>
      <Status tone={usedUp ? "quiet" : "warn"}>{usedUp ? "Used up" : "On"}</Status>
      <strong>{matchText(fault)}</strong>
      <span class="text">
        {actionText(fault.action)}, {limitText(fault)}
      </span>
      <span class="soft">
        fired on {fault.fired} of {fault.matched} matches
      </span>
      <PostButton action={`${path}/${encodeURIComponent(fault.id)}/remove`} label="Switch off" icon="cross" bare />
    </li>
  );
}

function firingEntry({ applicationId, at, on, action, deliveryId }: Firing): TimelineEntry {
  const href = deliveryId === undefined ? undefined : applicationPath(applicationId, "webhooks", deliveryId);
  return { at, tone: "warn", icon: "bolt", text: on, detail: actionText(action), href };
}

/** A common fault, which one click switches on. */
interface FaultPreset {
  readonly id: string;
  readonly label: string;
  readonly fault: FaultRule & FaultLimits;
}

/** The failures that apps meet most often. */
export const faultPresets: readonly FaultPreset[] = [
  {
    id: "busy",
    label: "3 × 503 on verifications",
    fault: { on: "POST /verifications", action: { type: "answer", status: 503, retryAfterSeconds: 2 }, times: 3 },
  },
  {
    id: "limited",
    label: "429 once",
    fault: { on: "request", action: { type: "answer", status: 429, retryAfterSeconds: 5 }, times: 1 },
  },
  {
    id: "lost",
    label: "Lose one answer",
    fault: { on: "POST /verifications", action: { type: "cut", when: "after" }, times: 1 },
  },
  {
    id: "slow",
    label: "Every request takes 3 s",
    fault: { on: "request", action: { type: "delay", milliseconds: 3000 } },
  },
  { id: "twice", label: "Each webhook twice", fault: { on: "webhook", action: { type: "duplicate" } } },
  { id: "order", label: "Webhooks out of order", fault: { on: "webhook", action: { type: "reorder" } } },
  {
    id: "drop",
    label: "Lose every second webhook",
    fault: { on: "webhook", action: { type: "drop" }, probability: 0.5 },
  },
  {
    id: "forged",
    label: "Corrupt the signature",
    fault: { on: "webhook", action: { type: "corrupt_signature" }, times: 1 },
  },
  {
    id: "stale",
    label: "Timestamp 10 minutes old",
    fault: { on: "webhook", action: { type: "stale_timestamp", seconds: 600 }, times: 1 },
  },
  { id: "rotation", label: "Two secrets", fault: { on: "webhook", action: { type: "two_secrets" } } },
];
