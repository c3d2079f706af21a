import { createFault } from "../fault/create-fault.ts";
import { faultShape } from "../fault/fault-shape.ts";
import { parse } from "../misuse.ts";
import { findApplication } from "../portal/applications.ts";
import { SandboxError } from "../sandbox-error.ts";
import type { Service } from "../service/service.ts";
import type { Fault, FaultLimits, FaultRule, Firing } from "../state/fault.ts";

/** What goes wrong for an application, on purpose. */
export interface Faults {
  /**
   * Switches a fault on. Faults that match the same request or webhook all fire, in the order in which they were added.
   *
   * @throws TypeError naming what is wrong and what was expected
   */
  add(fault: FaultRule & FaultLimits): Fault;
  /** Lists the faults, those that are used up too. */
  list(): readonly Fault[];
  /** Switches a fault off. @throws SandboxError `fault_unknown` */
  remove(id: string): void;
  /** Switches all off. */
  clear(): void;
  /** Lists what fired, the oldest first. */
  firings(): readonly Firing[];
}

/** Creates the faults of an application over the state. */
export function createFaults(service: Service, applicationId: string): Faults {
  const { state } = service;
  return {
    add(rule) {
      findApplication(service, applicationId);
      const fault = createFault(applicationId, parse("faults.add", faultShape, rule));
      state.faults.put(fault);
      return fault;
    },
    list: () => state.faults.list(applicationId),
    remove(id) {
      if (state.faults.get(id)?.applicationId !== applicationId) {
        throw new SandboxError("fault_unknown", "No such fault is switched on.");
      }
      state.faults.remove(id);
    },
    clear: () => state.faults.forget(applicationId),
    firings: () => state.firings.list(applicationId),
  };
}
