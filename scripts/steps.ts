import type { Answer } from "../test/support/browser.ts";
import { CliError } from "./cli-error.ts";

/**
 * Prints a step with the status of its answer.
 *
 * @throws CliError if the status is not the expected one
 */
export function expectStatus(step: string, expected: number, { status, text }: Answer, remark = ""): void {
  if (status !== expected) throw new CliError(`${step}: ${status} instead of ${expected}: ${text.slice(0, 200)}`);
  printStep(step, `${status}${remark}`);
}

/** Prints a step and its outcome. */
export function printStep(step: string, outcome: string): void {
  process.stdout.write(`  ${step.padEnd(42)} ${outcome}\n`);
}
