const [width, height] = [120, 24];

/**
 * The course of a value over the days of a period, without an axis. Nothing for fewer than two days. It is not for
 * screen readers: the value beside it is.
 */
export function Sparkline({ values }: { values: readonly number[] }) {
  if (values.length < 2) return null;
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const x = (index: number): number => (index / (values.length - 1)) * width;
  const y = (value: number): number => height - 1 - ((value - low) / (high - low || 1)) * (height - 2);
  return (
    <svg className="sparkline" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <polyline points={values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ')} />
    </svg>
  );
}
