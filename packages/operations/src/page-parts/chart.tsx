import type { Html } from "./elements.tsx";
import { Table } from "./table.tsx";

interface ChartSeries {
  readonly name: string;
  readonly values: readonly (number | undefined)[];
  /** What the bars mean: it determines their colour. Otherwise the colour follows from the place of the series. */
  readonly tone?: "good" | "warn" | "bad";
}

interface BarsProps {
  /** The chart in one sentence, for a screen reader. */
  readonly summary: string;
  /** The labels of the columns, the oldest first. */
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  /** Whether the series are parts of a whole: their bars then stand upon each other, the first at the bottom. */
  readonly stacked?: boolean;
  readonly format?: (value: number | undefined) => string;
}

interface ChartProps extends BarsProps {
  readonly id: string;
  /** The heading of the labels in the table. */
  readonly head?: string;
}

const height = 100;
const step = 24;

/** Draws bars as SVG, with the same figures as a table below. The colours and the size are those of the style sheet. */
export function Chart({ id, head = "UTC", format = countText, ...bars }: ChartProps): Html {
  const { summary, labels, series } = bars;
  return (
    <figure class="plot">
      <figcaption>
        {series.map(({ name }, index) => (
          <span class="plot-legend">
            <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true">
              <rect class={barClass(series, index)} width="10" height="10" rx="2" />
            </svg>
            {name}
          </span>
        ))}
        <span class="push" />
        <span class="soft">up to {format(highest(bars))}</span>
      </figcaption>
      <Bars {...bars} format={format} />
      <p class="plot-axis" aria-hidden="true">
        <span>{labels[0]}</span>
        <span>{labels.at(-1)}</span>
      </p>
      <details id={`${id}-table`}>
        <summary>The same as a table</summary>
        <Table
          label={summary}
          columns={[head, ...series.map(({ name }) => `#${name}`)]}
          rows={labels.map((label, column) => [label, ...series.map(({ values }) => format(values[column]))]).reverse()}
        />
      </details>
    </figure>
  );
}

function Bars({ summary, labels, series, stacked = false, format = countText }: BarsProps): Html {
  const max = highest({ labels, series, stacked });
  const scale = max === 0 ? 0 : height / max;
  const width = (step - 6) / (stacked ? 1 : series.length);
  return (
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
          const below = stacked ? sumAt(column, series.slice(0, index)) * scale : 0;
          return (
            <rect
              class={barClass(series, index)}
              x={column * step + 3 + (stacked ? 0 : index * width)}
              y={height - below - tall}
              width={width}
              height={tall}
            >
              <title>{`${label}: ${name} ${format(values[column])}`}</title>
            </rect>
          );
        }),
      )}
    </svg>
  );
}

/** Returns what the highest bar shows, or the highest pile of bars. */
function highest({ labels, series, stacked }: Pick<BarsProps, "labels" | "series" | "stacked">): number {
  const piles = stacked ? labels.map((_, column) => sumAt(column, series)) : series.flatMap(({ values }) => values);
  return Math.max(0, ...piles.map((value) => value ?? 0));
}

function sumAt(column: number, series: readonly ChartSeries[]): number {
  return series.reduce((sum, { values }) => sum + (values[column] ?? 0), 0);
}

function barClass(series: readonly ChartSeries[], index: number): string {
  return `bar-${series[index]?.tone ?? index}`;
}

function countText(count = 0): string {
  return count.toLocaleString("en");
}
