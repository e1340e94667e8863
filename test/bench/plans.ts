import { parseArgs } from 'node:util';
import { createLog } from '../../src/kit/log.ts';
import { loadConfig } from '../../src/kit/config.ts';
import { startPlatform } from '../../src/start.ts';
import { startDataServer } from './data-server.ts';
import { planLists, planOperatorLists } from './list-plans.ts';
import {
  addCustomers,
  addPayments,
  addPlugins,
  addRulesAndProcessors,
  addSmallThings,
  addSubscriptions,
  addWebhooks,
} from './rows.ts';
import { printTable } from './table.ts';
import { makeTenants } from './tenants.ts';

// npm run bench:plans: what PostgreSQL does for each list query, at 200,000 rows a table.
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
  await addSmallThings(data.pool, tenant, rows);
  const config = loadConfig({ DATABASE_URL: data.url, PLATFORM_DIR: data.platformDir });
  const platform = await startPlatform(config, { port: 0, sweeps: false, log: createLog({ level: 'error' }) });
  try {
    const plans = [
      ...(await planLists(platform.env, tenant, webhookId)),
      ...(await planOperatorLists(platform.env, tenant)),
    ];
    console.log(`${rows} rows a table; each scan with its index and the rows it read:\n`);
    printTable(
      ['list', 'ms', 'plan'],
      plans.map(({ name, nodes, executionMs }) => [
        name,
        executionMs.toFixed(1),
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
