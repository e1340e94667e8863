// guards: src/cli/install.mjs src/cli/run-with-progress.mjs src/cli/generate-client.mjs package.json
// cspell:ignore cmdline pids

import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
let clone: string;

// A clone with an npm of the test, which begins an installation and, with a process that it starts, never ends it.
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'platform-install-'));
  for (const path of ['package.json', 'package-lock.json', 'prisma/schema', 'src/cli/install.mjs'])
    cpSync(join(root, path), join(clone, path), { recursive: true });
  cpSync(join(root, 'src/cli/run-with-progress.mjs'), join(clone, 'src/cli/run-with-progress.mjs'));
  mkdirSync(join(clone, 'bin'));
  const npm = join(clone, 'bin', 'npm');
  writeFileSync(npm, '#!/bin/sh\nmkdir -p node_modules/one\nsleep 600 &\necho $$ $! > pids\nwait\n');
  chmodSync(npm, 0o755);
});
afterEach(() => rmSync(clone, { recursive: true, force: true }));

test.each([
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
] as const)('%s during the installation ends it with 1 and a line, and npm with what it started', async (signal) => {
  const install = spawn(process.execPath, ['src/cli/install.mjs'], {
    cwd: clone,
    env: { PATH: `${join(clone, 'bin')}:${dirname(process.execPath)}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [install.stdout, install.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const exited = new Promise<number | null>((resolve) => install.once('exit', resolve));
  const file = join(clone, 'pids');
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+ \d+\n$/);
  const pids = readFileSync(file, 'utf8').trim().split(' ');
  install.kill(signal);
  expect(await exited).toBe(1);
  expect(output).toMatch(/^Installing \d+ packages \(npm ci\)\.\n/);
  expect(output).toContain(`The installation was interrupted by ${signal}. The next start completes it.`);
  const runs = (pid: string): boolean => existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`).length > 0;
  await expect.poll(() => pids.filter(runs)).toEqual([]);
});

test('where the Node of the machine is too old, another is installed without the headers for add-ons', async () => {
  // The client is not generated here.
  writeFileSync(join(clone, 'src/cli/generate-client.mjs'), '');
  cpSync(join(root, 'src/cli/node'), join(clone, 'src/cli/node'), { recursive: true });
  const folder = `node_modules/node-linux-${process.arch}`;
  const made = [
    `mkdir -p node_modules/.bin ${folder}/bin ${folder}/include/node`,
    `ln -s ${process.execPath} ${folder}/bin/node`,
    'touch node_modules/.package-lock.json',
  ];
  writeFileSync(join(clone, 'bin', 'npm'), `#!/bin/sh\n${made.join('\n')}\n`);
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })';
  const install = spawn(process.execPath, ['--import', `data:text/javascript,${older}`, 'src/cli/install.mjs'], {
    cwd: clone,
    env: { PATH: `${join(clone, 'bin')}:${process.env['PATH']}` },
    stdio: 'ignore',
  });
  expect(await new Promise((resolve) => install.once('exit', resolve))).toBe(0);
  expect(readdirSync(join(clone, '.node', folder))).toEqual(['bin']);
});
