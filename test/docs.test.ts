import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kybCodes } from '../src/domains/accounts/kyb/lifecycle.ts';
import { failureCodes } from '../src/domains/payments/payment/lifecycle.ts';
import { deliverWebhooks } from '../src/domains/webhooks/deliveries/jobs.ts';
import { testCards } from '../src/ports/test-processor.ts';
import { eventTypes } from '../src/registry.ts';
import {
  answersOf,
  blocksOf,
  brokenLinks,
  citedSections,
  missingPaths,
  pages,
  shellBlocks,
  textOf,
} from './support/documents.ts';
import { startTestPlatform, type TestPlatform } from './support/platform.ts';
import { freePort } from './support/ports.ts';
import { type SeededPartner, seedPartner } from './support/seed.ts';

const root = join(import.meta.dirname, '..');
const superadmin = { email: 'superadmin@demo.example.com', password: 'aPasswordOfTheDemo1' };
const hubadmin = { email: 'hubadmin@demo.example.com', password: 'anotherPasswordOfTheDemo2' };

let platform: TestPlatform;
let partner: SeededPartner;
/** The environment of a shell in the repository after a first start. */
let directory: string;

beforeAll(async () => {
  platform = await startTestPlatform({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  partner = await seedPartner(platform);
  await platform.idp.createUser({ ...superadmin, platformRoles: ['superadmin'], whitelabelOwnership: null });
  await platform.idp.createUser({ ...hubadmin, platformRoles: ['hubadmin'], whitelabelOwnership: null });
  const live = await seedPartner(platform, 'live', partner.id);
  await platform.idp.flush();
  directory = mkdtempSync(join(tmpdir(), 'platform-docs-'));
  mkdirSync(join(directory, '.platform'));
  mkdirSync(join(directory, 'docs'));
  const demo = { partnerKeys: { test: partner.partnerKey, live: live.partnerKey }, users: [superadmin, hubadmin] };
  writeFileSync(join(directory, '.platform', 'demo.json'), `${JSON.stringify(demo, null, 2)}\n`);
  writeFileSync(join(directory, 'docs', 'setup.sh'), atThisPlatform(textOf('docs/setup.sh')));
});

afterAll(async () => {
  await platform.close();
  rmSync(directory, { recursive: true, force: true });
});

const atThisPlatform = (script: string): string => script.replaceAll('http://localhost:4000', platform.url);

async function run(script: string): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)('bash', ['-euo', 'pipefail', '-c', atThisPlatform(script)], { cwd: directory });
}

/** The output of a new terminal into which the blocks of one page are pasted in order. */
async function pasted(page: string, blocks = shellBlocks(page)): Promise<unknown[]> {
  return answersOf((await run(blocks.join('\necho\n'))).stdout);
}

describe('each page runs as pasted and returns the documented output', () => {
  test('README', async () => {
    expect(await pasted('README.md')).toMatchObject([{ payment: { status: 'succeeded', capturedAmount: 2500 } }]);
  });

  test('getting started', async () => {
    expect(await pasted('docs/getting-started.md')).toMatchObject([
      { ok: true, mode: 'test', keyKind: 'sub', platformAccountId: expect.stringMatching(/^tpa_/) },
      { payment: { status: 'succeeded', capturedAmount: 2500 } },
      { items: [{ amount: 2500, status: 'succeeded' }], total: 1 },
      { payment: { status: 'declined', failureCode: 'card_declined' } },
      { code: 'INPUT_PARSE_ERROR', data: { issues: [{ path: 'currency' }] } },
      { data: { payments: { total: 2, items: [{ status: 'declined' }, { status: 'succeeded' }] } } },
    ]);
  });

  test('payments', async () => {
    expect(await pasted('docs/guides/payments.md')).toMatchObject([
      { payment: { status: 'succeeded', subStatus: 'captured', amount: 5000, capturedAmount: 3000 } },
      {
        refund: { amount: 1000, status: 'succeeded' },
        payment: { status: 'partially_refunded', refundedAmount: 1000 },
      },
      { payment: { status: 'failed', subStatus: 'voided' } },
      { payment: { status: 'succeeded' } },
      { amount: 2500, status: 'paid' },
      { payment: { status: 'declined', failureCode: 'blocked_by_rule' } },
      { deleted: true },
      { status: 'succeeded' },
      { payment: { status: 'succeeded', capturedAmount: 4900 } },
      { amount: 1000, status: 'won' },
      { items: [{ status: 'won' }], total: 1 },
    ]);
  });

  test('card fields', async () => {
    expect(await pasted('docs/guides/card-fields.md')).toMatchObject([
      { status: 'open', amount: 4900, origins: ['http://localhost:4300'] },
      { payment: { status: 'pending', requireAction: 'threeds_auth' } },
    ]);
  });

  test('subscriptions, whose year can be pasted again', { timeout: 180_000 }, async () => {
    const blocks = shellBlocks('docs/guides/subscriptions.md');
    const year = blocks.filter((block) => block.includes('"A year"'));
    expect(year).toHaveLength(1);
    const answered = [
      { customer: { testClockId: expect.stringMatching(/^clock_/) } },
      { status: 'ready', now: '2027-01-31T10:00:00.000Z' },
      {
        total: 13,
        items: Array.from({ length: 13 }, () => expect.objectContaining({ amount: 1900, status: 'succeeded' })),
      },
      { total: 26 },
    ];
    const requested = {
      items: [{ data: { object: { status: 'past_due', actionRequired: { reason: 'authentication' } } } }],
    };
    const answers = await pasted('docs/guides/subscriptions.md', [...blocks, ...year]);
    expect(answers).toMatchObject([...answered, requested, ...answered]);
    const { items: events } = answers[3] as { items: { type: string }[] }; // matched above
    const renewals = ['subscription/rebillUpcoming', 'subscription/rebillSucceeded'];
    expect(renewals.map((renewal) => events.filter(({ type }) => type === renewal).length)).toEqual([12, 12]);
  });

  test('test clocks', async () => {
    expect(await pasted('docs/guides/test-clocks.md')).toMatchObject([
      { status: 'ready', now: '2027-01-09T00:00:00.000Z', stepsDone: 1 },
      { payment: { status: 'failed', subStatus: 'expired', updatedAt: '2027-01-08T00:00:00.000Z' } },
    ]);
  });

  test('plugins and funnels', async () => {
    expect(await pasted('docs/guides/plugins-and-funnels.md')).toMatchObject([
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
      { ok: true, alias: 'shop', basePath: '/' },
      { ok: true, config: { color: '#c2185b' } },
      { config: { color: '#c2185b' }, page: { path: '/checkout', name: null } },
      { ok: true, presets: ['default'] },
      { ok: true, config: { color: '#1a56db' } },
    ]);
  });

  test('people', async () => {
    const { charge } = await partner.account();
    for (let charges = 0; charges < 2; charges += 1) await charge();
    const total = await platform.services.prisma.payment.count({ where: { mode: 'test' } });
    expect(await pasted('docs/guides/people.md')).toMatchObject([
      { rows: expect.arrayContaining([expect.objectContaining({ email: superadmin.email })]), total: 2 },
      { data: { payments: { total, items: [{ status: 'succeeded' }, { status: 'succeeded' }] } } },
    ]);
  });

  test('KYB', async () => {
    const values = expect.arrayContaining([{ code: 'business.mcc', value: 'what a reviewer reads' }]);
    expect(await pasted('docs/guides/kyb.md')).toMatchObject([
      { kybStatus: 'submitted', platformAccountId: expect.stringMatching(/^tpa_/) },
      { code: 'FORBIDDEN', data: { reason: 'account_not_active' } },
      { data: { revealKyb: { requirements: values } } },
      { data: { approveKyb: { account: { status: 'active', kybStatus: 'approved' } } } },
      { payment: { status: 'failed', failureCode: 'no_processor' } },
    ]);
  });

  test('processors and flows', async () => {
    expect(await pasted('docs/guides/processors-and-flows.md')).toMatchObject([
      {
        payment: { status: 'succeeded', capturedAmount: 1900 },
        transactions: [{ status: 'failed' }, { status: 'succeeded' }],
      },
      { name: 'Works', options: { declineRate: 1, declineCode: 'lost_card' } },
      {
        payment: { status: 'declined', failureCode: 'lost_card' },
        transactions: [{ status: 'failed' }, { status: 'declined' }],
      },
      { goesTo: expect.stringMatching(/^https:\/\/shop\.example\.com\/back\?status=success/) },
    ]);
  });

  test('webhooks: its receiver verifies an event', async () => {
    const port = await freePort();
    const { api } = await partner.account();
    const { id, secret } = await api.ok('/webhooks', {
      url: `http://127.0.0.1:${port}/hook`,
      eventTypes: ['payment/succeeded'],
    });
    const [, source = ''] = textOf('docs/guides/webhooks.md').match(/```js\n(.*?)```/s) ?? [];
    const listening = source.replace('.listen(4400)', `.listen(${port}, () => console.log('up'))`);
    const receiver = spawn(process.execPath, ['--input-type=module', '-e', listening], {
      cwd: root,
      env: { WEBHOOK_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(receiver.stdout, 'data');
      const printed = once(receiver.stdout, 'data');
      const { eventId } = await api.ok(`/webhooks/${id}/test`, {});
      await deliverWebhooks(platform.services);
      expect(String((await printed)[0])).toBe(`${eventId} webhook/test ${id}\n`);
      expect((await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: '{}' })).status).toBe(400);
    } finally {
      receiver.kill();
    }
  });

  test('every page with shell examples is tested above, or in the walk through self-hosting', () => {
    const ran = readFileSync(import.meta.filename, 'utf8');
    const walk = textOf('test/operating/processes/self-hosting.nightly.test.ts');
    const isRun = (page: string): boolean =>
      ran.includes(`await pasted('${page}'`) || walk.includes(`shellBlocks('${page}')`);
    expect(pages.filter((page) => shellBlocks(page).length > 0 && !isRun(page))).toEqual([]);
  });
});

/** Why commands of a page are run nowhere, by the word behind `sh not-run`. */
const notRun: Readonly<Record<string, string>> = {
  docker: 'CI has no Docker engine; test/operating/processes/image.nightly.test.ts runs what the image runs',
  registry: 'it would change the packages that the tests run with',
  stripe: 'they need keys of a real Stripe account',
  systemd: 'CI is not started by systemd',
};

describe('every command of every page is run, or the page says why not', () => {
  const programs = /^\s*(?:[A-Z_]+=\S* )*(npm|npx|node|docker|curl|openssl|psql|sudo|systemctl|git|patronictl|\. )\b/m;

  test.each([...pages, 'sdk/README.md'])('%s', (page) => {
    const commands = blocksOf(page).filter(
      ({ info, lines }) => info.startsWith('sh') || (info === '' && programs.test(lines)),
    );
    const unexplained = commands.filter(({ info }) => {
      const [, how, what = ''] = /^sh (run-by|not-run) (\S+)$/.exec(info) ?? [];
      if (how === 'run-by') return !existsSync(join(root, what));
      return how === 'not-run' ? !(what in notRun) : info !== 'sh';
    });
    expect(unexplained).toEqual([]);
  });

  test('every reason is that of a command', () => {
    const given = pages.flatMap((page) => blocksOf(page).map(({ info }) => /^sh not-run (\S+)$/.exec(info)?.[1]));
    expect(Object.keys(notRun).filter((reason) => !given.includes(reason))).toEqual([]);
  });
});

describe('an example that fails reports why', () => {
  test('the answer is printed when it lacks the id that the next call needs', async () => {
    const failing = run(
      `. docs/setup.sh\nHELD=$(curl -sS $API/payments/process -H "$AUTH" -H "$JSON" -d '{}' | pick pay)`,
    );
    await expect(failing).rejects.toMatchObject({
      stderr: expect.stringMatching(/no id that begins with pay_: .*amount is required/),
    });
  });

  test.each(
    pages.flatMap((page) =>
      shellBlocks(page)
        .map((block, index) => [page, index + 1, block] as const)
        .filter(([, number, block]) => block.includes(':?') || (number > 1 && block.includes('$'))),
    ),
  )('%s: block %i alone in a terminal says what to run before it, and does nothing', async (_page, _number, block) => {
    await expect(run(block)).rejects.toMatchObject({ stdout: '', stderr: expect.stringMatching(/: run .* first$/m) });
  });

  test('a platform that does not run is named', async () => {
    const failing = run(`BASE=http://127.0.0.1:1\n. docs/setup.sh`);
    await expect(failing).rejects.toMatchObject({ stderr: expect.stringMatching(/curl: \(7\)/) });
  });

  test('the README prints the answer', async () => {
    const [charge = ''] = shellBlocks('README.md');
    const failing = run(charge.replace('tp_sk_partner_test_[0-9A-Za-z]*', 'partnerKeys'));
    await expect(failing).rejects.toMatchObject({ stderr: expect.stringMatching(/no tpa_ in: .*NOT_AUTHORIZED/) });
  });
});

describe('what the pages name exists', () => {
  test('the README has at most 8,000 bytes', () => {
    expect(Buffer.byteLength(textOf('README.md'))).toBeLessThanOrEqual(8_000);
  });

  test.each(pages)('%s: every relative link and its heading', (page) => {
    expect(brokenLinks(page)).toEqual([]);
  });

  test.each(pages)('%s: every path in backticks', (page) => {
    expect(missingPaths(page)).toEqual([]);
  });

  test('contract 17 lists every event type and no other', () => {
    const [, table = ''] = textOf('docs/contract/17-events-and-webhooks.md').match(/## Events\n(.*?)\n- /s) ?? [];
    expect([...table.matchAll(/`(\w+\/\w+)`/g)].map(([, type]) => type).sort()).toEqual([...eventTypes].sort());
  });

  test('contract 10 lists every failure code and no other', () => {
    const [, list = ''] = textOf('docs/contract/10-payments.md').match(/- `failureCode`: (.*?)\.\n/s) ?? [];
    expect([...list.matchAll(/`(\w+)`/g)].map(([, code]) => code).sort()).toEqual([...failureCodes].sort());
  });

  test('contract 18 lists every requirement of a KYB and no other', () => {
    const [, list = ''] = textOf('docs/contract/18-kyb.md').match(/ten requirements: (.*?)\.\n/s) ?? [];
    expect([...list.matchAll(/`([\w.]+)`/g)].map(([, code]) => code)).toEqual([...kybCodes]);
  });

  test('contract 19 lists every reason of a refusal of access, without those of a second person, and no other', () => {
    const reasonsIn = (text: string) => [...text.matchAll(/[`'](\w+)[`']/g)].map(([, reason]) => reason ?? '');
    const [, list = ''] = textOf('docs/contract/19-iam.md').match(/## Reasons\n(.*?)\n## /s) ?? [];
    const [, types = ''] =
      textOf('src/lib/errors.ts').match(/export type PolicyReason =(.*?)\/\*\* The reasons of a 403/s) ?? [];
    const ofSecondPersons = ['second_person_required', 'second_person_not_independent', 'not_the_requester'];
    const declared = reasonsIn(types).filter((reason) => !ofSecondPersons.includes(reason));
    expect(reasonsIn(list).sort()).toEqual([...declared, 'invitation_expired'].sort());
    const [, messages = ''] = textOf('src/auth/decisions.ts').match(/const messages[^{]*\{\n(.*?)\n\};/s) ?? [];
    const decided = [...messages.matchAll(/^ {2}(\w+):/gm)].map(([, reason]) => reason);
    expect(decided.length).toBeGreaterThan(10);
    expect(declared).toEqual(expect.arrayContaining(decided));
  });

  test('the guide to payments lists every test card and no other', () => {
    const [, section = ''] = textOf('docs/guides/payments.md').match(/## Test cards\n(.*)/s) ?? [];
    expect([...section.matchAll(/\d{12,19}/g)].map(([number]) => number).sort()).toEqual([...testCards.keys()].sort());
  });

  test('the spell checker refuses every single word that the glossary does not use', () => {
    const [, table = ''] = textOf('docs/glossary.md').split('## Words not used');
    const rows = [...table.matchAll(/^\| ([^|(]+) \| [^|]+ \|$/gm)].map(([, words = '']) => words);
    const words = rows.flatMap((row) => row.split(', ')).filter((word) => /^[A-Za-z]+$/.test(word) && word !== 'word');
    const { flagWords } = JSON.parse(readFileSync(join(root, 'cspell.json'), 'utf8')) as { flagWords: string[] };
    expect(words.length).toBeGreaterThan(25);
    expect(words.filter((word) => !flagWords.includes(word))).toEqual([]);
  });

  test('every section of the contract that code cites is in its table of contents', () => {
    const sections = [...textOf('docs/contract/README.md').matchAll(/^\| (\d+) \|/gm)].map(([, section]) => section);
    expect(citedSections()).not.toEqual([]);
    expect(citedSections().filter(({ section }) => !sections.includes(section))).toEqual([]);
  });
});
