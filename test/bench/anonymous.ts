import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { fillDatabase } from '../../src/local/demo.ts';
import { asServerRole } from '../../src/local/postgres-programs.ts';
import { createLog } from '../../src/observability/log.ts';
import { startPlatform } from '../../src/server.ts';
import { loadConfig } from '../../src/settings/load-config.ts';
import { headers, type Requested, registeredWhile, requestsOf } from '../support/anonymous-routes.ts';
import type { Answered, Batch } from './anonymous-client.ts';
import { startDataServer } from './data-server.ts';
import { serverEnv } from './server-settings.ts';
import { median, printTable } from './table.ts';

// node test/bench/anonymous.ts: what each anonymous request costs the event loop of a server with the demo, as
// processor time of its thread: the first request, and the median of batches of further ones.
const { values: options } = parseArgs({
  options: { only: { type: 'string', default: '' }, batches: { type: 'string', default: '5' } },
});
const requestsPerBatch = 10;
const encodings = ['identity', 'gzip', 'br'] as const;

const data = await startDataServer();
const env = {
  ...serverEnv(data),
  NODE_ENV: 'development',
  DATABASE_URL: asServerRole(data.url),
  MIGRATION_DATABASE_URL: data.url,
};
const log = createLog({ level: 'silent' });
await fillDatabase(loadConfig(env), data.url, log);
const { started: platform, paths } = await registeredWhile(() =>
  startPlatform(loadConfig(env), { log, jobs: false, port: 0 }),
);
const client = new Worker(new URL('anonymous-client.ts', import.meta.url));
try {
  await bench();
} finally {
  await client.terminate();
  await platform.close();
  await data.stop();
  data.remove();
}

async function bench(): Promise<void> {
  const before = process.memoryUsage();
  const page = await (await fetch(`${platform.url}/graphql`, { headers: headers.page })).text();
  const files = [...page.matchAll(/"(graphql\/[^"]+)"/g)].map(([, path]): Requested => ({ path: `/${path}` }));
  const requested = [...requestsOf(paths), ...files].filter(({ path }) => path.includes(options.only));
  await ask({ path: '/health/live' }, {}, 200);
  const rows: { cells: string[]; steadyMs: number }[] = [];
  for (const each of requested)
    for (const [how, given] of [
      ...encodings.map((encoding) => [encoding, { ...headers.page, 'Accept-Encoding': encoding }] as const),
      ['many', headers.many] as const,
      ['tags', headers.tags] as const,
    ]) {
      const first = await ask(each, given, 1);
      const batches: number[] = [];
      for (let batch = 0; batch < Number(options.batches); batch++)
        batches.push((await ask(each, given, requestsPerBatch)).ms);
      const steadyMs = median(batches);
      const { status, bytes, encoding } = first.answered;
      const name = `${each.method ?? 'GET'} ${each.path.slice(0, 70)}`;
      const cells = [name, how, String(status), encoding, String(bytes), first.ms.toFixed(2), steadyMs.toFixed(2)];
      rows.push({ cells, steadyMs });
    }
  printTable(
    ['request', 'asked', 'status', 'encoding', 'bytes', 'first ms', 'then ms'],
    rows.sort((one, other) => other.steadyMs - one.steadyMs).map(({ cells }) => cells),
  );
  const kept = process.memoryUsage();
  const mib = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
  console.log(`${rows.length} rows; above 2 ms: ${rows.filter(({ steadyMs }) => steadyMs > 2).length}.`);
  console.log(
    `Buffers: ${mib(kept.arrayBuffers - before.arrayBuffers)} MiB more than before, heap ${mib(kept.heapUsed)} MiB.`,
  );
}

async function ask(
  requested: Requested,
  given: Record<string, string>,
  count: number,
): Promise<{ answered: Answered; ms: number }> {
  const before = process.threadCpuUsage();
  const batch: Batch = { url: platform.url, requested, headers: given, count };
  client.postMessage(batch, []);
  const [answered] = (await once(client, 'message')) as [Answered];
  const { user, system } = process.threadCpuUsage(before);
  return { answered, ms: (user + system) / 1000 / count };
}
