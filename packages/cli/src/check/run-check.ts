import { CommandError } from "../command/command-error.ts";
import type { CheckCommand } from "../command/command-line.ts";
import { checkEndpoint } from "../endpoint-check/check-endpoint.ts";
import type { Finding } from "../endpoint-check/finding.ts";
import { readSecret } from "./read-secret.ts";

const marks: Readonly<Record<Finding["level"], string>> = { ok: "✓", warning: "!", problem: "✗" };

/** Checks a webhook endpoint, and prints a line for each finding. Returns the exit code. @throws CommandError */
export async function runCheck({ url, envFile, json }: CheckCommand): Promise<number> {
  const secret = readSecret(envFile, process.env);
  const findings = await checkEndpoint({ url, secret }).catch((error: unknown) => {
    if (error instanceof TypeError) throw new CommandError(error.message);
    throw error;
  });
  const passed = findings.every(({ level }) => level !== "problem");
  process.stdout.write(
    json ? `${JSON.stringify({ url, passed, findings }, undefined, 2)}\n` : findings.map(line).join(""),
  );
  return passed ? 0 : 1;
}

function line({ level, text, fix }: Finding): string {
  return `${marks[level]} ${text}${fix === undefined ? "" : ` ${fix}`}\n`;
}
