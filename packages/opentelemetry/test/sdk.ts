import { type Attributes, context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { MeterProvider, MetricReader, type ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { onTestFinished } from "vitest";

/** One series of a metric. */
export interface Series {
  readonly name: string;
  readonly unit: string;
  readonly attributes: Attributes;
  /** The sum of a counter, or the number of durations. */
  readonly count: number;
  /** The sum of a counter, or of the durations. */
  readonly sum: number;
}

/** An SDK of OpenTelemetry that keeps everything in memory. It ends with the test. */
export interface TestedSdk {
  readonly meterProvider: MeterProvider;
  readonly tracerProvider: TracerProvider;
  /** Collects what was recorded, as an exporter gets it. */
  collect(): Promise<ResourceMetrics>;
  series(): Promise<readonly Series[]>;
  spans(): readonly ReadableSpan[];
}

class PulledReader extends MetricReader {
  protected override async onShutdown(): Promise<void> {}
  protected override async onForceFlush(): Promise<void> {}
}

/** Starts the SDK, with contexts that follow asynchronous work. */
export function startSdk(): TestedSdk {
  const reader = new PulledReader();
  const meterProvider = new MeterProvider({ readers: [reader] });
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  onTestFinished(async () => {
    context.disable();
    trace.disable();
    await Promise.all([meterProvider.shutdown(), tracerProvider.shutdown()]);
  });

  return {
    meterProvider,
    tracerProvider,
    collect: async () => (await reader.collect()).resourceMetrics,
    async series() {
      const { resourceMetrics } = await reader.collect();
      return resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
        metrics.flatMap(({ descriptor: { name, unit }, dataPoints }) =>
          dataPoints.map(({ attributes, value }) => {
            if (typeof value === "number") return { name, unit, attributes, count: value, sum: value };
            return { name, unit, attributes, count: "count" in value ? value.count : 0, sum: value.sum ?? 0 };
          }),
        ),
      );
    },
    spans: () => exporter.getFinishedSpans(),
  };
}
