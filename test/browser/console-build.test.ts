import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const consoleDir = join(import.meta.dirname, '..', '..', 'console');

function filesIn(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [
        name.slice(0, -'.br'.length),
        brotliDecompressSync(readFileSync(join(folder, name))).toString('utf8'),
      ]),
  );
}

test('console/dist is the build of the present sources: npm run print writes it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'platform-console-'));
  try {
    execFileSync(process.execPath, [join(consoleDir, 'build.ts'), folder], { stdio: 'pipe' });
    const [built, stored] = [filesIn(folder), filesIn(join(consoleDir, 'dist'))];
    expect([...built.keys()]).toEqual([...stored.keys()]);
    expect([...built].filter(([name, text]) => stored.get(name) !== text).map(([name]) => name)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the first load is at most 250 kB with gzip: the page, its script, its styles and the list of payments', () => {
  const files = filesIn(join(consoleDir, 'dist'));
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
