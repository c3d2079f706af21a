import { isActive } from "../../fault/take-faults.ts";
import type { Fault, Firing } from "../../state/fault.ts";
import { address } from "../address.ts";
import { Card, Empty } from "../controls/card.tsx";
import { PostButton } from "../controls/form.tsx";
import { Status } from "../controls/status.tsx";
import { Timeline, type TimelineEntry } from "../controls/timeline.tsx";
import { actionWords, limitWords, matchWords } from "../fault-words.ts";
import type { Html } from "../html.ts";
import { presets } from "./presets.ts";

/** What {@link FaultList} shows. */
export interface FaultListProps {
  readonly applicationId: string;
  readonly faults: readonly Fault[];
  readonly firings: readonly Firing[];
}

/** The faults that are on, and what they did. */
export function FaultList({ applicationId, faults, firings }: FaultListProps): Html {
  const path = address(applicationId, "faults");
  return (
    <Card
      id="faults"
      title="Faults"
      lead="What goes wrong on purpose. Each firing stands on the timeline of what it struck."
      aside={faults.length > 0 && <PostButton action={`${path}/remove`} label="Switch all off" />}
    >
      <fieldset class="presets">
        <legend class="unseen">Common faults</legend>
        {presets.map(({ id, label }) => (
          <PostButton action={path} label={label} icon="bolt" look="quiet" fields={{ preset: id }} />
        ))}
      </fieldset>
      {faults.length === 0 && <Empty>No fault is on.</Empty>}
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
      <strong>{matchWords(fault)}</strong>
      <span class="text">
        {actionWords(fault.action)}, {limitWords(fault)}
      </span>
      <span class="soft">
        fired {fault.fired} of {fault.matched} matches
      </span>
      <PostButton action={`${path}/${encodeURIComponent(fault.id)}/remove`} label="Switch off" icon="cross" bare />
    </li>
  );
}

function firingEntry({ applicationId, at, on, action, deliveryId }: Firing): TimelineEntry {
  const href = deliveryId === undefined ? undefined : address(applicationId, "webhooks", deliveryId);
  return { at, tone: "warn", icon: "bolt", text: on, detail: actionWords(action), href };
}
