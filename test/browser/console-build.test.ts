import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildConsole } from '../../console/build.ts';

const dist = join(import.meta.dirname, '..', '..', 'console', 'dist');

function stored(): Map<string, string> {
  return new Map(
    readdirSync(dist).map((name) => [
      name.slice(0, -'.br'.length),
      brotliDecompressSync(readFileSync(join(dist, name))).toString('utf8'),
    ]),
  );
}

test('console/dist is the build of the present sources: npm run print writes it', async () => {
  const built = [...(await buildConsole())].map(([name, text]): [string, string] => [
    name.replace('assets/', ''),
    text,
  ]);
  expect(Object.fromEntries(stored())).toEqual(Object.fromEntries(built));
});

test('the first load is at most 250 kB with gzip: the page, its script, its styles and the list of payments', () => {
  const files = stored();
  const page = files.get('index.html') ?? '';
  const names = [...page.matchAll(/assets\/([\w.-]+)/g)].map(([, name = '']) => name);
  const payments = [...files.keys()].filter((name) => /^payments-.*\.js$/.test(name));
  const imported = payments.flatMap((name) =>
    [...(files.get(name) ?? '').matchAll(/"\.\/([\w.-]+\.js)"/g)].map(([, file = '']) => file),
  );
  const loaded = new Set(['index.html', ...names, ...payments, ...imported]);
  const bytes = [...loaded].reduce((sum, name) => sum + gzipSync(files.get(name) ?? '').length, 0);
  expect(names.length).toBeGreaterThan(1);
  expect(bytes).toBeLessThanOrEqual(250_000);
});
