import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';
import { seedPartner } from './support/seed.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

let platform: TestPlatform;
let directory: string;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { partnerKey } = await seedPartner(platform);
  directory = mkdtempSync(join(tmpdir(), 'platform-readme-'));
  mkdirSync(join(directory, '.platform'));
  writeFileSync(join(directory, '.platform', 'demo.json'), JSON.stringify({ partnerKeys: { test: partnerKey } }));
});

afterAll(async () => {
  await platform.close();
  rmSync(directory, { recursive: true, force: true });
});

test('the README lines charge a card, read it back and pass a 3DS challenge as they are pasted', async () => {
  const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, lines = '']) => lines);
  const script = blocks.join('\necho\n').replaceAll('http://localhost:4000', platform.url);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: directory });

  const answers = stdout.split(/\n+/).flatMap((line) => line.split(/(?<=\})(?=\{)/)).filter((text) => text !== '').map((text) => JSON.parse(text) as unknown);
  expect(answers).toMatchObject([
    { payment: { status: 'succeeded', capturedAmount: 2500 } },
    { items: [{ amount: 2500, status: 'succeeded' }], total: 1 },
    { status: 'succeeded' },
    { payment: { status: 'succeeded', capturedAmount: 4900 } },
  ]);
});

test('the README names every setting there is, and none besides', () => {
  const config = readFileSync(join(root, 'src/kit/config.ts'), 'utf8');
  const read = [...config.matchAll(/read\.\w+\('([A-Z_]+)'/g)].map(([, name]) => name).sort();
  const told = [...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name).filter((name) => name !== undefined && !/^(NOT_AUTHORIZED|FORBIDDEN)$/.test(name)).sort();
  expect(told).toEqual(read);
});
