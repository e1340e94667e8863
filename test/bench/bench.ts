import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printChurn } from './churn.ts';
import { printCurves, printSlowProcessor } from './curves.ts';
import { startDataServer } from './data-server.ts';
import { printDisk } from './disk.ts';
import { layersOf } from './layers.ts';
import type { Measured } from './measure-load.ts';
import { largestMb, postgresCpuMs, type Server, serverCpuMs, startLoadGenerator, startServer } from './processes.ts';
import { addCustomers, addUsers } from './rows.ts';
import { fillLimits, main, serverEnv, startCommand } from './server-settings.ts';
import { printSteady } from './steady.ts';
import { median, printTable } from './table.ts';
import { type BigTenant, makeTenants } from './tenants.ts';
import { type Workload, workloadsOf } from './workloads.ts';

// npm run bench: compares the platform with the floor (floor/server.ts) on the same database. The two run in turns, so
// that other load on the machine affects both. Ratio 1 is as fast as hand-written code that runs the same SQL.
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1.5' },
    rows: { type: 'string', default: '200000' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    curve: { type: 'boolean', default: false },
    'slow-processor': { type: 'boolean', default: false },
    disk: { type: 'boolean', default: false },
    steady: { type: 'string' },
    workers: { type: 'string', default: '1' },
  },
});
const rounds = Number(options.rounds);
const seconds = Number(options.seconds);
const connections = 16;
const { nodeArguments, variables } = startCommand();
const floorScript = join(import.meta.dirname, 'floor', 'server.ts');

export interface Run extends Measured {
  serverCpuUs: number;
  databaseCpuUs: number;
  walBytes: number;
}

let runs = 0;

const data = await startDataServer();
const generator = startLoadGenerator();
// The limits would dominate every measurement, so buckets and counts of calls are refilled during the run: every call
// is still checked and counted, and none is rejected.
const refill = setInterval(() => void fillLimits(data.pool).catch(() => {}), 25);
try {
  await bench();
} finally {
  clearInterval(refill);
  await generator.stop();
  await data.stop();
  data.remove();
}

async function bench(): Promise<void> {
  const tenant = await makeTenants(data.pool);
  await addCustomers(data.pool, tenant, Number(options.rows));
  await addUsers(data.pool, 20_000);
  const env = {
    ...serverEnv(data),
    ...(options.steady !== undefined && { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_KEEP_DAYS: '7' }),
    WORKERS: options.workers,
  };
  console.log(
    `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}, PostgreSQL 18 with fsync ` +
      'and synchronous_commit on,',
  );
  console.log(
    `${connections} connections, ${options.rows} customers, ${rounds} rounds of ${seconds} s each, medians, ` +
      `WORKERS=${options.workers}; ratio of each round, then the median of the ratios.`,
  );
  console.log(
    '"by CPU": processor time of server and database a request, floor/ours, which other work on the machine ' +
      `disturbs less. Load average at the start: ${loadavg()[0]?.toFixed(1)}.\n`,
  );
  const [ours, floor] = [
    await startServer(main, { ...env, ...variables }, nodeArguments),
    await startServer(floorScript, env),
  ];
  const workloads = (await workloadsOf(data, tenant, Number(options.rows), ours.port)).filter(({ name }) =>
    name.includes(options.only),
  );
  await data.pool.query('VACUUM ANALYZE');
  if (options.curve) {
    const alone = startLoadGenerator('database-alone.ts', env);
    await printCurves(
      workloads,
      {
        ours: (workload, at) => measure(ours, workload, seconds, at),
        floor: (workload, at) => measure(floor, workload, seconds, at),
        'database alone': (workload, at) => measure({ port: 0, pid: alone.pid }, workload, seconds, at, alone),
      },
      rounds,
    );
    await alone.stop();
  } else if (options['slow-processor']) {
    const charges = workloads.filter(({ name }) => name.startsWith('charge'));
    await data.pool.query(`UPDATE processors SET options = '{"latencyMs": 300}'`);
    await printSlowProcessor(charges, ours.pid, (workload, at) => measure(ours, workload, seconds, at), rounds);
  } else if (options.disk) {
    const charge = workloads.find(({ name }) => name.startsWith('charge'));
    if (charge) await printDisk(data.pool, async () => (await measure(ours, charge, seconds)).requests);
  } else if (options.steady !== undefined) {
    const charge = workloads.find(({ name }) => name.startsWith('charge'));
    const charges = async (forSeconds: number, perSecond: number): Promise<number> =>
      charge ? (await measure(ours, { ...charge, perSecond }, forSeconds, 4)).requests : 0;
    await printSteady({ pool: data.pool, tenant, port: ours.port, minutes: Number(options.steady), charge: charges });
  } else await compare(workloads, ours, floor);
  if (!options['slow-processor'])
    console.log(`Largest process of the platform: ${largestMb(ours.pid).toFixed(0)} MB.\n`);
  await floor.stop();
  const isShort =
    options.quick || options.curve || options.disk || options['slow-processor'] || options.steady !== undefined;
  if (!isShort) await printChurn(data.pool, tenant);
  await ours.stop();
  if (isShort || options.workers !== '1') return;
  await layersOf(workloads, main, env, (server, workload) => measure(server, workload, 4));
  await footprint(workloads, tenant, env);
}

async function compare(workloads: readonly Workload[], ours: Server, floor: Server): Promise<void> {
  const results = workloads.map((workload) => ({ workload, ours: [] as Run[], floor: [] as Run[] }));
  for (let round = -1; round < rounds; round++) {
    for (const result of results) {
      // The order alternates, since the second run finds the caches warm.
      const order = round % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const);
      for (const who of order) {
        const run = await measure(who === 'ours' ? ours : floor, result.workload, seconds);
        if (round >= 0) result[who].push(run); // the round before the first is a warm-up
      }
    }
  }
  printTable(
    [
      'req/s',
      'ours',
      'floor',
      'ratio',
      'by CPU',
      'aim',
      'ours p50/p99 ms',
      'floor p50/p99 ms',
      'server CPU µs/req ours/floor',
      'database CPU µs/req ours/floor',
    ],
    results.map(({ workload, ours: mine, floor: theirs }) => {
      const of = (list: Run[], value: (run: Run) => number) => median(list.map(value));
      const rate = (run: Run) => run.requests / run.seconds;
      const ratio = median(mine.map((run, at) => rate(run) / rate(theirs[at] ?? run)));
      const cpuOf = (run: Run) => run.serverCpuUs + run.databaseCpuUs;
      const byCpu = of(theirs, cpuOf) / of(mine, cpuOf);
      const latency = (list: Run[]) =>
        `${of(list, (run) => run.p50Ms).toFixed(1)} / ${of(list, (run) => run.p99Ms).toFixed(1)}`;
      const both = (value: (run: Run) => number) => `${of(mine, value).toFixed(0)} / ${of(theirs, value).toFixed(0)}`;
      return [
        workload.name,
        of(mine, rate).toFixed(0),
        of(theirs, rate).toFixed(0),
        ratio.toFixed(2),
        byCpu.toFixed(2),
        workload.aim === null ? '–' : `≥ ${workload.aim}`,
        latency(mine),
        latency(theirs),
        both((run) => run.serverCpuUs),
        both((run) => run.databaseCpuUs),
      ];
    }),
  );
  const [first, , , deep] = results;
  if (results.length >= 4 && first && deep) {
    const cost = median(
      first.ours.map(
        (run, at) => run.requests / run.seconds / ((deep.ours[at]?.requests ?? 0) / (deep.ours[at]?.seconds ?? 1)),
      ),
    );
    console.log(`A cursor page at row 150,000 costs ${cost.toFixed(2)} of page 1 (aim: at most 1.10).\n`);
  }
}

async function measure(
  server: Pick<Server, 'port' | 'pid'>,
  workload: Workload,
  forSeconds: number,
  atOnce = connections,
  by = generator,
): Promise<Run> {
  const dir = join(data.platformDir, 'postgres');
  const thisRun = ++runs;
  await workload.prepare?.(thisRun, forSeconds);
  const before = { server: serverCpuMs(server.pid), database: postgresCpuMs(dir), wal: await walBytes() };
  const measured = await by.run({
    port: server.port,
    requests: workload.requests,
    ...(workload.perSecond !== undefined && { perSecond: workload.perSecond }),
    connections: atOnce,
    seconds: forSeconds,
    run: thisRun,
  });
  const perRequest = (ms: number) => (ms * 1000) / measured.requests;
  return {
    ...measured,
    serverCpuUs: perRequest(serverCpuMs(server.pid) - before.server),
    databaseCpuUs: perRequest(postgresCpuMs(dir) - before.database),
    walBytes: ((await walBytes()) - before.wal) / measured.requests,
  };
}

/** Of the server since its beginning. The refill of the buckets is in it, too. */
async function walBytes(): Promise<number> {
  const { rows } = await data.pool.query<{ bytes: string }>(
    "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS bytes",
  );
  return Number(rows[0]?.bytes);
}

/**
 * Memory after 10,000 requests of all kinds, and the duration of a start with existing data, including PostgreSQL, as
 * with `npm start`.
 */
async function footprint(
  workloads: readonly Workload[],
  tenant: BigTenant,
  env: Record<string, string>,
): Promise<void> {
  const server = await startServer(main, { ...env, ...variables }, nodeArguments);
  const atStart = largestMb(server.pid);
  let requests = 0;
  while (requests < 10_000)
    for (const workload of workloads) requests += (await measure(server, workload, 0.5)).requests;
  console.log(
    `Resident memory: ${atStart.toFixed(0)} MB when ready, ${largestMb(server.pid).toFixed(0)} MB after ` +
      `${requests} requests of ${tenant.accountId} (aim: under 300 MB).`,
  );
  await server.stop();
  clearInterval(refill);
  await data.stop();
  const starts: number[] = [];
  const cpu: number[] = [];
  for (let at = -1; at < 3; at++) {
    const started = await startServer(main, { PLATFORM_DIR: data.platformDir, ...variables }, nodeArguments);
    const spent = serverCpuMs(started.pid);
    await started.stop();
    if (at < 0) continue; // the start before the first fills the folder of compiled code
    starts.push(started.readyMs);
    cpu.push(spent);
  }
  console.log(
    'Start with data in place, embedded PostgreSQL included, to /health/ready: ' +
      `${(median(starts) / 1000).toFixed(2)} s, median of ${starts.length}, of which ` +
      `${(median(cpu) / 1000).toFixed(2)} s of processor time (aim: at most 2 s).`,
  );
}
