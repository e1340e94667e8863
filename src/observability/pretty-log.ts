import { inspect } from 'node:util';

/** Color names of `styleText` of `node:util`, by the first digit of a status or by level. */
const colorOfStatus: Readonly<Record<string, Color>> = { 2: 'green', 3: 'cyan', 4: 'yellow', 5: 'red' };
const colorOfLevel: Readonly<Record<string, Color>> = { warn: 'yellow', error: 'red', fatal: 'red' };
type Color = 'green' | 'cyan' | 'yellow' | 'red' | 'gray';

/**
 * A line of the JSON log for people: short, and in color if `isColored`. A line that is not JSON is returned unchanged.
 */
export function prettyLine(line: string, isColored: boolean): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line) as Record<string, unknown>; // written by the log itself, one object a line
  } catch {
    return line;
  }
  const paint = (text: string, color: Color | undefined): string => {
    const [open, close] = (isColored && color && inspect.colors[color]) || [];
    return open === undefined ? text : `\u001b[${open}m${text}\u001b[${close}m`;
  };
  const { time, level, msg, err, ...others } = fields;
  const clock = paint(String(time).slice(11, 19), 'gray');
  if (msg === 'request') return `${clock} ${requestText(others, paint)}\n`;
  const stack = typeof err === 'object' && err !== null && 'stack' in err ? `\n${String(err.stack)}` : '';
  const shown = Object.entries(others).map(([name, value]) => ` ${paint(`${name}=`, 'gray')}${textOf(value)}`);
  const message = paint(`${String(level).toUpperCase()} ${String(msg)}`, colorOfLevel[String(level)]);
  return `${clock} ${message}${shown.join('')}${stack}\n`;
}

/** `POST /api/public/v1/payments/process 200 declined insufficient_funds pay_… tpa_… tp_sk_test_… 23 ms` */
function requestText(
  fields: Record<string, unknown>,
  paint: (text: string, color: Color | undefined) => string,
): string {
  const { method, route, status, outcome, code, durationMs, paymentId, platformAccountId, userId, keyPrefix } = fields;
  const given = (values: unknown[]): unknown[] => values.filter((value) => value !== undefined);
  const color = colorOfStatus[String(status)[0] ?? ''];
  const failed = code === undefined ? color : colorOfStatus[4];
  const parts = [
    textOf(method).padEnd(4),
    textOf(route),
    paint(textOf(status), color),
    ...given([outcome, code]).map((part) => paint(textOf(part), failed)),
    ...given([paymentId, platformAccountId, userId, keyPrefix]).map((part) => paint(textOf(part), 'gray')),
    paint(`${Math.round(Number(durationMs))} ms`, 'gray'),
  ];
  return parts.join(' ');
}

/** Control characters would move the cursor of a terminal. */
function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // biome-ignore lint/complexity/useRegexLiterals: a literal would contain control characters
  return (text ?? '').replaceAll(new RegExp('[\\u0000-\\u001f\\u007f-\\u009f]', 'g'), '?');
}
