import type { JSX } from "preact";
import { number } from "./format.ts";

export interface Series {
  readonly name: string;
  /** Class that gives the colour. */
  readonly tone: string;
  readonly values: readonly number[];
}

export interface BarChartProps {
  readonly title: string;
  /** Name of each place, in the order of the values. */
  readonly labels: readonly string[];
  readonly labelTitle: string;
  readonly series: readonly Series[];
  readonly unit: (value: number) => string;
}

const WIDTH = 640;
const HEIGHT = 140;
/** Few bars stand close together instead of filling the width. */
const WIDEST = 44;

/** Stacked bars, and the same figures as a table. */
export function BarChart({ title, labels, labelTitle, series, unit }: BarChartProps): JSX.Element {
  const sums = labels.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const most = Math.max(1, ...sums);
  const step = Math.min(WIDEST, WIDTH / Math.max(1, labels.length));
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <span class="faint">highest: {unit(most)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${labels.length} values, highest: ${unit(most)}. The table lists all values.`}
      >
        {labels.map((label, index) => {
          let top = HEIGHT;
          return (
            <g key={label}>
              <title>{`${label}: ${unit(sums[index] ?? 0)}`}</title>
              {series.map(({ name, tone, values }) => {
                const height = ((values[index] ?? 0) / most) * (HEIGHT - 4);
                top -= height;
                return (
                  <rect
                    key={name}
                    class={tone}
                    x={index * step}
                    y={top}
                    width={Math.max(0.5, step - Math.min(3, step / 4))}
                    height={height}
                  />
                );
              })}
            </g>
          );
        })}
      </svg>
      <p class="axis faint" style={{ width: `${(100 * step * labels.length) / WIDTH}%` }}>
        <span>{labels[0]}</span>
        <span>{labels.at(-1)}</span>
      </p>
      {series.length > 1 ? (
        <p class="legend">
          {series.map(({ name, tone }) => (
            <span key={name} class={`layer-tag ${tone}`}>
              <i aria-hidden="true" />
              <bdi>{name}</bdi>
            </span>
          ))}
        </p>
      ) : null}
      <details class="table-behind">
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">{labelTitle}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, index) => (
              <tr key={label}>
                <th scope="row">
                  <bdi>{label}</bdi>
                </th>
                {series.map(({ name, values }) => (
                  <td key={name}>{number(values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
