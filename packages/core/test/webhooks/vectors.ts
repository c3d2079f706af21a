import { readFileSync } from "node:fs";
import type { SignatureReason } from "../../src/webhooks/signature.ts";

/** A delivery and its expected result, computed by a program other than the one under test. */
export interface Vector {
  readonly name: string;
  readonly expect: "accepted" | SignatureReason;
  readonly secrets: readonly string[];
  readonly nowSeconds: number;
  readonly toleranceSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBase64: string;
}

const file: { vectors: readonly Vector[] } = JSON.parse(
  readFileSync(new URL("webhook-vectors.json", import.meta.url), "utf8"),
);

export const vectors: readonly Vector[] = file.vectors;

/** Returns headers with lower-case names, as Node does. */
export function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
