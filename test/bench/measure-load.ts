import { setTimeout } from 'node:timers/promises';

/**
 * The requests to repeat. `{n}` in a text is replaced by a number that no other request uses, `{run}` by that of the
 * run.
 */
export interface Load {
  port: number;
  requests: string[];
  connections: number;
  seconds: number;
  /** How many are sent a second at most; without it as many as are answered. */
  perSecond?: number;
  /** Makes the numbers of this run different from those of other runs. */
  run: number;
}

export interface Measured {
  requests: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
}

/** One connection. `exchange` sends one request and waits for its answer. */
export interface Connection {
  exchange(text: string): Promise<void>;
  end(): void;
}

/** Answers each message of the parent process, a load, with what `measure` finds. */
export function serveLoads(measure: (load: Load) => Promise<Measured>): void {
  process.on('message', (load: Load) => {
    measure(load).then(
      (measured) => process.send?.(measured),
      (error: unknown) => process.send?.({ error: String(error) }),
    );
  });
}

export async function measureLoad(
  { requests, connections, seconds, perSecond, run }: Load,
  open: () => Promise<Connection>,
): Promise<Measured> {
  const opened = await Promise.all(Array.from({ length: connections }, open));
  const begun = performance.now();
  const until = begun + seconds * 1000;
  const times: number[] = [];
  let sent = 0;
  const next = (): string => {
    const number = sent++;
    const text = requests[number % requests.length] ?? '';
    return numbered(text, run, number);
  };
  await Promise.all(
    opened.map(async (connection) => {
      while (performance.now() < until) {
        if (perSecond !== undefined)
          await setTimeout(Math.max(0, begun + (sent * 1000) / perSecond - performance.now()));
        const requested = performance.now();
        await connection.exchange(next());
        times.push(performance.now() - requested);
      }
      connection.end();
    }),
  );
  const took = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { requests: times.length, seconds: took, p50Ms: at(0.5), p99Ms: at(0.99) };
}

function numbered(text: string, run: number, number: number): string {
  const [head = '', body = ''] = text
    .replaceAll('{n}', `${run}x${number}`)
    .replaceAll('{run}', String(run))
    .split('\r\n\r\n');
  return `${head.replace(/(?<=Content-Length: )\d+/, String(Buffer.byteLength(body)))}\r\n\r\n${body}`;
}
