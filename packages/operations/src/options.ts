import { functionOption, parseOptions, strictOptions } from "@doorcode/core/adapter";
import { z } from "zod";
import type { Prices } from "./figures/read-figures.ts";

/** One result of an endpoint check, as `checkEndpoint` of `@doorcode/cli/endpoint-check` returns it. */
export interface EndpointFinding {
  /** `problem`: deliveries fail, or forged ones are accepted. `warning`: deliveries may fail. `ok`: nothing to do. */
  readonly level: "ok" | "warning" | "problem";
  /** What was found, as one sentence. */
  readonly text: string;
  /** What to do; `undefined` if there is nothing to do. */
  readonly fix: string | undefined;
}

/** Returns the name of the operator who is asking, and nothing for anybody else. */
export type NameOperator<Context> = (
  context: Context,
) => string | null | undefined | Promise<string | null | undefined>;

/** Options of `createOperations`. `Context` is what the app's guard knows of a request. */
export interface OperationsOptions<Context> {
  /**
   * Returns who is asking, such as the e-mail address of the member of staff: every action names them. `undefined` or `null` is answered
   * 403. Give it also if your app guards the path itself. Default: the page is served to this machine only, and to nobody if `origins`
   * names another machine.
   */
  readonly operator?: NameOperator<Context>;
  /**
   * The release of your app, such as `"2026-11-27.1"`: the page compares releases. It must be the release of `recordFigures` if that names one.
   * Default: the release of `recordFigures`, else none.
   */
  readonly release?: string;
  /** The price of a text by ISO 3166 country, and that of all `other` countries. Default: those of `login.limits`. */
  readonly prices?: Prices;
  /** Checks your webhook endpoint: `() => checkEndpoint({ … })` of `@doorcode/cli/endpoint-check`. Default: the page has no such button. */
  readonly checkEndpoint?: () => Promise<readonly EndpointFinding[]>;
}

const releaseShape = z
  .string("expected the release as a text")
  .regex(/^[\w.+-]{1,64}$/, "expected up to 64 letters, digits, dots, + and -")
  .optional();

const shape = strictOptions({
  operator: functionOption("expected a function that returns the operator's name").optional(),
  release: releaseShape,
  prices: z.record(z.string(), z.number().min(0), "expected prices such as { DE: 0.08, other: 0.2 }").optional(),
  checkEndpoint: functionOption("expected a function such as () => checkEndpoint({ … })").optional(),
});

/** Checks the options of the page. @throws TypeError for a wrong one */
export function checkOptions(options: OperationsOptions<never>): void {
  parseOptions("operations", shape, options);
}

/** Checks the option of `recordFigures`. @throws TypeError for a wrong one */
export function checkRelease(release: string | undefined): void {
  parseOptions("recordFigures", strictOptions({ release: releaseShape }), { release });
}
