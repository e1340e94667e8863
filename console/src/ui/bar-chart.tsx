import { Text } from '@mantine/core';

interface BarChartProps {
  /** What the bars show, for people who do not see them. */
  label: string;
  bars: readonly { key: string; value: number; text: string }[];
  /** The highest value of the axis. Default: the highest of the bars. */
  max?: number;
  /** The text of the highest value of the axis. */
  topText: string;
}

const width = 320;
const height = 150;
const axis = 16;

/** A bar for each of some values in their order. Each tells its value on hover. */
export function BarChart({ label, bars, max, topText }: BarChartProps) {
  const top = Math.max(max ?? 0, ...bars.map(({ value }) => value)) || 1;
  const step = width / Math.max(bars.length, 1);
  const first = bars[0];
  const last = bars.at(-1);
  return (
    <figure className="bars">
      <Text component="figcaption" size="xs" c="dimmed">
        {topText} at the top
      </Text>
      <svg viewBox={`0 0 ${width} ${height + axis}`} role="img" aria-label={label}>
        <line x1={0} x2={width} y1={height} y2={height} />
        {bars.map(({ key, value, text }, index) => {
          const tall = (value / top) * (height - 4);
          return (
            <g key={key}>
              <rect
                x={index * step + step * 0.15}
                y={height - tall}
                width={step * 0.7}
                height={Math.max(tall, value > 0 ? 1 : 0)}
              />
              {/* The whole height answers to the pointer, also above a low bar. */}
              <rect className="hit" x={index * step} y={0} width={step} height={height}>
                <title>{`${key}: ${text}`}</title>
              </rect>
            </g>
          );
        })}
        <text x={0} y={height + axis - 3}>
          {first?.key}
        </text>
        <text x={width} y={height + axis - 3} textAnchor="end">
          {last === first ? '' : last?.key}
        </text>
      </svg>
    </figure>
  );
}
