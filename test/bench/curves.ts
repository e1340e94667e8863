import type { Run } from './bench.ts';
import { largestMb } from './processes.ts';
import { median, printTable } from './table.ts';
import type { Workload } from './workloads.ts';

type Measure = (workload: Workload, connections: number) => Promise<Run>;

const curve = [1, 4, 16, 64, 256];

/** Throughput, latency and cost at each number of connections. Those compared run in turns. */
export async function printCurves(
  workloads: readonly Workload[],
  measures: Readonly<Record<string, Measure>>,
  rounds: number,
): Promise<void> {
  for (const workload of workloads) {
    const rows: string[][] = [];
    for (const connections of curve) {
      const runs = Object.entries(measures).map(([who, measure]) => ({ who, measure, list: [] as Run[] }));
      for (let round = -1; round < rounds; round++)
        for (const { measure, list } of round % 2 === 0 ? runs : runs.toReversed()) {
          const run = await measure(workload, connections);
          if (round >= 0) list.push(run); // the round before the first is a warm-up
        }
      for (const { who, list } of runs) rows.push([`${connections} × ${who}`, ...figuresOf(list)]);
    }
    console.log(`${workload.name}:\n`);
    printTable(['connections', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs/req', 'of it database', 'WAL bytes/req'], rows);
  }
}

function figuresOf(list: readonly Run[]): string[] {
  const of = (value: (run: Run) => number, digits = 0) => median(list.map(value)).toFixed(digits);
  return [
    of((run) => run.requests / run.seconds),
    of((run) => run.p50Ms, 1),
    of((run) => run.p99Ms, 1),
    of((run) => run.serverCpuUs + run.databaseCpuUs),
    of((run) => run.databaseCpuUs),
    of((run) => run.walBytes),
  ];
}

/** 500 charges in flight at a processor that answers after 300 ms, which is not counted in the platform's share. */
export async function printSlowProcessor(
  charges: readonly Workload[],
  pid: number,
  measure: Measure,
  rounds: number,
): Promise<void> {
  const inFlight = 500;
  const processorMs = 300;
  const rows: string[][] = [];
  for (const workload of charges)
    for (let round = 0; round < rounds; round++) {
      const run = await measure(workload, inFlight);
      rows.push([
        `${round + 1}`,
        (run.requests / run.seconds).toFixed(0),
        (run.p50Ms - processorMs).toFixed(0),
        (run.p99Ms - processorMs).toFixed(0),
        largestMb(pid).toFixed(0),
        (run.serverCpuUs + run.databaseCpuUs).toFixed(0),
        run.databaseCpuUs.toFixed(0),
        run.walBytes.toFixed(0),
      ]);
    }
  printTable(
    [
      'round',
      'charges/s',
      'own p50 ms',
      'own p99 ms',
      'resident MB',
      'CPU µs/charge',
      'of it database',
      'WAL bytes/charge',
    ],
    rows,
  );
}
