import { type Html, Table } from "../page-parts.ts";
import { countText } from "./format.ts";

interface ChartSeries {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
  /** True for what should not be. */
  readonly bad?: boolean;
}

interface ChartProps {
  readonly id: string;
  /** The chart in one sentence, for a screen reader. */
  readonly summary: string;
  /** The labels of the columns, the oldest first. */
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  readonly format?: (value: number | undefined) => string;
}

const height = 100;
const step = 24;

/** Draws bars side by side as SVG, with the same figures as a table below. The colours and the size are those of the style sheet. */
export function Chart({ id, summary, labels, series, format = countText }: ChartProps): Html {
  const max = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const scale = max === 0 ? 0 : height / max;
  const width = (step - 6) / series.length;
  const barClass = (index: number) => (series[index]?.bad ? "bar-bad" : `bar-${index}`);
  return (
    <figure class="plot">
      <figcaption>
        {series.map(({ name }, index) => (
          <span class="plot-legend">
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect class={barClass(index)} width="10" height="10" rx="2" />
            </svg>
            {name}
          </span>
        ))}
        <span class="push" />
        <span class="soft">up to {format(max)}</span>
      </figcaption>
      <svg
        class="bars"
        viewBox={`0 0 ${Math.max(1, labels.length) * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {labels.map((label, column) =>
          series.map(({ name, values }, index) => {
            const value = values[column] ?? 0;
            const tall = value === 0 ? 0 : Math.max(1.5, value * scale);
            return (
              <rect
                class={barClass(index)}
                x={column * step + 3 + index * width}
                y={height - tall}
                width={width}
                height={tall}
              >
                <title>{`${label}: ${name} ${format(values[column])}`}</title>
              </rect>
            );
          }),
        )}
      </svg>
      <p class="plot-axis" aria-hidden="true">
        <span>{labels[0]}</span>
        <span>{labels.at(-1)}</span>
      </p>
      <details id={`${id}-table`}>
        <summary>The same as a table</summary>
        <Table
          label={summary}
          columns={["UTC", ...series.map(({ name }) => `#${name}`)]}
          rows={labels.map((label, column) => [label, ...series.map(({ values }) => format(values[column]))]).reverse()}
        />
      </details>
    </figure>
  );
}
