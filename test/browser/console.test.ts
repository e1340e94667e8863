import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FieldNode, parse } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePerson, password, type SignedIn, signedIn } from '../people/iam/people.ts';
import {
  button,
  type ConsoleWorld,
  expectAccessible,
  heading,
  links,
  loaded,
  startConsoleWorld,
} from '../support/console.ts';
import { onePageOfEach } from '../support/console-objects.ts';

/** The pages of the menu, each with a root field that its rows come from or that it is for. */
const menu = {
  Overview: 'kybQueue',
  Payments: 'payments',
  'Refund requests': 'refundRequests',
  Customers: 'customers',
  Cards: 'paymentInstruments',
  Orders: 'orders',
  Disputes: 'disputes',
  Subscriptions: 'subscriptions',
  Funnels: 'funnels',
  'Deferred charges': 'deferredCharges',
  Accounts: 'accounts',
  'KYB queue': 'kybQueue',
  'API keys': 'apiKeys',
  Processors: 'processors',
  'Test clocks': 'testClocks',
  'Card testing alerts': 'cardTestingAlerts',
  Events: 'events',
  'Webhook endpoints': 'webhookEndpoints',
  'Webhook deliveries': 'webhookDeliveries',
  Partners: 'partners',
  Staff: 'inviteStaff',
  Users: 'users',
  Organizations: 'organizations',
  Ledger: 'ledgerVerification',
  Jobs: 'jobs',
  'Processor events': 'unappliedProcessorEvents',
  'Audit log': 'auditLog',
};

/** The kinds of caller that may use each root field, by the access matrix of the contract. */
const rowsOfMatrix = readFileSync(join(import.meta.dirname, '..', 'rest', 'access-matrix.txt'), 'utf8')
  .split('\n')
  .map((line) => line.split(/\s+/))
  .map(([operation, field = '', , ...kinds]) => ({ operation, field, kinds: new Set(kinds) }));
const matrix = new Map(rowsOfMatrix.map(({ field, kinds }) => [field, kinds]));
const mayUse = (kind: string, field: string): boolean => matrix.get(field)?.has(kind) ?? false;
const menuOf = (kind: string): string[] =>
  Object.entries(menu)
    .filter(([, field]) => mayUse(kind, field))
    .map(([name]) => name);

let world: ConsoleWorld;
let details: { path: string; field: string }[];

beforeAll(async () => {
  world = await startConsoleWorld();
  details = await onePageOfEach(world);
});
afterAll(() => world?.close());

const menuShownBy = async (page: Page): Promise<string[]> => {
  await heading(page, 'Overview').waitFor();
  return (await links(page).allInnerTexts()).filter((name) => name !== 'My profile');
};

/** Opens every page of the person's menu. None may show a refusal. */
async function walk(page: Page, after: () => Promise<void> = async () => undefined): Promise<void> {
  for (const name of await menuShownBy(page)) {
    await links(page)
      .filter({ hasText: new RegExp(`^${name}$`) })
      .click();
    await heading(page, name).waitFor();
    await expectWhole(page, name);
    await after();
  }
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
  /** Looks at the whole menu and at the pages of objects, as a person of this kind. */
  async function walkAs(
    kind: string,
    person: SignedIn,
    after: (page: Page) => Promise<void> = async () => undefined,
  ): Promise<void> {
    const { context, page, complaints, open } = await world.windowOf(person, { reducedMotion: 'reduce' });
    const requested = fieldsAskedBy(page);
    await open('/test');
    expect(await menuShownBy(page)).toEqual(menuOf(kind));
    await walk(page, () => after(page));
    for (const { path, field } of details.filter(({ field }) => mayUse(kind, field))) {
      await open(path);
      await expectWhole(page, path);
      expect(await page.getByText('There is no such').count(), `${field} at ${path}`).toBe(0);
      await after(page);
    }
    expect([...requested].filter((field) => !mayUse(kind, field))).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  }

  test('superadmin opens every page: no finding of axe, no sideways scroll, light at 1280 and dark at 390 pixels', {
    timeout: 240_000,
  }, async () => {
    await walkAs('superadmin', await world.staff('superadmin'), expectAccessible);
  });

  test('accountmanager and partnerManager, who may least, open every page of their menu, and every object', {
    timeout: 120_000,
  }, async () => {
    await walkAs('accountmanager', await world.staff('accountmanager'));
    await walkAs('partnerManager', await world.ofPartner('accountmanager'));
  });

  test('hubadmin has the menu of the matrix, and may read all that superadmin may', async () => {
    const { context, page, complaints, open } = await world.windowOf(await world.staff('hubadmin'));
    await open('/test');
    expect(await menuShownBy(page)).toEqual(menuOf('hubadmin'));
    expect(complaints).toEqual([]);
    await context.close();
    const queries = rowsOfMatrix.filter(({ operation }) => operation === 'query');
    expect(queries.filter(({ kinds }) => kinds.has('superadmin') && !kinds.has('hubadmin'))).toEqual([]);
    expect(queries.length).toBeGreaterThan(50);
  });

  test('partneradmin has the menu of the matrix', async () => {
    const { context, page, complaints, open } = await world.windowOf(await world.ofPartner('partneradmin'));
    await open('/test');
    expect(await menuShownBy(page)).toEqual(menuOf('partneradmin'));
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('partnerstaff and people without a role are told which role they have, and who gives another', async () => {
    for (const [person, text] of [
      [await world.ofPartner('partnerstaff'), `An admin of ${world.partner.slug}`],
      [await signedIn(world.platform), 'A superadmin gives roles'],
    ] as const) {
      const { context, page, open } = await world.windowOf(person);
      await open('/test/payments');
      await heading(page, 'There is nothing here for your role').waitFor();
      await page.getByText(text).waitFor();
      await context.close();
    }
  });

  test('a link to a filtered list survives the sign-in of a visitor, who signs out again', async () => {
    const person = await makePerson(world.platform, { platformRoles: ['hubadmin'] });
    const { context, page, open } = await world.windowOf(null);
    const path = '/live/payments?status=declined,failed&sort=amount:desc&partner=a-b';
    await open(path);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading(page, 'Payments').waitFor();
    const { pathname, searchParams } = new URL(page.url());
    expect(pathname).toBe('/console/live/payments');
    expect(Object.fromEntries(searchParams)).toEqual({
      status: 'declined,failed',
      sort: 'amount:desc',
      partner: 'a-b',
    });
    // The page asks as the person, and not as the visitor any more.
    await page.getByText('There is no such partner').waitFor();
    await button(page, 'Sign out').click();
    await page.waitForURL('**/idp/sign-in?**');
    await open('/test');
    await heading(page, 'Sign in to the console').waitFor();
    await context.close();
  });

  test('the switch of the mode keeps the list, and leads from an object to its list', async () => {
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
    const inMode = async (mode: string) => page.getByRole('radio', { name: mode }).locator('..').click();
    await open('/test/disputes');
    await heading(page, 'Disputes').waitFor();
    await inMode('Live');
    await page.waitForURL('**/console/live/disputes');
    await inMode('Test');
    await page.waitForURL('**/console/test/disputes');
    const payment = details.find(({ field }) => field === 'payment');
    await open(payment?.path ?? '');
    await inMode('Live');
    await page.waitForURL('**/console/live/payments');
    // Live mode has no test clocks.
    await open('/test/test-clocks');
    await heading(page, 'Test clocks').waitFor();
    await inMode('Live');
    await page.waitForURL('**/console/live');
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
