import { parseArgs } from 'node:util';
import { manualClock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/observability/log.ts';
import { startPlatform } from '../../src/server.ts';
import { loadConfig } from '../../src/settings/load-config.ts';
import { clientOf } from '../support/client.ts';
import { startReceiver } from '../support/receiver.ts';
import { startDataServer } from './data-server.ts';
import { planLists, planOperatorLists, planUserLists } from './list-plans.ts';
import {
  addCustomers,
  addPayments,
  addPlugins,
  addRulesAndProcessors,
  addSmallResources,
  addSubscriptions,
  addUsers,
  addWebhooks,
} from './rows.ts';
import { printTable } from './table.ts';
import { type BigTenant, makeTenants } from './tenants.ts';
import { planWrites } from './write-plans.ts';

// platform bench-plans: prints the statements of writes with their plans and calls after warm-up, and PostgreSQL's plan
// of each list query, at 200,000 rows per table.
const { values: options } = parseArgs({ options: { rows: { type: 'string', default: '200000' } } });
const rows = Number(options.rows);

const data = await startDataServer({ countsStatements: true });
const config = loadConfig({
  NODE_ENV: 'test',
  DATABASE_URL: data.url,
  DATABASE_POOL_SIZE: '2',
  PLATFORM_DIR: data.platformDir,
  WEBHOOK_ALLOW_PRIVATE: 'true',
});
const log = createLog({ level: 'error' });
try {
  const tenant = await makeTenants(data.pool);
  await addCustomers(data.pool, tenant, rows);
  await printWrites(tenant);
  await addPayments(data.pool);
  await addSubscriptions(data.pool);
  await addRulesAndProcessors(data.pool);
  await addPlugins(data.pool);
  const webhookId = await addWebhooks(data.pool, tenant);
  await addSmallResources(data.pool, tenant, rows);
  await addUsers(data.pool, rows);
  const platform = await startPlatform(config, { port: 0, jobs: false, log });
  try {
    const plans = [
      ...(await planLists(platform.services, tenant, webhookId)),
      ...(await planOperatorLists(platform.services, tenant)),
      ...(await planUserLists(platform.services)),
    ];
    console.log(`${rows} rows a table; each scan with its index and the rows it read:\n`);
    printTable(
      ['list', 'ms', 'planned', 'ms if planned once', 'plan'],
      plans.map(({ name, nodes, executionMs, isGeneric, keptMs }) => [
        name,
        executionMs.toFixed(1),
        isGeneric ? 'once' : 'at every call',
        keptMs?.toFixed(1) ?? '',
        nodes
          .filter(({ type, relation }) => relation !== null || type.includes('Sort'))
          .map(
            ({ type, relation, index, rows: read }) =>
              `${type}${relation === null ? '' : ` ${index ?? relation}`} ${read}`,
          )
          .join('; '),
      ]),
    );
  } finally {
    await platform.close();
  }
} finally {
  await data.stop();
  data.remove();
}

/** Before the tables have rows that are due at any time. */
async function printWrites({ subKey, storeId }: BigTenant): Promise<void> {
  const clock = manualClock(new Date());
  const platform = await startPlatform(config, { port: 0, jobs: false, log, clock });
  const receiver = await startReceiver();
  try {
    const { services } = platform;
    const api = clientOf(platform, subKey);
    const statements = await planWrites(data.pool, { services, clock, api, storeId, receiverUrl: receiver.url });
    const planned = statements.filter(({ plans }) => plans > 0);
    console.log(
      `${statements.length} statements of charge, refund, capture, void, renewal and delivery after warm-up, of ` +
        `which ${statements.length - planned.length} are planned at no call.\n`,
    );
    if (planned.length > 0)
      printTable(
        ['planned', 'calls', 'plans'],
        planned.map(({ text, calls, plans }) => [text.replaceAll(/\s+/g, ' ').slice(0, 120), `${calls}`, `${plans}`]),
      );
  } finally {
    await receiver.close();
    await platform.close();
  }
}
