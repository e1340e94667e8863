// guards: src/main.ts src/local/banner.ts src/cli/install.mjs src/local package.json README.md docs/getting-started.md
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dropDatabase, freshDatabase } from '../../support/database.ts';
import { freePort } from '../../support/ports.ts';
import { newSecrets } from '../../support/server-process.ts';

test.each([
  'SIGTERM',
  'SIGINT',
  'SIGHUP',
] as const)('%s to the process of npm stops the server, which does not go on without it', async (signal) => {
  const databaseUrl = await freshDatabase();
  const port = await freePort();
  // Without scripts: the packages are installed.
  const npm = spawn('npm', ['start', '--ignore-scripts'], {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      ...newSecrets(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const exited = new Promise((resolve) => npm.once('exit', resolve));
  // Both streams end when no process holds them any more: npm's shell and the server, too.
  const closed = new Promise((resolve) => npm.once('close', resolve));
  try {
    await expect.poll(() => output, { timeout: 50_000 }).toContain('is running.');
    expect((await fetch(`http://127.0.0.1:${port}/health/live`)).status).toBe(200);
    npm.kill(signal);
    await Promise.all([exited, closed]);
    expect(output).toContain('The platform has stopped.');
    await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
  } finally {
    npm.kill('SIGKILL');
    await dropDatabase(databaseUrl);
  }
});
