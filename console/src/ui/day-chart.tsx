import { Group, Text } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, useState } from 'react';

export interface Bar {
  key: string;
  /** The name of the day below the bar. */
  name: string;
  value: number;
  text: string;
  /** The same day of the period before, which the line shows. */
  before: { name: string; value: number; text: string };
}

interface DayChartProps {
  /** What the bars show. */
  label: string;
  bars: readonly Bar[];
  /** The highest value of the axis. Default: a round number above all values. */
  max?: number;
  /** The text of a value beside the axis. */
  axisText(value: number): string;
}

const [width, height] = [420, 190];
const plot = { left: 52, right: width - 6, top: 8, bottom: height - 20 };
const ticks = [0, 0.25, 0.5, 0.75, 1];

/**
 * A bar for each day and a line for the period before. The pointer or the arrow keys choose a day, whose values stand
 * above the chart.
 */
export function DayChart({ label, bars, max, axisText }: DayChartProps) {
  const [chosen, choose] = useState<number | null>(null);
  const top = max ?? roundAbove(Math.max(0, ...bars.flatMap(({ value, before }) => [value, before.value])));
  const step = (plot.right - plot.left) / Math.max(bars.length, 1);
  const wide = Math.min(step * 0.7, 40);
  const center = (index: number): number => plot.left + (index + 0.5) * step;
  const yOf = (value: number): number => plot.bottom - (value / top) * (plot.bottom - plot.top);
  const last = bars.length - 1;
  const shown = bars[Math.min(chosen ?? last, last)];
  const textOf = ({ name, text, before }: Bar): string => `${name}: ${text}. ${before.name}: ${before.text}.`;
  const onKeyDown = (event: KeyboardEvent): void => {
    const at = chosen ?? last;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(Math.min(Math.max(to, 0), last));
  };
  const onPointer = ({ currentTarget, clientX }: PointerEvent): void => {
    const { left, width: shownWidth } = currentTarget.getBoundingClientRect();
    const x = ((clientX - left) / shownWidth) * width;
    choose(Math.min(Math.max(Math.floor((x - plot.left) / step), 0), last));
  };
  return (
    <div className="day-chart">
      <Text size="xs" c="dimmed" mih="3em">
        {chosen !== null && shown ? textOf(shown) : 'Choose a day with the pointer or the arrow keys.'}
      </Text>
      <div
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={1}
        aria-valuemax={bars.length}
        aria-valuenow={(chosen ?? last) + 1}
        aria-valuetext={shown && textOf(shown)}
        onKeyDown={onKeyDown}
        onFocus={() => choose(chosen ?? last)}
        onBlur={() => choose(null)}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => choose(null)}
      >
        <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick}>
              <line x1={plot.left} x2={plot.right} y1={yOf(tick * top)} y2={yOf(tick * top)} />
              {tick % 0.5 === 0 && (
                <text x={plot.left - 6} y={yOf(tick * top) + 4} textAnchor="end">
                  {axisText(tick * top)}
                </text>
              )}
            </g>
          ))}
          {bars.map(({ key, value }, index) => (
            <rect
              key={key}
              data-chosen={index === chosen || undefined}
              x={center(index) - wide / 2}
              y={Math.min(yOf(value), value > 0 ? plot.bottom - 1 : plot.bottom)}
              width={wide}
              height={Math.max(plot.bottom - yOf(value), value > 0 ? 1 : 0)}
            />
          ))}
          {bars.length > 1 ? (
            <polyline points={bars.map(({ before }, index) => `${center(index)},${yOf(before.value)}`).join(' ')} />
          ) : (
            bars.map(({ key, before }, index) => (
              <polyline
                key={key}
                points={`${center(index) - wide},${yOf(before.value)} ${center(index) + wide},${yOf(before.value)}`}
              />
            ))
          )}
          {datesOf(bars.length).map((index) => (
            <text
              key={index}
              x={center(index)}
              y={height - 5}
              textAnchor={last === 0 || (index > 0 && index < last) ? 'middle' : index === 0 ? 'start' : 'end'}
            >
              {bars[index]?.name}
            </text>
          ))}
        </svg>
      </div>
      <Group gap="md" fz="xs" c="dimmed">
        <span data-series="now">This period</span>
        <span data-series="before">Period before</span>
      </Group>
    </div>
  );
}

/** The days that have a date below them: the first, one in the middle and the last. */
function datesOf(count: number): number[] {
  return [...new Set([0, Math.floor((count - 1) / 2), count - 1])].filter((index) => index >= 0);
}

/** The next of 1, 2, 4, 5 and 10 times a power of ten, so that a half of it is round too. */
function roundAbove(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5].find((factor) => factor * power >= value) ?? 10) * power;
}
