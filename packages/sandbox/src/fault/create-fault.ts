import { newId } from "../new-id.ts";
import type { Fault, FaultLimits, FaultRule } from "../state/fault.ts";

/** Creates the record of a fault that has matched nothing yet. */
export function createFault(applicationId: string, rule: FaultRule & FaultLimits): Fault {
  return { ...rule, id: newId("flt"), applicationId, matched: 0, fired: 0 };
}
