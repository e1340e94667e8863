import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** The rules of docs/architecture.md, "The tree". The linter holds that no modules import each other in a circle. */
const root = join(import.meta.dirname, '..');
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const tracked = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'rest'], { cwd: root });
const files = `${tracked}`.split('\n').filter((path) => /\.(ts|mjs)$/.test(path) && existsSync(join(root, path)));
const imports = files.flatMap((from) =>
  [...text(from).matchAll(/^(?:import|export)\s(type\s)?(?:[^'"`;]*?\sfrom\s)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm)]
    .map(([, type, now, late = '']) => ({
      from,
      to: normalize(join(dirname(from), now ?? late)),
      isType: !!type,
      late,
    }))
    .filter(({ to }) => !to.startsWith('src/generated/')),
);
const wrong = (isWrong: (one: (typeof imports)[number]) => boolean): string[] =>
  imports.filter(isWrong).map(({ from, to }) => `${from} imports ${to}`);

/** The rows of the table: folders and files, the lowest first. */
const rows = [...text('docs/architecture.md').matchAll(/^\| `((?:src|rest)\/[^`]*)` \|/gm)].map(([, row = '']) => row);
const rowOf = (path: string): number =>
  rows.findIndex((row) => path === row || (row.endsWith('/') && path.startsWith(row)));
const domainOf = (path: string): string | undefined => /^src\/(?:domains\/[^/]+|iam|operators)\//.exec(path)?.[0];

test('every file has a row in the table of folders, and every row has files', () => {
  expect(files.filter((path) => rowOf(path) === -1)).toEqual([]);
  expect(rows.filter((row) => !files.some((path) => path.startsWith(row)))).toEqual([]);
});

test('a folder imports itself and the rows above it, and types of what describes the whole platform', () => {
  const isAllowed = ({ to, isType, late }: (typeof imports)[number]): boolean =>
    isType ? /^src\/(domain|registry|services)\.ts$/.test(to) : late !== '' && to.startsWith('src/local/');
  expect(wrong((one) => rowOf(one.to) > rowOf(one.from) && !isAllowed(one))).toEqual([]);
});

test('only what composes a server imports an adapter, and an adapter imports nothing that describes the platform', () => {
  const composes = /^src\/(adapters|operating|local|cli)\/|^src\/(services|server|workers)\.ts$/;
  expect(wrong(({ from, to, isType }) => to.startsWith('src/adapters/') && !composes.test(from) && !isType)).toEqual(
    [],
  );
  expect(wrong(({ from, to }) => from.startsWith('src/adapters/') && /^src\/[a-z]+\.ts$/.test(to))).toEqual([]);
});

test('a domain is imported by its public.ts, which it does not use itself; the registry imports its domain.ts', () => {
  const composes = /^src\/(operating|local|cli)\/|^src\/(server|registry)\.ts$/;
  const isForeign = ({ from, to }: { from: string; to: string }): boolean =>
    domainOf(to) !== undefined && domainOf(to) !== domainOf(from) && !composes.test(from);
  expect(wrong((one) => isForeign(one) && !one.to.endsWith('/public.ts'))).toEqual([]);
  expect(wrong(({ from, to }) => to === `${domainOf(from)}public.ts`)).toEqual([]);
});

test('a file of at most 25 lines has several importers, and a folder has at most 25 files', () => {
  // Manifests, what a domain makes public, programs, threads; lazy-stripe.ts keeps the vendor's client out of a start.
  const alone = /\/(domain|public|print-openapi|lazy-stripe)\.ts$|^src\/cli\/|-(worker|thread)\.ts$/;
  const isSmall = (path: string): boolean => !alone.test(path) && text(path).split('\n').length <= 26;
  const importers = (path: string): number =>
    new Set(imports.filter(({ to }) => to === path).map(({ from }) => from)).size;
  expect(files.filter((path) => isSmall(path) && importers(path) < 2)).toEqual([]);
  const folders = Map.groupBy(
    files.filter((path) => !path.startsWith('src/cli/')),
    dirname,
  );
  expect([...folders].filter(([, inside]) => inside.length > 25).map(([folder]) => folder)).toEqual([]);
});
