import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// platform test changed [base] [--wide]: the tests of what has changed since the branch or commit `base`, and without one
// of what is not committed yet. --wide adds the domains that import a changed one.

const root = join(import.meta.dirname, '..', '..');

/** What a change of the shared core can break in any domain. */
const spine = [
  'test/rest/access-matrix.test.ts',
  'test/domains/webhooks/events/parity.test.ts',
  'test/rest/07-repeats.test.ts',
  'test/proofs/isolation.test.ts',
  'test/attacks/existence.test.ts',
  'test/rest/openapi.test.ts',
  'test/graph/graph-conventions.test.ts',
  'test/tidy.test.ts',
];

/** The proofs of a folder run only where they are named: they would take longer than all of its other tests. */
const keyProofs = ['test/operating/vault/key-changes.proof.test.ts', 'test/operating/vault/key-checks.proof.test.ts'];

/** The tests of a folder, the first that contains a path. A domain has those of its own name. */
const tests: readonly (readonly [string, readonly string[]])[] = [
  ['src/iam/', ['test/iam']],
  ['src/operators/', ['test/operators']],
  ['src/adapters/clerk/', ['test/iam']],
  ['src/adapters/embedded-idp/', ['test/iam']],
  ['src/adapters/mail/', ['test/iam/mail']],
  ['src/adapters/stripe/', ['test/domains/processors']],
  ['src/adapters/test-processor/', ['test/domains/processors']],
  ['src/adapters/vault/', ['test/operating/vault', ...keyProofs, 'test/domains/instruments']],
  ['src/adapters/webhook-http/', ['test/domains/webhooks']],
  ['src/graph/', ['test/graph', ...spine]],
  ['src/relations/', ['test/graph', ...spine]],
  ['src/lists/', ['test/graph', ...spine]],
  ['src/call/', spine],
  ['src/auth/', ['test/rest/03-keys.test.ts', 'test/rest/02-tenancy.test.ts', ...spine]],
  ['src/keys/', ['test/operating', ...keyProofs]],
  ['src/unit-of-work/', spine],
  ['src/', ['test/operating']],
  ['rest/', ['test/rest', ...spine]],
  ['sdk/', ['test/sdk']],
  ['console/', ['test/graph/console-documents.test.ts']],
  ['docs/', ['test/docs.test.ts']],
  ['prisma/', ['test/operating/kit/migrations.test.ts', ...spine]],
  ['test/support/', spine],
  ['schema.graphql', spine],
  ['package.json', spine],
];

function testsOf(path: string): readonly string[] {
  const [, domain] = /^src\/domains\/([^/]+)\//.exec(path) ?? [];
  if (domain !== undefined) return ofDomain(domain);
  if (path.endsWith('.test.ts')) return existsSync(join(root, path)) ? [path] : [];
  const [, folder] = /^(test\/(?:domains\/)?[^/]+)\//.exec(path) ?? [];
  return tests.find(([prefix]) => path.startsWith(prefix))?.[1] ?? (folder === undefined ? [] : [folder]);
}

const ofDomain = (name: string): string[] =>
  existsSync(join(root, 'test', 'domains', name)) ? [`test/domains/${name}`] : spine;

/** The domains that import one of `changed`. */
function importers(changed: ReadonlySet<string>): string[] {
  const imported = new RegExp(`/(${[...changed].join('|')})/public\\.ts'`);
  return globSync('src/domains/*/**/*.ts', { cwd: root })
    .filter((path) => imported.test(readFileSync(join(root, path), 'utf8')))
    .map((path) => path.split('/')[2] ?? '');
}

/** Tests of processes and pages run where one of their files has changed. */
function projectsOf(paths: readonly string[]): string[] {
  const names = ['suite', 'suite-alone'];
  if (paths.some((path) => path.startsWith('test/proofs') || path.includes('.proof.'))) names.push('proofs');
  if (paths.some((path) => /\.(process|nightly)\./.test(path))) names.push('processes');
  if (paths.some((path) => path.startsWith('test/browser'))) names.push('browser');
  return names.flatMap((name) => ['--project', name]);
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

function changedSince(base: string | undefined): string[] | null {
  try {
    const since = base === undefined ? 'HEAD' : git('merge-base', base, 'HEAD').trim();
    const lines = git('diff', '--name-only', since, '--') + git('ls-files', '--others', '--exclude-standard');
    return lines.split('\n').filter((path) => path !== '');
  } catch {
    return null;
  }
}

function run(): number {
  const args = process.argv.slice(2);
  const [base] = args.filter((arg) => !arg.startsWith('--'));
  const unknown = args.find((arg) => arg.startsWith('--') && arg !== '--wide');
  if (unknown !== undefined) {
    process.stderr.write(`There is no option ${unknown}. Usage: platform test changed [base] [--wide]\n`);
    return 2;
  }
  const changed = changedSince(base);
  if (changed === null) {
    const branches = git('branch', '--all', '--format=%(refname:short)').trim().split('\n').join(', ');
    process.stderr.write(`There is no branch or commit ${base}. The branches are: ${branches}.\n`);
    return 2;
  }
  const domains = new Set(changed.flatMap((path) => /^src\/domains\/([^/]+)\//.exec(path)?.[1] ?? []));
  const wide = args.includes('--wide') && domains.size > 0 ? importers(domains).flatMap(ofDomain) : [];
  const paths = [...new Set([...changed.flatMap(testsOf), ...wide])];
  if (paths.length === 0) {
    process.stdout.write(`Nothing that has tests has changed since ${base ?? 'the last commit'}.\n`);
    return 0;
  }
  process.stdout.write(`${paths.join('\n')}\n`);
  const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts', ...projectsOf(paths)];
  const env = { ...process.env, ...(paths.some((path) => /\.nightly\./.test(path)) && { NIGHTLY: 'all' }) };
  const { status } = spawnSync('npx', [...vitest, ...paths], { cwd: root, env, stdio: 'inherit' });
  return status ?? 1;
}

process.exitCode = run();
