// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
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

test('every component of Mantine that a script shows has its styles: mantine.css names them', () => {
  const files = [...filesIn(join(consoleDir, 'dist'))];
  const textOf = (ending: string): string =>
    files
      .filter(([name]) => name.endsWith(ending))
      .map(([, text]) => text)
      .join('\n');
  const [scripts, styles] = [textOf('.js'), textOf('.css')];
  const whole = readFileSync(join(consoleDir, '..', 'node_modules', '@mantine', 'core', 'styles.css'), 'utf8');
  const classes = [...new Set([...whole.matchAll(/\.(m_[0-9a-f]+)/g)].map(([, name = '']) => name))];
  const shown = classes.filter((name) => scripts.includes(name));
  expect(shown.length).toBeGreaterThan(100);
  expect(shown.filter((name) => !styles.includes(name))).toEqual([]);
});

test('the console is at most 15 files, one of them its styles', () => {
  const names = [...filesIn(join(consoleDir, 'dist')).keys()];
  expect(names.length).toBeLessThanOrEqual(15);
  expect(names.filter((name) => name.endsWith('.css'))).toHaveLength(1);
});

test('the first load is at most 250 kB with gzip: the page, its script, its styles, the overview and the list of payments', () => {
  const files = filesIn(join(consoleDir, 'dist'));
  const loaded = new Map<string, string>();
  /** A file with all that it imports, but for what it imports later. */
  const load = (name: string): void => {
    const text = files.get(name);
    if (text === undefined || loaded.has(name)) return;
    loaded.set(name, text);
    if (name.endsWith('.js'))
      for (const [, file = ''] of text.matchAll(/(?:from|import)\s*["`]\.\/([\w.-]+\.js)["`]/g)) load(file);
  };
  load('index.html');
  for (const [, name = ''] of (files.get('index.html') ?? '').matchAll(/assets\/([\w.-]+)/g)) load(name);
  const texts = [...loaded.values()].join('\n');
  for (const page of ['Payments', 'Waiting']) expect(texts.includes(`query ${page}(`), page).toBe(true);
  const bytes = [...loaded.values()].reduce((sum, text) => sum + gzipSync(text).length, 0);
  expect(bytes).toBeLessThanOrEqual(250_000);
});
