import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FieldNode, parse } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signedIn } from '../iam/people.ts';
import { violations } from '../support/axe.ts';
import { type ConsoleWorld, heading, links, loaded, startConsoleWorld } from '../support/console.ts';
import { onePageOfEach } from '../support/console-objects.ts';

/** The pages of the menu, each with a root field that its rows come from or that it is for. */
const menu = {
  Overview: 'operatorKybQueue',
  Payments: 'operatorPayments',
  'Refund requests': 'operatorRefundRequests',
  Customers: 'operatorCustomers',
  Orders: 'operatorOrders',
  Disputes: 'operatorDisputes',
  Subscriptions: 'operatorSubscriptions',
  Funnels: 'operatorFunnels',
  'Withheld charges': 'operatorWithheldCharges',
  Accounts: 'operatorAccounts',
  'KYB queue': 'operatorKybQueue',
  'API keys': 'operatorKeys',
  Processors: 'operatorProcessors',
  'Test clocks': 'operatorTestClocks',
  'Card testing alarms': 'operatorEnumerationAlarms',
  Events: 'operatorEvents',
  'Webhook endpoints': 'operatorWebhookEndpoints',
  'Webhook deliveries': 'operatorDeliveries',
  Partners: 'partners',
  Staff: 'inviteStaff',
  Users: 'users',
  Organizations: 'organizations',
  Ledger: 'ledgerProof',
  Jobs: 'operatorJobs',
  'Processor events': 'unappliedProcessorEvents',
  'Audit log': 'auditLog',
};

/** The kinds of caller that may use each root field, by the access matrix of the contract. */
const matrix = new Map(
  readFileSync(join(import.meta.dirname, '..', 'contract', 'access-matrix.txt'), 'utf8')
    .split('\n')
    .map((line) => line.split(/\s+/))
    .map(([, field = '', , ...kinds]) => [field, new Set(kinds)]),
);
const mayUse = (kind: string, field: string): boolean => matrix.get(field)?.has(kind) ?? false;

let world: ConsoleWorld;
let details: { path: string; field: string }[];

beforeAll(async () => {
  world = await startConsoleWorld();
  details = await onePageOfEach(world);
});
afterAll(() => world?.close());

const kinds: Record<string, () => ReturnType<ConsoleWorld['staff']>> = {
  superadmin: () => world.staff('superadmin'),
  hubadmin: () => world.staff('hubadmin'),
  accountmanager: () => world.staff('accountmanager'),
  partneradmin: () => world.ofPartner('partneradmin'),
  partnerManager: () => world.ofPartner('accountmanager'),
};

/** Opens every page of the person's menu, and returns their names. None may show a refusal. */
async function walk(page: Page, after: (name: string) => Promise<void> = async () => undefined): Promise<string[]> {
  await heading(page, 'Overview').waitFor();
  const names = (await links(page).allInnerTexts()).filter((name) => name !== 'My profile');
  for (const name of names) {
    await links(page)
      .filter({ hasText: new RegExp(`^${name}$`) })
      .click();
    await heading(page, name).waitFor();
    await expectWhole(page, name);
    await after(name);
  }
  return names;
}

async function expectWhole(page: Page, name: string): Promise<void> {
  await loaded(page);
  expect(await page.getByRole('alert').allInnerTexts(), name).toEqual([]);
}

/** The root fields that the page asks for from now on. */
function fieldsAskedBy(page: Page): Set<string> {
  const fields = new Set<string>();
  page.on('request', (request) => {
    if (!request.url().endsWith('/graphql')) return;
    for (const definition of parse(String(request.postDataJSON().query)).definitions)
      if (definition.kind === 'OperationDefinition')
        for (const field of definition.selectionSet.selections) fields.add((field as FieldNode).name.value);
  });
  return fields;
}

describe('each kind of person sees the pages that the access matrix allows, and is refused nothing there', () => {
  test.each(Object.keys(kinds))('%s', { timeout: 120_000 }, async (kind) => {
    const { context, page, complaints, open } = await world.windowOf((await kinds[kind]?.()) ?? null);
    const asked = fieldsAskedBy(page);
    await open('/test');
    const allowed = Object.entries(menu).filter(([, field]) => mayUse(kind, field));
    expect(await walk(page)).toEqual(allowed.map(([name]) => name));
    for (const { path, field } of details.filter(({ field }) => mayUse(kind, field))) {
      await open(path);
      await expectWhole(page, path);
      expect(await page.getByText('There is no such').count(), `${field} at ${path}`).toBe(0);
    }
    expect([...asked].filter((field) => !mayUse(kind, field))).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('partnerstaff and people without a role are told so, and visitors are led to sign in', async () => {
    for (const person of [await world.ofPartner('partnerstaff'), await signedIn(world.platform)]) {
      const { context, page, open } = await world.windowOf(person);
      await open('/test/payments');
      await heading(page, 'There is nothing here for your role').waitFor();
      await context.close();
    }
    const { context, page, open } = await world.windowOf(null);
    await open('/test/payments');
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe('/idp/sign-in');
    await context.close();
  });
});

describe('every page has no finding of axe and no sideways scroll, at 1280 and at 390 pixels', () => {
  test.each(['light', 'dark'] as const)('%s', { timeout: 360_000 }, async (colorScheme) => {
    const { context, page, open } = await world.windowOf(await world.staff('superadmin'), {
      colorScheme,
      reducedMotion: 'reduce',
    });
    const check = async (name: string): Promise<void> => {
      // Away from what shows a tooltip.
      await page.mouse.move(0, 0);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await expect.poll(() => page.getByRole('tooltip').count()).toBe(0);
        expect(await violations(page), `${name} at ${width}`).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(width);
      }
    };
    await open('/test');
    await walk(page, check);
    for (const { path } of details) {
      await open(path);
      await expectWhole(page, path);
      await check(path);
    }
    await context.close();
  });
});

describe('how it is served', () => {
  test('200 with a policy that runs no inline script and frames nowhere; files are kept for ever', async () => {
    const response = await fetch(`${world.platform.url}/console/live/payments/pay_x`, {
      headers: { Accept: 'text/html' },
    });
    const page = await response.text();
    expect(response.status).toBe(200);
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toContain("script-src 'self'; style-src 'self' 'nonce-");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page) ?? [];
    const file = await fetch(world.platform.url + script);
    expect([file.status, file.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect((await fetch(`${world.platform.url}/console/assets/none.js`)).status).toBe(404);
  });
});
