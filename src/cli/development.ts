import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Argument, type Command } from 'commander';

const root = join(import.meta.dirname, '..', '..');
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];

/** Proofs by repetition: the tests, and the environment that gives them their long rounds. */
const proofs: Readonly<Record<string, { tests: readonly string[]; env: Readonly<Record<string, string>> }>> = {
  'bad-input': { tests: ['test/proofs/bad-input.test.ts'], env: { FAULTS_REQUESTS: '10000' } },
  cells: { tests: ['test/proofs/cells.nightly.test.ts'], env: { NIGHTLY: 'all' } },
  database: {
    tests: ['test/proofs/database-restart.nightly.test.ts'],
    env: { NIGHTLY: 'all', FAULTS_OUTAGES: '10' },
  },
  failover: {
    tests: ['test/proofs/failover.nightly.test.ts'],
    env: { NIGHTLY: 'all', FAULTS_FAILOVERS: '10', FAULTS_DETECTION_MS: '5000' },
  },
  kills: { tests: ['test/proofs/kill.process.test.ts'], env: { FAULTS_KILLS: '50' } },
  plugins: { tests: ['test/proofs/plugin-kill.process.test.ts'], env: { FAULTS_PLUGIN_KILLS: '20' } },
  'processor-events': {
    tests: ['test/domains/processors/stripe/live.test.ts', '-t', 'faster than the answer'],
    env: { FAULTS_ROUNDS: '10000' },
  },
  races: {
    tests: ['test/proofs/refund-races.test.ts', '-t', 'capture racing'],
    env: { FAULTS_RACES: '10000' },
  },
  refunds: {
    tests: ['test/proofs/refund-races.test.ts', '-t', 'refunds at once'],
    env: { FAULTS_ROUNDS: '1000' },
  },
  simulation: { tests: ['test/proofs/simulation.test.ts'], env: { SIMULATION_STEPS: '200000' } },
  subscriptions: {
    tests: ['test/proofs/subscription-histories.test.ts', 'test/proofs/renewals.process.test.ts'],
    env: { PROPERTY_RUNS: '300', FAULTS_RENEWAL_KILLS: '25' },
  },
  webhooks: {
    tests: ['test/proofs/webhook-kill.process.test.ts'],
    env: { FAULTS_KILLS: '50', FAULTS_EVENTS: '10000' },
  },
};

/** Kinds of tests beside those of `npm test`. */
const kinds: Readonly<Record<string, { args: readonly string[]; env?: Readonly<Record<string, string>> }>> = {
  proofs: { args: ['--project', 'proofs'] },
  browser: { args: ['--project', 'browser'] },
  processes: { args: ['--project', 'processes'] },
  nightly: { args: ['nightly'], env: { NIGHTLY: 'all' } },
};

/** Programs for development, each with its argument. */
const tools: readonly { name: string; file: string; argument: [name: string, text: string]; does: string }[] = [
  {
    name: 'migration',
    file: 'prisma/migration.ts',
    argument: ['<words...>', 'what the migration does, such as "add orders"'],
    does: 'write the migration of a change of prisma/schema',
  },
  {
    name: 'breaking-changes',
    file: 'test/rest/breaking-changes.ts',
    argument: ['<revision>', 'branch or commit to compare with'],
    does: 'list the changes of the API that break clients',
  },
  {
    name: 'screens',
    file: 'console/take-screens.ts',
    argument: ['[directory]', 'PLATFORM_DIR of the running demo'],
    does: 'take the screenshots of docs/guides/console-screens.md from a running demo',
  },
  {
    name: 'bench-plans',
    file: 'test/bench/plans.ts',
    argument: ['[options...]', 'after --, such as -- --rows 200000'],
    does: 'print the query plans of writes and lists',
  },
  {
    name: 'bench-screens',
    file: 'test/bench/screens.ts',
    argument: ['[options...]', 'after --, such as -- --rows 20000'],
    does: 'measure every document of the console on a large database',
  },
];

/** Runs a file or vitest with the packages for development, and ends with its status. */
function runNode(args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
  const node = (more: readonly string[]): number =>
    spawnSync(process.execPath, more, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' }).status ?? 1;
  process.exitCode = node(['src/cli/install.mjs', '--dev']) || node(args);
}

/** Adds the commands for development, which need the tests of the repository: an image has none. */
export function addDevelopmentCommands(program: Command): void {
  if (!existsSync(join(root, 'test'))) return;
  program.commandsGroup('Development:');
  const test = program
    .command('test')
    .helpCommand(false)
    .summary('run tests that `npm test` leaves out')
    .description('Runs tests that `npm test` leaves out. Files and options of vitest may follow.');
  for (const [name, { args, env }] of Object.entries(kinds))
    test
      .command(name)
      .description(`Runs the ${name} tests.`)
      .argument('[arguments...]', 'files, and options of vitest after --')
      .action((more: string[]) => runNode([...vitest, ...args, ...more], env));
  test
    .command('changed')
    .description('Runs the tests of what has changed since a commit.')
    .argument('[base]', 'branch or commit; without it, what is not committed yet')
    .option('--wide', 'add the domains that import a changed one', false)
    .action((base: string | undefined, { wide }: { wide: boolean }) =>
      runNode(['test/support/near.ts', ...(base === undefined ? [] : [base]), ...(wide ? ['--wide'] : [])]),
    );
  program
    .command('prove')
    .summary('run a proof by repetition')
    .description('Runs a test with many rounds, such as 50 kills of a server. A proof takes minutes.')
    .addArgument(new Argument('<proof>', 'name of the proof').choices([...Object.keys(proofs), 'all']))
    .action((name: string) => {
      for (const { tests, env } of name === 'all' ? Object.values(proofs) : [proofs[name]].filter((one) => !!one)) {
        runNode([...vitest, ...tests], env);
        if (process.exitCode !== 0) return;
      }
    });
  for (const { name, file, argument, does } of tools)
    program
      .command(name)
      .summary(does)
      .description(`${does.charAt(0).toUpperCase()}${does.slice(1)}.`)
      .argument(...argument)
      .action((...given: unknown[]) => runNode([file, ...[given[0] ?? []].flat().map(String)]));
}
