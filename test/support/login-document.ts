import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** One response of an operation, as far as the tests read it. */
interface DescribedResponse {
  readonly content?: Readonly<Record<string, { readonly schema: { readonly allOf?: readonly DescribedProblem[] } }>>;
}

/** What a refusal has beside the members of every problem. */
interface DescribedProblem {
  readonly properties?: { readonly code?: { readonly enum: readonly string[] } };
}

/** The OpenAPI document of the endpoints of a login. */
export interface LoginDocument {
  readonly [member: string]: unknown;
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, DescribedResponse>> }>>>
  >;
}

/** The document that the package has. It is written by hand, and the tests hold every answer of a login to it. */
export const loginDocument: LoginDocument = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../packages/core/openapi.json"), "utf8"),
);
