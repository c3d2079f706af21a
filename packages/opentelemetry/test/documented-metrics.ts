import { readFileSync } from "node:fs";

/** A metric or a span, as `docs/metrics.md` lists it. */
export interface Documented {
  /** `undefined` for a span. */
  readonly unit: string | undefined;
  readonly attributes: readonly string[];
}

const document = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
const rows = document.matchAll(
  /^\| `(?<name>doorcode\.[\w.]+)` \| (?:`(?<unit>[^`]+)`)?.*\| (?<attributes>[^|]+) \|$/gm,
);

/** The rows of the tables of `docs/metrics.md`, by name. */
export const documented: ReadonlyMap<string, Documented> = new Map(
  Array.from(rows, ({ groups }) => [
    groups?.name ?? "",
    { unit: groups?.unit, attributes: groups?.attributes?.match(/[\w.]+/g) ?? [] },
  ]),
);
