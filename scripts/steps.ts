import type { Answer } from "../test/support/browser.ts";
import { Complaint } from "./ports.ts";

/**
 * Prints a step with the status of its answer.
 *
 * @throws Complaint when that is not the status it must have
 */
export function expectStatus(step: string, expected: number, { status, text }: Answer, remark = ""): void {
  if (status !== expected) throw new Complaint(`${step}: ${status} instead of ${expected}: ${text.slice(0, 200)}`);
  tell(step, `${status}${remark}`);
}

/** Prints a step and what came of it. */
export function tell(step: string, outcome: string): void {
  process.stdout.write(`  ${step.padEnd(42)} ${outcome}\n`);
}
