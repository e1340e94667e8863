import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { printedSchema } from '../src/graph/print.ts';

/** The repository's own rules, as tests: what an eye would have to watch for otherwise. */
const root = join(import.meta.dirname, '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)) && statSync(join(root, path)).isFile());
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = tracked.filter((path) => path.endsWith('.ts'));
const ours = sources.filter((path) => path.startsWith('src/') || path.startsWith('rest/'));

/** Files of `paths` whose text matches, with the line that does. */
function matching(paths: readonly string[], pattern: RegExp): string[] {
  return paths.flatMap((path) =>
    text(path)
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
  );
}

interface Import {
  from: string;
  to: string;
  isTypeOnly: boolean;
  isOurs: boolean;
}

/** What a file imports, with paths of ours relative to the root. */
function importsOf(path: string): Import[] {
  return [...text(path).matchAll(/^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?'([^']+)'/gm)].map(
    ([, type, target = '']) => ({
      from: path,
      to: target.startsWith('.') ? normalize(join(dirname(path), target)) : target,
      isTypeOnly: type !== undefined,
      isOurs: target.startsWith('.'),
    }),
  );
}
const imports = ours.flatMap(importsOf);

const ground = ['kit', 'ports', 'auth', 'graph', 'generated'];
const belowDomains = [
  'builder',
  'scalars',
  'lists',
  'list-filters',
  'list-inputs',
  'list-cursor',
  'pages',
  'context',
  'address',
  'delete-result',
  'field-limits',
  'input',
  'root-field-guard',
  'root-fields',
  'errors',
];
const starters = ['src/main.ts', 'src/start.ts', 'src/env.ts', 'src/sweeps.ts', 'src/welcome.ts'];

/** Where a file stands in `kit ← ports ← auth ← domains ← graph/schema ← rest ← main`; what it imports must not stand above it. */
function storeyOf(path: string): number {
  if (path.startsWith('rest/')) return 6;
  const [, folder = '', file = ''] = path.split('/');
  if (!path.includes('/', 4)) return path === 'src/env.ts' ? 2.5 : 7;
  if (folder === 'generated') return 0;
  if (folder === 'kit') return 1;
  if (folder === 'ports') return 2;
  if (folder === 'auth') return 3;
  if (folder === 'graph') return belowDomains.includes(file.replace('.ts', '')) ? 3.5 : 5;
  return 4;
}

const domainOf = (path: string): string | undefined => {
  const [top, folder = '', file] = path.split('/');
  return top === 'src' && file !== undefined && !ground.includes(folder) ? folder : undefined;
};

describe('the import law', () => {
  test('src knows nothing of rest, but for the files that start it', () => {
    expect(
      imports.filter(({ from, to }) => from.startsWith('src/') && to.startsWith('rest/') && !starters.includes(from)),
    ).toEqual([]);
  });

  test('kit ← ports ← auth ← domains ← graph/schema ← rest ← main', () => {
    const upwards = imports.filter(
      ({ from, to, isTypeOnly }) => /^(src|rest)\//.test(to) && !isTypeOnly && storeyOf(to) > storeyOf(from),
    );
    expect(upwards.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test('kit and ports name types of nothing above them but the surroundings', () => {
    const named = imports.filter(
      ({ from, to }) =>
        /^src\/(kit|ports)\//.test(from) &&
        /^(src|rest)\//.test(to) &&
        storeyOf(to) > storeyOf(from) &&
        to !== 'src/env.ts',
    );
    expect(named.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test('no module is imported in a circle at run time within kit, ports and auth', () => {
    const edges = new Map<string, string[]>();
    for (const { from, to, isTypeOnly } of imports)
      if (!isTypeOnly && /^src\/(kit|ports|auth)\//.test(from)) edges.set(from, [...(edges.get(from) ?? []), to]);
    const circles: string[] = [];
    const walk = (path: string, way: string[]): void => {
      if (way.includes(path)) return void circles.push([...way, path].join(' → '));
      for (const next of edges.get(path) ?? []) walk(next, [...way, path]);
    };
    for (const path of edges.keys()) walk(path, []);
    expect(circles).toEqual([]);
  });

  test('a domain reaches another through its operations, or the types and small facts it lends', () => {
    // Of an identity provider its face alone: everything behind that of the embedded one is as foreign as a hosted provider's inside.
    const lent =
      /\/(operations|embedded-idp|types|schema|lifecycle|names|test-cards|card|answer-challenge|process-payment|continue-payment|tokenize-card|create-payment-instrument|vault|secrets|key-ring|jobs|event-types|test-processor|test-books)\.ts$/;
    const reaches = imports.filter(
      ({ from, to }) => domainOf(from) && domainOf(to) && domainOf(from) !== domainOf(to) && !lent.test(to),
    );
    expect(reaches.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  test('policy and lifecycle are pure: no database, graph, HTTP, clock or chance', () => {
    const pure = ours.filter((path) => /\/(policy|lifecycle|auth\/roles)\.ts$/.test(path));
    expect(pure.length).toBeGreaterThan(1);
    for (const path of pure) {
      for (const { to, isTypeOnly } of importsOf(path))
        if (!isTypeOnly)
          expect(`${path} ${to}`).toMatch(
            /\/(policy|lifecycle)\.ts$|src\/auth\/roles\.ts$|src\/kit\/(errors|mode)\.ts$/,
          );
      expect(text(path), path).not.toMatch(/Date\.now|new Date\(\)|Math\.random|process\.|await |performance\./);
    }
  });

  test('no domain asks for the time but by the clock port', () => {
    // The embedded identity provider is a foreign system that lives in this process: it keeps a time of its own, as a hosted one does.
    const domains = ours.filter((path) => domainOf(path) && domainOf(path) !== 'idp');
    expect(matching(domains, /new Date\(\)|Date\.now\(\)/)).toEqual([]);
  });
});

describe('the style', () => {
  test('no file is longer than 300 lines', () => {
    const long = sources
      .filter((path) => ours.includes(path) || path.startsWith('prisma/'))
      .filter((path) => text(path).split('\n').length > 301);
    expect(long).toEqual([]);
  });

  test('no default export but where a tool asks for one', () => {
    const asked = ['prisma.config.ts', 'test/vitest.config.ts', 'test/support/database-server.ts'];
    expect(
      matching(
        sources.filter((path) => !asked.includes(path)),
        /^export default\b/,
      ),
    ).toEqual([]);
  });

  test('no any and no silenced compiler', () => {
    expect(
      matching(ours, /:\s*any\b(?! \w)|\bas any\b|<any>|@ts-(ignore|nocheck|expect-error)|eslint-disable/),
    ).toEqual([]);
  });

  test('types that Node can erase: no enum, namespace, parameter property', () => {
    const namespaceForPlugins = 'src/graph/root-field-guard.ts';
    expect(
      matching(
        ours.filter((path) => path !== namespaceForPlugins),
        /^\s*(export\s+)?(const\s+)?enum\s|^\s*(export\s+)?namespace\s|constructor\((?:[^()]*,\s*)?(private|public|protected|readonly)\s+\w+\s*[:=?]/,
      ),
    ).toEqual([]);
  });

  test('imports of ours end in .ts', () => {
    expect(sources.flatMap(importsOf).filter(({ to, isOurs }) => isOurs && !/\.(ts|mjs)$/.test(to))).toEqual([]);
  });

  test('files are named in lower case with hyphens, and none is a box for everything', () => {
    const named = [...sources, ...tracked.filter((path) => path.endsWith('.graphql'))];
    expect(named.filter((path) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(path.split('/').at(-1) ?? ''))).toEqual([]);
    expect(
      named.filter((path) => /(^|\/)(utils?|helpers?|common|managers?|data|info|misc|types-all)(\/|\.)/.test(path)),
    ).toEqual([]);
  });

  test('no test is skipped, focused, left for later or tried again', () => {
    const skipping = new RegExp(`\\b(test|it|describe)(\\.\\w+)*\\.(skip|only|todo|skipIf|runIf)\\b|\\b${'retry'}:`);
    expect(
      matching(
        sources.filter((path) => path.endsWith('.test.ts') && path !== 'test/tidy.test.ts'),
        skipping,
      ),
    ).toEqual([]);
  });

  test('no test replaces a module of ours', () => {
    expect(
      matching(
        sources.filter((path) => path.startsWith('test/') && path !== 'test/tidy.test.ts'),
        /\bvi\.(mock|spyOn|fn|useFakeTimers)\b/,
      ),
    ).toEqual([]);
  });

  test('nothing is printed past the log, but by the commands themselves', () => {
    expect(matching(ours, /\bconsole\.(log|error|warn|info|debug)\(/)).toEqual([]);
  });

  test('a pool is opened by openPool, which outlives the connections that break', () => {
    expect(
      matching(
        ours.filter((path) => path !== 'src/kit/pool.ts'),
        /\bnew (pg\.)?Pool\(/,
      ),
    ).toEqual([]);
  });

  test('nothing is left for later', () => {
    expect(
      matching(
        sources.filter((path) => path !== 'test/tidy.test.ts'),
        /\b(TODO|FIXME|XXX|HACK)\b/,
      ),
    ).toEqual([]);
  });
});

describe('the repository', () => {
  test('schema.graphql is what the graph prints', () => {
    expect(text('schema.graphql')).toBe(printedSchema());
  });

  test('every migration is a stamp and a sentence, in order, and holds one file', () => {
    const folders = readdirSync(join(root, 'prisma', 'migrations'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    for (const name of folders) {
      expect(name).toMatch(/^\d{14}_[a-z0-9]+(_[a-z0-9]+)+$/);
      expect(readdirSync(join(root, 'prisma', 'migrations', name))).toEqual(['migration.sql']);
    }
    expect(new Set(folders.map((name) => name.slice(0, 14))).size).toBe(folders.length);
  });

  test('every endpoint is one document in the folder of its domain', () => {
    const documents = tracked.filter((path) => /^rest\/(public|plugins|iam)\/.*\.graphql$/.test(path));
    for (const path of documents) {
      const operations = text(path).match(/^(query|mutation)\s+(\w+)/m);
      if (!operations) continue;
      expect(path.split('/').at(-1)).toBe(
        `${(operations[2] ?? '').replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase()}.graphql`,
      );
    }
  });

  test('no path of one machine and no package registry is in a tracked file', () => {
    const texts = tracked.filter(
      (path) =>
        /\.(ts|mjs|js|json|md|graphql|prisma|sql|toml|ya?ml)$|^\.|^\.ci\//.test(path) && path !== 'test/tidy.test.ts',
    );
    const foreign = new RegExp(
      [
        '/(?:home|Users|root)/\\w',
        `/${'work'}/\\w`,
        `/${'tmp'}/(?!\\.)\\w`,
        'registry\\.[a-z]+\\.[a-z]{2,}',
        'artifactory',
        'nexus\\.',
        'localhost:4873',
      ].join('|'),
    );
    expect(matching(texts, foreign)).toEqual([]);
  });

  test('the lock file names no host', () => {
    expect(matching(['package-lock.json'], /"resolved": "https?:\/\//).slice(0, 3)).toEqual([]);
  });

  test('the top level is what the user fixed, and what tools insist on', () => {
    const top = [...new Set(tracked.map((path) => path.split('/')[0] ?? ''))]
      .filter((name) => !name.startsWith('.'))
      .sort();
    expect([
      'LICENSE',
      'README.md',
      'package-lock.json',
      'package.json',
      'prisma',
      'prisma.config.ts',
      'rest',
      'schema.graphql',
      'src',
      'test',
      'tsconfig.json',
    ]).toEqual(expect.arrayContaining(top));
  });

  test('what git leaves out stays out: dependencies, generated code, the platform’s own folder', () => {
    expect(tracked.filter((path) => /^(node_modules|\.platform|src\/generated)\//.test(path))).toEqual([]);
  });

  test('.ci/run can be run', () => {
    expect(statSync(join(root, '.ci/run')).mode & 0o111).not.toBe(0);
  });
});
