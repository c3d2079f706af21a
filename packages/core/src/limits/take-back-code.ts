import { givenBack } from "./budgets.ts";
import { balanceChanges } from "./group-counters.ts";
import { type Group, groupsOf, isBlock } from "./groups.ts";
import type { Kept } from "./limited-code.ts";
import type { ReservedCode, SendLimitsParts } from "./reserved-code.ts";

/** Takes back what a code has added, except to a group that is being closed, which begins anew. */
export async function takeBackCode(
  { store, prefix, totals }: SendLimitsParts,
  { phone, counted, added, granted, ceiling }: ReservedCode,
  kept: Kept = "nothing",
  closing?: Group | undefined,
): Promise<void> {
  if (!counted.known && added > 0) totals.add(counted.country, { unconfirmed: -added });
  ceiling.giveBack();
  // A known device is no stranger who could ask without end.
  const keepsClient = kept === "client" && counted.knownDevice === undefined;
  const groups = groupsOf({ ...counted, phone }).filter(
    ({ rule }) => rule !== closing?.rule && !(keepsClient && !isBlock(rule.kind)),
  );
  await store.increment([...granted.map(givenBack), ...balanceChanges(prefix, added > 0 ? groups : [], -added)]);
}
