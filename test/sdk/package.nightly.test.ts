// guards: sdk/src sdk/examples sdk/package.json sdk/README.md
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Platform } from '../../sdk/src/index.ts';
import { installPackedSdk, type PackedSdk } from '../support/packed-sdk.ts';
import { startTestPlatform, type TestPlatform } from '../support/platform.ts';
import { freePort } from '../support/ports.ts';
import { type SeededPartner, seedPartner } from '../support/seed.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The code blocks of a page: the files that it names, and the TypeScript of one reader, in order. */
function blocksOf(page: string): { files: Map<string, string>; typescript: string } {
  const blocks = [...read(page).matchAll(/```(js|ts)(?: ([\w.-]+))?\n(.*?)```/gs)];
  const files = new Map(blocks.flatMap(([, , name, text = '']) => (name === undefined ? [] : [[name, text] as const])));
  const typescript = blocks.flatMap(([, language, , text = '']) => (language === 'ts' ? [text] : [])).join('\n');
  return { files, typescript };
}
const readme = blocksOf('sdk/README.md');
const examples = readdirSync(join(root, 'sdk', 'examples'));
const sample = 'docs/samples/card-fields';

let server: TestPlatform;
let partner: SeededPartner;
let project: PackedSdk;
let env: Record<string, string>;

beforeAll(async () => {
  [server, project] = await Promise.all([
    startTestPlatform({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' }, jobs: true }),
    installPackedSdk(),
  ]);
  partner = await seedPartner(server);
  const { subKey } = await partner.account();
  env = { PLATFORM_URL: server.url, PARTNER_KEY: partner.partnerKey, SUB_KEY: subKey };
  for (const [name, text] of readme.files) project.write(name, text);
  project.write('readme.ts', readme.typescript);
  project.write('guide.ts', blocksOf('docs/guides/sdk.md').typescript);
  for (const name of examples) project.write(name, read(`sdk/examples/${name}`));
  for (const name of readdirSync(join(root, sample))) project.write(name, read(`${sample}/${name}`));
});
afterAll(async () => {
  project?.remove();
  await server?.close();
});

describe('the package', () => {
  test('publint and attw find nothing, but that require() gives the ECMAScript module', async () => {
    const data = readFileSync(project.tarball);
    const pkgDir = join(project.folder, 'node_modules', '@partner-payments', 'sdk');
    expect((await publint({ pkgDir, pack: false })).messages).toEqual([]);
    const checked = await checkPackage(createPackageFromTarballData(data));
    const problems = checked.types ? checked.problems.map(({ kind }) => kind) : ['no types'];
    expect(problems.filter((kind) => kind !== 'CJSResolvesToESM')).toEqual([]);
  });

  test('has the built files alone, one dependency, and nothing that only Node has', () => {
    const folder = join(project.folder, 'node_modules', '@partner-payments', 'sdk');
    expect(readdirSync(folder).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    expect(Object.keys(JSON.parse(read('sdk/package.json')).dependencies)).toEqual(['standardwebhooks']);
    const built = readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.js'));
    expect(built.length).toBeGreaterThan(10);
    const imported = built.flatMap((name) =>
      [...readFileSync(join(folder, 'dist', name), 'utf8').matchAll(/from '([^']+)'/g)].map(
        ([, target = '']) => target,
      ),
    );
    expect([...new Set(imported.filter((target) => !target.startsWith('./')))]).toEqual(['standardwebhooks']);
    const text = built.map((name) => readFileSync(join(folder, 'dist', name), 'utf8')).join('\n');
    expect(text).not.toMatch(/\bBuffer\b|__dirname|\bprocess\.env\b|node:/);
  });

  test('loads by import and by require()', async () => {
    project.write('module.mjs', "import { Platform } from '@partner-payments/sdk'; console.log(typeof Platform.test);");
    project.write(
      'common.cjs',
      "const { Platform } = require('@partner-payments/sdk'); console.log(typeof Platform.test);",
    );
    expect(await Promise.all([project.run('module.mjs'), project.run('common.cjs')])).toEqual([
      'function\n',
      'function\n',
    ]);
  });

  test('types its README and its examples, and what a mode does not have is an error', async () => {
    project.write(
      'wrong.ts',
      `import { Platform } from '@partner-payments/sdk';
       const live = Platform.live('', { baseUrl: '' });
       // @ts-expect-error A live client has no test clocks.
       live.testClocks;
       // @ts-expect-error Nor has one of which the mode is not known.
       new Platform({ apiKey: '', baseUrl: '' }).testDisputes;
       // @ts-expect-error An amount is a number.
       live.payments.process({ paymentInstrumentId: 'pi_1', amount: '25.00', currency: 'USD' });
       // @ts-expect-error The field does not exist.
       live.payments.capture({ paymentId: 'pay_1', amuont: 1 });
       // @ts-expect-error A payment has an identifier.
       live.payments.get();
       live.customers.list({ filters: { email: { condition: 'is', value: 'x' } } });`,
    );
    const options = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      allowImportingTsExtensions: true,
      target: 'es2024',
      typeRoots: [join(root, 'node_modules', '@types')],
      types: ['node'],
    };
    project.write('tsconfig.json', JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const checked = promisify(execFile)(tsc, ['-p', '.'], { cwd: project.folder });
    expect((await checked.catch((error: { stdout: string }) => error)).stdout).toBe('');
  });
});

describe('what is written to be read runs as it is, with the installed package', () => {
  test('the README: a shop server, which charges once however often it is asked', async () => {
    const opened = await project.run('open-account.mjs', env);
    const [, SUB_KEY = ''] = /^SUB_KEY=(tp_sk_test_\w+)\n$/.exec(opened) ?? [];
    const PORT = String(await freePort());
    const shop = spawn(process.execPath, ['shop.mjs'], {
      cwd: project.folder,
      env: { ...env, SUB_KEY, PORT },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(shop.stdout, 'data');
      const pay = async (token: string): Promise<unknown> =>
        (
          await fetch(`http://localhost:${PORT}/pay`, {
            method: 'POST',
            body: JSON.stringify({ order: '1001', token, email: 'ada@example.com' }),
          })
        ).json();
      const first = await pay('tok_visa');
      expect(first).toEqual({ id: expect.stringMatching(/^pay_/), status: 'succeeded', failureCode: null });
      expect(await pay('tok_visa')).toEqual(first);
      expect(await pay('tok_visa_declined')).toMatchObject({ status: 'declined', failureCode: 'card_declined' });
    } finally {
      shop.kill();
    }
  });

  test('the README: its snippets, one after the other', async () => {
    const printed = await project.run('readme.ts', env);
    expect(printed).toContain('CONFLICT invalid_state req_');
    expect(printed.trimEnd().split('\n').at(-1)).toBe('2500');
  });

  test('the guide', async () => {
    expect(await project.run('guide.ts', env)).toBe('succeeded\n');
  });

  test('the sample shop with card fields: a visitor has a session, and two clicks are one charge', async () => {
    const PORT = String(await freePort());
    const PLATFORM_KEY = (await partner.account()).subKey;
    const shop = spawn(process.execPath, ['start.ts'], {
      cwd: project.folder,
      env: { ...env, PLATFORM_KEY, PORT },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [address] = (await once(shop.stdout, 'data')) as [Buffer];
      expect(String(address)).toBe(`http://localhost:${PORT}\n`);
      const page = await fetch(`http://localhost:${PORT}/`);
      const Cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const ask = async (path: string, body?: object): Promise<unknown> =>
        (
          await fetch(`http://localhost:${PORT}${path}`, {
            headers: { Cookie },
            ...(body && { method: 'POST', body: JSON.stringify(body) }),
          })
        ).json();
      expect(await ask('/state')).toMatchObject({ status: 'new', clientSecret: expect.any(String) });
      expect(await ask('/pay', { token: 'tok_visa_declined' })).toMatchObject({ status: 'declined' });
      expect(await Promise.all([ask('/pay', { token: 'tok_visa' }), ask('/pay', { token: 'tok_visa' })])).toEqual([
        { status: 'succeeded' },
        { status: 'succeeded' },
      ]);
      const payments = Platform.test(PLATFORM_KEY, { baseUrl: server.url }).payments;
      expect(await payments.list({ filters: { status: ['succeeded'] } })).toMatchObject({ total: 1 });
    } finally {
      shop.kill();
    }
  });

  test('the merchant', async () => {
    expect(await project.run('merchant.ts', env)).toBe(
      [
        'charged 2500 again: the stored answer',
        'captured 3000 of 5000',
        'refused: invalid_state',
        'succeeded 3000 USD',
        'partially_refunded 1250 USD\n',
      ].join('\n'),
    );
  });

  test('the marketplace, which can be run again after a stop in the middle', async () => {
    const printed = [
      'active with 10 requirements',
      'charged 2500 for Corner Shop Ltd',
      'the latest is of this seller',
      'tp_sk_test_ revoked\n',
    ].join('\n');
    expect(await project.run('marketplace.ts', env)).toBe(printed);
    expect(await project.run('marketplace.ts', env)).toContain('the latest is of this seller');
    expect(await server.services.prisma.processingAccount.count({ where: { externalRef: 'seller-17' } })).toBe(1);
  });

  test('the subscription business', { timeout: 240_000 }, async () => {
    expect(await project.run('subscriptions.ts', env)).toBe(
      'subscribed: active\na year later: 12 renewals, 24700 cents\ncanceled: canceled\n',
    );
  });

  test('the receiver, which refuses what the platform did not send', async () => {
    const account = await partner.account();
    const url = `http://127.0.0.1:${await freePort()}/hook`;
    const receiver = spawn(process.execPath, ['receiver.ts'], {
      cwd: project.folder,
      env: { ...env, SUB_KEY: account.subKey, RECEIVER_URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    try {
      await once(receiver.stdout, 'data');
      const printed = once(receiver.stdout, 'data');
      const { payment } = await account.charge();
      expect(String((await printed)[0])).toBe(`ship ${String(payment['id'])} 2500\n`);
      expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
    } finally {
      receiver.kill();
    }
  });
});
