import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Domain } from '../src/domain.ts';
import { domains, jobsOf } from '../src/registry.ts';
import type { Services } from '../src/services.ts';
import { isDue, wrongGuards } from './support/nightly.ts';

/** The rules of this repository that neither the compiler nor the linter checks. */
const root = join(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)) && statSync(join(root, path)).isFile());
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = tracked.filter((path) => path.endsWith('.ts'));
const production = sources.filter((path) => path.startsWith('src/') || path.startsWith('rest/'));
const ofDomains = production.filter((path) => /^src\/(domains|iam|operators)\//.test(path));

/** The lines of `paths` that match, each with its file and number. */
function linesMatching(paths: readonly string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    text(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );
}

/** The modules a file imports at run time. Paths of this repository are relative to its root. */
function importsOf(path: string): string[] {
  return [...text(path).matchAll(/^(?:import|export)\s+(?!type\s)(?:[^'"`;]*?\sfrom\s+)?'([^']+)'/gm)].map(
    ([, target = '']) => (target.startsWith('.') ? normalize(join(dirname(path), target)) : target),
  );
}

const repeated = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);

test('every command installs first what it needs, so that it runs on a fresh clone', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(text('package.json'));
  const commands = Object.keys(scripts).filter((name) => !name.startsWith('pre'));
  expect(commands).toContain('start');
  expect(commands.filter((name) => !scripts[`pre${name}`]?.includes('install.mjs'))).toEqual([]);
  expect(text('src/cli/platform.sh')).toMatch(/^node "\$cli\/install\.mjs" .*\|\| exit$/m);
});

describe('the source', () => {
  test('policy and lifecycle are pure: no database, graph, HTTP, clock or randomness', () => {
    const isPure = (path: string): boolean =>
      /\/(policy|lifecycle)\.ts$/.test(path) || /^src\/auth\/(roles|decisions)\.ts$/.test(path);
    const pure = production.filter(isPure);
    expect(pure.length).toBeGreaterThan(1);
    const imported = pure.flatMap((path) => importsOf(path).map((to) => ({ path, to })));
    expect(imported.filter(({ to }) => !isPure(to) && !to.startsWith('src/lib/'))).toEqual([]);
    expect(
      linesMatching(pure, /Date\.now|new Date\(\)|Math\.random|process\.|await |performance\.|randomB|newId\(/),
    ).toEqual([]);
  });

  test('a domain reads the time from the clock port only', () => {
    expect(linesMatching(ofDomains, /new Date\(\)|Date\.now\(\)/)).toEqual([]);
  });

  test('Prisma is given SQL of the tag `sql`, since its own tag takes a fragment for a value', () => {
    expect(linesMatching(production, /\$(queryRaw|executeRaw)(<.*>)?`/)).toEqual([]);
  });

  test('a pool is opened by openPool, which survives broken connections', () => {
    const opening = linesMatching(production, /\bnew (pg\.)?Pool\(/);
    expect(opening).toHaveLength(1);
    expect(opening[0]).toMatch(/^src\/database\/pool\.ts:/);
  });

  test('a connection outside of a pool is opened by openClient, which survives that it breaks', () => {
    // That of the outbox has listeners of its own, and connects again.
    const opening = linesMatching(production, /\bnew (pg\.)?Client\(/).filter((line) => !line.includes('/outbox.ts:'));
    expect(opening.map((line) => line.split(':')[0])).toEqual(['src/database/client.ts']);
  });

  test('a transaction is begun by inTransaction, which ends it', () => {
    const beginning = linesMatching(production, /['"`]BEGIN\b/);
    expect(beginning.map((line) => line.split(':')[0])).toEqual(['src/database/transaction.ts']);
  });

  test('files are named in lower case with hyphens, and none for a mixture of things', () => {
    const named = tracked.filter((path) => /\.(ts|graphql)$/.test(path));
    expect(named.filter((path) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(path.split('/').at(-1) ?? ''))).toEqual([]);
    expect(named.filter((path) => /(^|\/)(utils?|helpers?|common|managers?|data|info|misc)(\/|\.)/.test(path))).toEqual(
      [],
    );
  });
});

describe('the domains', () => {
  const all: readonly Domain[] = domains;
  const folders = [
    'iam',
    'operators',
    ...readdirSync(join(root, 'src', 'domains')).map((name) => `domains/${name}`),
  ].map((path) => ({ name: basename(path), path, files: readdirSync(join(root, 'src', path)) }));

  test('every folder with a schema has a manifest, and every manifest is in the registry under its name', () => {
    const withManifest = folders.filter(({ files }) => files.includes('domain.ts'));
    const withSchema = folders.filter(({ files }) => files.some((file) => /(^|-)schema\.ts$/.test(file)));
    expect(withSchema.filter((folder) => !withManifest.includes(folder)).map(({ path }) => path)).toEqual([]);
    expect(all.map(({ name }) => name).sort()).toEqual(withManifest.map(({ name }) => name).sort());
  });

  test('every prefix that newId is given is in one manifest', () => {
    const owned = all.flatMap(({ idPrefixes = {} }) => Object.values(idPrefixes));
    const made = production.flatMap((path) =>
      [...text(path).matchAll(/\b(?:newId|idsFrom)\(\s*'(\w+)'/g)].map(([, prefix = '']) => prefix),
    );
    expect(made.length).toBeGreaterThan(20);
    expect([...new Set(made)].filter((prefix) => !owned.some((one) => one === prefix))).toEqual([]);
    expect(repeated(owned)).toEqual([]);
  });

  test('no event type is in two manifests', () => {
    expect(repeated(all.flatMap(({ eventTypes = [] }) => eventTypes))).toEqual([]);
  });

  test('job names are unique', () => {
    // Jobs are only listed here; none runs.
    const names = jobsOf({} as Services).map(({ name }) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(repeated(names)).toEqual([]);
  });
});

describe('the repository', () => {
  test('every migration is named by a stamp and a sentence and contains one file', () => {
    const folders = readdirSync(join(root, 'prisma', 'migrations'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    for (const name of folders) {
      expect(name).toMatch(/^\d{14}_[a-z0-9]+(_[a-z0-9]+)+$/);
      expect(readdirSync(join(root, 'prisma', 'migrations', name))).toEqual(['migration.sql']);
    }
    expect(repeated(folders.map((name) => name.slice(0, 14)))).toEqual([]);
  });

  test('the operations of a REST document stand in the order of their paths, and its fragments behind them', () => {
    const documents = tracked.filter((path) => /^rest\/(public|plugins|iam)\/.*\.graphql$/.test(path));
    expect(documents.length).toBeGreaterThan(20);
    for (const path of documents) {
      const kinds = [...text(path).matchAll(/^(query|mutation|fragment) /gm)].map(([, kind]) => kind === 'fragment');
      expect(kinds, path).toEqual(kinds.toSorted((left, right) => Number(left) - Number(right)));
      const paths = [...text(path).matchAll(/@rest\(method: \w+, path: "([^"]+)"/g)].map(([, given = '']) => given);
      expect(paths, path).toEqual(paths.toSorted((left, right) => (left < right ? -1 : 1)));
    }
  });

  test('no tracked file contains a path of one machine or the host of a package registry', () => {
    const texts = tracked.filter((path) =>
      /\.(ts|mjs|js|json|md|graphql|prisma|sql|toml|ya?ml)$|^\.[^/]*$|^\.ci\/|^Dockerfile$/.test(path),
    );
    // Split into parts, so that this file does not match its own pattern.
    const foreign = new RegExp(
      [
        ['/(?:home|Users|root)', '/\\w'],
        ['/work', '/\\w'],
        ['/tmp', '/(?!\\.)\\w'],
        ['registry', '\\.[a-z]+\\.[a-z]{2,}'],
        ['arti', 'factory'],
        ['nex', 'us\\.'],
        ['localhost', ':4873'],
      ]
        .map((pieces) => pieces.join(''))
        .join('|'),
    );
    expect(linesMatching(texts, foreign)).toEqual([]);
  });

  test('the lock file names no host', () => {
    expect(linesMatching(['package-lock.json'], /"resolved": "https?:\/\//).slice(0, 3)).toEqual([]);
  });

  test('the top level is the fixed set of entries and the settings of tools', () => {
    const fixed = ['README.md', 'package.json', 'prisma', 'rest', 'schema.graphql', 'src', 'test'];
    const beside = ['docs', 'sdk', 'console', 'LICENSE', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
    const deployment = ['Dockerfile', 'compose.yaml'];
    const top = [...new Set(tracked.map((path) => path.split('/')[0] ?? ''))];
    expect(top).toEqual(expect.arrayContaining(fixed));
    const isSetting = (name: string): boolean => /^\.|\.json$|\.config\.ts$/.test(name);
    expect(top.filter((name) => ![...fixed, ...beside, ...deployment].includes(name) && !isSetting(name))).toEqual([]);
  });

  test('dependencies, generated code and the data folder of the platform are not tracked', () => {
    expect(tracked.filter((path) => /^(node_modules|\.platform|src\/generated)\//.test(path))).toEqual([]);
  });

  test('.ci/run is executable', () => {
    expect(statSync(join(root, '.ci/run')).mode & 0o111).not.toBe(0);
  });
});

describe('the commands of the tests', () => {
  const near = (...args: string[]) =>
    spawnSync(process.execPath, ['test/support/near.ts', ...args], { cwd: root, encoding: 'utf8' });

  test('test:near with a base that does not exist exits with 2 and names the branches; likewise an unknown option', () => {
    const { status, stderr } = near('no-such-branch');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^There is no branch or commit no-such-branch\. The branches are: ./);
    expect([near('--wild').status, near('--wild').stderr]).toEqual([2, expect.stringContaining('no option --wild')]);
  });

  test('a nightly test that guards nothing, or a path that does not exist, is named', () => {
    expect(wrongGuards()).toEqual([]);
    const wrong = wrongGuards([
      { file: 'test/a.nightly.test.ts', guards: [] },
      { file: 'test/b.nightly.test.ts', guards: ['src/main.ts', 'src/gone.ts'] },
    ]);
    expect(wrong).toEqual([
      'test/a.nightly.test.ts: the first line must be "// guards: <paths that it guards>".',
      'test/b.nightly.test.ts: there is no src/gone.ts, which its first line names.',
    ]);
  });
});

test('a guarded test is due when a path that it guards, a file that it imports, itself or the lock file has changed', () => {
  const guarded = {
    file: 'test/proofs/a.test.ts',
    guards: ['src/jobs', 'schema.graphql'],
    imports: ['test/support/client.ts'],
  };
  const isDueAfter = (path: string) => isDue(guarded, ['README.md', path]);
  for (const path of [
    'src/jobs/leases.ts',
    'schema.graphql',
    'test/support/client.ts',
    guarded.file,
    'package-lock.json',
  ])
    expect(isDueAfter(path), path).toBe(true);
  for (const path of ['src/jobs.ts', 'src/lib/ids.ts', 'test/support/client.test.ts', 'package.json'])
    expect(isDueAfter(path), path).toBe(false);
});

/** A singular beside a plural that does something else, each with its reason. */
const besidePlural: Readonly<Record<string, string>> = {
  'rest/openapi tagOf': 'The tag of an endpoint, beside the list of tags of a document.',
  'src/adapters/embedded-idp revokeSession': 'The port of identity providers has both.',
  'src/domains/test-clocks advanceTestClock': 'A call sets the time of a clock, and a job drives clocks to theirs.',
  'src/unit-of-work claimPart': 'A call that is committed by one statement stores its answer with its claim.',
};

test('no function for one stands beside a function for several that does the same: one is a list of one', () => {
  const functions = production.flatMap((path) =>
    [...text(path).matchAll(/^(export )?(?:async )?function (\w+)([\s\S]*?)^\}/gm)].map(
      ([, exported, name = '', body = '']) => ({ path, isExported: exported !== undefined, name, body }),
    ),
  );
  expect(functions.length).toBeGreaterThan(2_000);
  // In a folder the exported ones, and in a file all.
  const singular = (name: string): string => name.replaceAll(/s(?=[A-Z]|$)/g, '');
  const alike = [
    ...Map.groupBy(
      functions.filter(({ isExported }) => isExported),
      ({ path, name }) => `${dirname(path)} ${singular(name)}`,
    ),
    ...Map.groupBy(functions, ({ path, name }) => `${path} ${singular(name)}`),
  ];
  // One that calls the other is no second way.
  const calls = (body: string, names: readonly string[]): boolean =>
    names.some((name) => new RegExp(`\\b${name}\\b`).test(body));
  const pairs = alike.filter(([, found]) => {
    const names = [...new Set(found.map(({ name }) => name))];
    const isOne = found.some(({ name, body }) =>
      calls(
        body,
        names.filter((other) => other !== name),
      ),
    );
    return names.length > 1 && !isOne;
  });
  const folders = new Set(pairs.map(([key]) => key.replace(/\/[\w-]+\.ts /, ' ')));
  expect([...folders].sort()).toEqual(Object.keys(besidePlural).sort());
});
