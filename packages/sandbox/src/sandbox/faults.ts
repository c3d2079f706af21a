import { faultShape } from "../fault/fault-shape.ts";
import { newId } from "../primitives/new-id.ts";
import { SandboxError } from "../primitives/sandbox-error.ts";
import { parse } from "../primitives/usage-error.ts";
import { findApplication, type Service } from "../service/service.ts";
import type { Fault, FaultLimits, FaultRule, Firing } from "../state/fault.ts";

/** The faults of an application: failures that happen on purpose. */
export interface Faults {
  /**
   * Adds a fault. All faults that match the same request or webhook fire, in the order in which they were added.
   *
   * @throws TypeError with the first invalid member and the expected value
   */
  add(fault: FaultRule & FaultLimits): Fault;
  /** Lists the faults, including those that are used up. */
  list(): readonly Fault[];
  /** Removes a fault. @throws SandboxError `fault_unknown` */
  remove(id: string): void;
  /** Removes all faults. */
  clear(): void;
  /** Lists the firings, the oldest first. */
  firings(): readonly Firing[];
}

/** Creates the faults of an application. */
export function createFaults(service: Service, applicationId: string): Faults {
  const { state } = service;
  return {
    add: (fault) => addFault(service, applicationId, fault),
    list: () => state.faults.list(applicationId),
    remove: (id) => removeFault(service, applicationId, id),
    clear: () => state.faults.forget(applicationId),
    firings: () => state.firings.list(applicationId),
  };
}

/**
 * Adds a fault to an application.
 *
 * @param fault - a `FaultRule` with `FaultLimits`, from a program, a request or a form.
 * @throws UsageError when it is invalid; SandboxError `application_unknown`
 */
export function addFault(service: Service, applicationId: string, fault: unknown): Fault {
  findApplication(service, applicationId);
  const rule = parse("faults.add", faultShape, fault);
  const added = { ...rule, id: newId("flt"), applicationId, matched: 0, fired: 0 };
  service.state.faults.put(added);
  return added;
}

/** Removes a fault of an application. @throws SandboxError `fault_unknown` */
export function removeFault({ state }: Service, applicationId: string, id: string): void {
  if (state.faults.get(id)?.applicationId !== applicationId) {
    throw new SandboxError("fault_unknown", "There is no such fault.");
  }
  state.faults.remove(id);
}
