import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../src/kit/embedded-postgres.ts';
import { deliverWebhooks } from '../src/webhooks/jobs.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';
import { type SeededPartner, seedPartner } from './support/seed.ts';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

let platform: TestPlatform;
let directory: string;
let partner: SeededPartner;

beforeAll(async () => {
  platform = await startTestPlatform({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  partner = await seedPartner(platform);
  const superadmin = { email: 'superadmin@demo.example.com', password: 'aPasswordOfTheDemo1' };
  const hubadmin = { email: 'hubadmin@demo.example.com', password: 'anotherPasswordOfTheDemo2' };
  await platform.idp.createUser({ ...superadmin, platformRoles: ['superadmin'], whitelabelOwnership: null });
  await platform.idp.createUser({ ...hubadmin, platformRoles: ['hubadmin'], whitelabelOwnership: null });
  const live = await seedPartner(platform, 'live', partner.id);
  await platform.idp.flush();
  directory = mkdtempSync(join(tmpdir(), 'platform-readme-'));
  mkdirSync(join(directory, '.platform'));
  writeFileSync(
    join(directory, '.platform', 'demo.json'),
    `${JSON.stringify({ partnerKeys: { test: partner.partnerKey, live: live.partnerKey }, users: [superadmin, hubadmin] }, null, 2)}\n`,
  );
});

afterAll(async () => {
  await platform.close();
  rmSync(directory, { recursive: true, force: true });
});

test('the README lines do what it says of them as they are pasted', async () => {
  const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, lines = '']) => lines);
  // Whoever watches the year arrive pastes its lines once more.
  const pasted = blocks.flatMap((block) => (block.includes('"A year"') ? [block, block] : [block]));
  const script = pasted.join('\necho\n').replaceAll('http://localhost:4000', platform.url);
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: directory });

  const answers = stdout
    .split(/\n+/)
    .flatMap((line) => line.split(/(?<=\})(?=\{)/))
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as unknown);
  const year = () => [
    { customer: { testClockId: expect.stringMatching(/^clock_/) } },
    { status: 'ready', now: '2027-01-31T10:00:00.000Z' },
    {
      total: 13,
      items: Array.from({ length: 13 }, () => expect.objectContaining({ amount: 1900, status: 'succeeded' })),
    },
    { total: 26 },
  ];
  expect(answers).toMatchObject([
    { payment: { status: 'succeeded', capturedAmount: 2500 } },
    { items: [{ amount: 2500, status: 'succeeded' }], total: 1 },
    { payment: { status: 'succeeded', subStatus: 'captured', amount: 5000, capturedAmount: 3000 } },
    { refund: { amount: 1000, status: 'succeeded' }, payment: { status: 'partially_refunded', refundedAmount: 1000 } },
    { payment: { status: 'failed', subStatus: 'voided' } },
    { payment: { status: 'succeeded' } },
    { amount: 2500, status: 'paid' },
    { payment: { status: 'declined', failureCode: 'blocked_by_rule' } },
    { deleted: true },
    { goesTo: expect.stringMatching(/^https:\/\/shop\.example\.com\/back\?status=success/) },
    ...year(),
    ...year(),
    { status: 'succeeded' },
    { payment: { status: 'succeeded', capturedAmount: 4900 } },
    { fromStepId: 'start', currentStepId: 'pay', done: false },
    { fromStepId: 'pay', currentStepId: 'thanks', done: true },
    {
      sessions: 1,
      converted: 1,
      revenue: [{ currency: 'USD', amount: 4900 }],
      steps: [
        { stepId: 'start', views: 1 },
        { stepId: 'pay', conversions: 1 },
        { stepId: 'thanks', views: 1 },
      ],
    },
    { amount: 1000, status: 'won' },
    { items: [{ status: 'won' }], total: 1 },
    {
      payment: { status: 'succeeded', capturedAmount: 1900 },
      transactions: [{ status: 'failed' }, { status: 'succeeded' }],
    },
    { name: 'Works', options: { declineRate: 1, declineCode: 'lost_card' } },
    {
      payment: { status: 'declined', failureCode: 'lost_card' },
      transactions: [{ status: 'failed' }, { status: 'declined' }],
    },
    { status: 'ready', now: '2027-01-09T00:00:00.000Z', stepsDone: 1 },
    { payment: { status: 'failed', subStatus: 'expired', updatedAt: '2027-01-08T00:00:00.000Z' } },
    { ok: true, alias: 'shop', basePath: '/' },
    { ok: true, config: { color: '#c2185b' } },
    { config: { color: '#c2185b' }, page: { path: '/checkout', name: null } },
    { ok: true, presets: ['default'] },
    { ok: true, config: { color: '#1a56db' } },
    { rows: expect.arrayContaining([expect.objectContaining({ email: 'superadmin@demo.example.com' })]), total: 2 },
    { data: { operatorPayments: { total: 36, items: [{ status: 'succeeded' }, { status: 'succeeded' }] } } },
    { kybStatus: 'submitted', platformAccountId: expect.stringMatching(/^tpa_/) },
    { code: 'FORBIDDEN', data: { reason: 'account_not_active' } },
    {
      data: {
        revealKyb: {
          requirements: expect.arrayContaining([
            { value: 'what a reviewer reads', requirement: { code: 'business.mcc' } },
          ]),
        },
      },
    },
    { data: { approveKyb: { account: { status: 'active', kybStatus: 'approved' } } } },
    { payment: { status: 'failed', failureCode: 'no_processor' } },
  ]);
});

test('the receiver in the README verifies an event', async () => {
  const port = await freePort();
  const { api } = await partner.account();
  const { id, secret } = await api.ok('/webhooks', {
    url: `http://127.0.0.1:${port}/hook`,
    eventTypes: ['payment/succeeded'],
  });
  const [, source = ''] = readme.match(/```js\n(.*?)```/s) ?? [];
  const listening = source.replace('.listen(4400)', `.listen(${port}, () => console.log('up'))`);
  const receiver = spawn(process.execPath, ['--input-type=module', '-e', listening], {
    cwd: root,
    env: { WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(receiver.stdout, 'data');
    const told = once(receiver.stdout, 'data');
    const { eventId } = await api.ok(`/webhooks/${id}/test`, {});
    await deliverWebhooks(platform.env);
    expect(String((await told)[0])).toBe(`${eventId} webhook/test ${id}\n`);
    expect((await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: '{}' })).status).toBe(400);
  } finally {
    receiver.kill();
  }
});

test('the README names every setting there is, and none besides', () => {
  const config = readFileSync(join(root, 'src/kit/config.ts'), 'utf8');
  const read = [...config.matchAll(/read\.\w+\('([A-Z_]+)'/g)].map(([, name]) => name).sort();
  const told = [...readme.matchAll(/^\| `([A-Z_]+)` \|/gm)]
    .map(([, name]) => name)
    .filter((name) => name !== undefined && !/^(NOT_AUTHORIZED|FORBIDDEN)$/.test(name))
    .sort();
  expect(told).toEqual(read);
});
