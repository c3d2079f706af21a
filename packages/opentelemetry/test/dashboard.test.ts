import { readFileSync } from "node:fs";
import { PrometheusSerializer } from "@opentelemetry/exporter-prometheus";
import { expect, test } from "vitest";
import { instruments } from "../src/instrument-table.ts";
import { documented } from "./documented-metrics.ts";
import { startSdk } from "./sdk.ts";

interface Dashboard {
  readonly panels: readonly {
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
}

const file = new URL("../../../dashboards/doorcode.json", import.meta.url);
const { panels }: Dashboard = JSON.parse(readFileSync(file, "utf8"));

/** The labels of each series that Prometheus gets, as OpenTelemetry's exporter names what the kit emits. */
async function exportSeries(): Promise<ReadonlyMap<string, readonly string[]>> {
  const sdk = startSdk();
  const meter = sdk.meterProvider.getMeter("@doorcode/opentelemetry");
  for (const [name, { kind, unit }] of Object.entries(instruments)) {
    const { attributes = [] } = documented.get(name) ?? {};
    const values = Object.fromEntries(attributes.map((attribute) => [attribute, "value"]));
    if (kind === "counter") meter.createCounter(name, { unit }).add(1, values);
    else meter.createHistogram(name, { unit }).record(1, values);
  }
  const text = new PrometheusSerializer().serialize(await sdk.collect());
  const series = text.matchAll(/^(?<name>\w+)\{(?<labels>.*)\} /gm);
  return new Map(Array.from(series, ({ groups }) => [groups?.name ?? "", wordsOf(groups?.labels ?? "", /\w+(?==)/g)]));
}

function wordsOf(text: string, form: RegExp): readonly string[] {
  return Array.from(text.matchAll(form), ([word]) => word);
}

test("the dashboard asks for series and labels that the metrics have, and shows every metric", async () => {
  const series = await exportSeries();
  const shown = new Set<string>();
  // Prometheus and the Collector add the unit to the name of a histogram, and the exporter of JavaScript does not.
  for (const { expr, legendFormat } of panels.flatMap(({ targets = [] }) => targets)) {
    const query = expr.replaceAll("(_seconds)?", "");
    const words = wordsOf(`${query} ${legendFormat}`, /\b(?:doorcode_\w+|error_type|le)\b/g);
    const names = words.filter((word) => /_(?:total|bucket)$/.test(word));
    expect(names, query).not.toEqual([]);
    const known = [...series.keys(), ...names.flatMap((name) => series.get(name) ?? [])];
    expect(words.filter((word) => !known.includes(word))).toEqual([]);
    for (const name of names) shown.add(name.replace(/_(?:total|bucket)$/, ""));
  }
  expect(Object.keys(instruments).filter((name) => !shown.has(name.replaceAll(".", "_")))).toEqual([]);
});
