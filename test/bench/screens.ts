import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { sealValue } from '../../src/domains/accounts/kyb/kyb-rows.ts';
import { encryptSigningSecret, newSigningSecret } from '../../src/domains/webhooks/endpoints/signing.ts';
import { loadConfig } from '../../src/settings/load-config.ts';
import { type AskedForm, askForms } from './ask-forms.ts';
import { addConsoleRows, consoleRows } from './console-rows.ts';
import { startDataServer } from './data-server.ts';
import { signInPeople } from './people.ts';
import { startServer } from './processes.ts';
import { addUsers } from './rows.ts';
import { main, serverEnv, startCommand } from './server-settings.ts';
import { median, printTable } from './table.ts';

// platform bench-screens: the time of every document of the console, in every form, with 2,000,000 payments behind it.
const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '5' },
    /** Only documents whose screen or name contains it. */
    only: { type: 'string', default: '' },
    /** Only one role. */
    who: { type: 'string' },
    /** A folder whose data is filled once and kept. */
    dir: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const rows = Number(options.rows);
const limitMs = 300;

const people = [
  { email: 'super@example.com', platformRoles: ['superadmin'], whitelabelOwnership: null },
  { email: 'hub@example.com', platformRoles: ['hubadmin'], whitelabelOwnership: null },
  { email: 'partner@example.com', platformRoles: ['partneradmin'], whitelabelOwnership: 'bench-0' },
];

const data = await startDataServer({ dir: options.dir });
// A database that was filled with deliveries of a year keeps them.
const env = { ...serverEnv(data), NODE_ENV: 'development', WEBHOOK_KEEP_DAYS: '3650' };
const config = loadConfig(env);
try {
  const { rowCount } = await data.pool.query('SELECT 1 FROM partners LIMIT 1');
  if (rowCount === 0) {
    const begun = performance.now();
    await addConsoleRows(data.pool, consoleRows(rows), {
      signingSecret: (id) => encryptSigningSecret(config, id, newSigningSecret()),
      kybValue: (id) => sealValue(config, id, 'Value'),
    });
    await addUsers(data.pool, 20_000, 'bench-0');
    console.log(`Filled in ${((performance.now() - begun) / 1000).toFixed(0)} s.`);
  }
  const { nodeArguments, variables } = startCommand();
  const server = await startServer(main, { ...env, ...variables }, nodeArguments);
  try {
    const cookies = await signInPeople(data, server.port, people);
    await untilSummed(data.pool);
    console.log(`${rows} payments; load average at the start: ${loadavg()[0]?.toFixed(1)}.\n`);
    const requested = await askForms({
      port: server.port,
      pool: data.pool,
      people: people
        .map((person, at) => ({ ...person, cookie: cookies[at] ?? '' }))
        .filter(({ platformRoles }) => options.who === undefined || platformRoles.includes(options.who)),
      rounds: Number(options.rounds),
      only: options.only,
      onAsked: (form) => {
        if (options.all || medianOf(form) > limitMs)
          console.log([`${form.screen}: ${form.document}`, ...cellsOf(form)].join(' | '));
      },
    });
    print(requested);
  } finally {
    await server.stop();
  }
} finally {
  await data.stop();
  data.remove();
}

/** Waits for the job that sums the days of the figures, and for the statistics of what it wrote. */
async function untilSummed(pool: pg.Pool): Promise<void> {
  const summed = "SELECT 1 FROM counters.figures_until WHERE day >= (now() - interval '2 hours')::date";
  while ((await pool.query(summed)).rowCount === 0) await new Promise((resume) => setTimeout(resume, 500));
  await pool.query('VACUUM ANALYZE counters.daily_figures');
}

function print(requested: readonly AskedForm[]): void {
  const byDocument = Map.groupBy(requested, ({ screen, document }) => `${screen}: ${document}`);
  printTable(
    ['screen: document', 'forms', 'median of forms ms', 'slowest form', 'median ms', 'worst ms', ''],
    [...byDocument].map(([name, forms]) => {
      const [slowest] = forms.toSorted(bySlowness);
      if (!slowest) throw new Error(`${name} was asked in no form.`);
      return [name, `${forms.length}`, median(forms.map(medianOf)).toFixed(0), ...cellsOf(slowest)];
    }),
  );
  const slow = requested.filter((form) => options.all || medianOf(form) > limitMs).toSorted(bySlowness);
  console.log(
    `Above ${limitMs} ms: ${requested.filter((form) => medianOf(form) > limitMs).length} of ${requested.length} forms.\n`,
  );
  if (slow.length > 0)
    printTable(
      ['screen: document', 'form', 'median ms', 'worst ms', ''],
      slow.map((form) => [`${form.screen}: ${form.document}`, ...cellsOf(form)]),
    );
}

function cellsOf(form: AskedForm): string[] {
  const ms = medianOf(form);
  return [`${form.form} (${form.who})`, ms.toFixed(0), Math.max(...form.ms).toFixed(0), ms > limitMs ? 'above' : ''];
}

function medianOf({ ms }: AskedForm): number {
  return median(ms);
}

function bySlowness(a: AskedForm, b: AskedForm): number {
  return medianOf(b) - medianOf(a);
}
