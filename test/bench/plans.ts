import { parseArgs } from 'node:util';
import { loadConfig } from '../../src/runtime/load-config.ts';
import { createLog } from '../../src/runtime/log.ts';
import { startPlatform } from '../../src/server.ts';
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
import { makeTenants } from './tenants.ts';

// npm run bench plans: prints PostgreSQL's plan of each list query, at 200,000 rows per table.
const { values: options } = parseArgs({ options: { rows: { type: 'string', default: '200000' } } });
const rows = Number(options.rows);

const data = await startDataServer();
try {
  const tenant = await makeTenants(data.pool);
  await addCustomers(data.pool, tenant, rows);
  await addPayments(data.pool);
  await addSubscriptions(data.pool);
  await addRulesAndProcessors(data.pool);
  await addPlugins(data.pool);
  const webhookId = await addWebhooks(data.pool, tenant);
  await addSmallResources(data.pool, tenant, rows);
  await addUsers(data.pool, rows);
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: data.url, PLATFORM_DIR: data.platformDir });
  const platform = await startPlatform(config, { port: 0, jobs: false, log: createLog({ level: 'error' }) });
  try {
    const plans = [
      ...(await planLists(platform.services, tenant, webhookId)),
      ...(await planOperatorLists(platform.services, tenant)),
      ...(await planUserLists(platform.services)),
    ];
    console.log(`${rows} rows a table; each scan with its index and the rows it read:\n`);
    printTable(
      ['list', 'ms', 'planned', 'ms if planned once', 'plan'],
      plans.map(({ name, nodes, executionMs, isKept, keptMs }) => [
        name,
        executionMs.toFixed(1),
        isKept ? 'once' : 'at every call',
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
