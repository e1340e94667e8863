// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt src/local rest/site src/domains
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Demo, demoNames, readDemo } from '../../src/settings/demo-credentials.ts';
import { closeWindows, openPage, startBrowser, type WatchedPage } from '../support/browser.ts';
import { heading, loaded } from '../support/console.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

// SCREENSHOTS names the folder of the pictures.
const folder = process.env['SCREENSHOTS'] ?? join(tmpdir(), 'platform-demo-first-visit');
const platformDir = mkdtempSync(join(tmpdir(), 'platform-demo-'));
const visitMaxMs = 120_000;
let server: ServerProcess;
let demo: Demo;
let window: WatchedPage;
let page: Page;
let begunAt: number;

beforeAll(async () => {
  const [browser, started] = await Promise.all([
    startBrowser(),
    startServerProcess({ PLATFORM_DIR: platformDir }, 150_000),
  ]);
  server = started;
  begunAt = await serverTime();
  const found = readDemo({ isProduction: false, platformDir });
  if (!found) throw new Error('The first start has written demo.json.');
  demo = found;
  mkdirSync(folder, { recursive: true });
  window = await openPage(browser, demo.baseUrl);
  ({ page } = window);
  page.setDefaultTimeout(visitMaxMs / 2);
}, 180_000);
afterAll(async () => {
  await closeWindows();
  await server?.stop();
  rmSync(platformDir, { recursive: true, force: true });
});

async function serverTime(): Promise<number> {
  return Date.parse((await fetch(`${server.url}/health/live`)).headers.get('Date') ?? '');
}

async function visit(path: string, name: string | RegExp): Promise<void> {
  await page.goto(`${demo.baseUrl}/console/test${path}`);
  await heading(page, name).waitFor();
  await loaded(page);
}

const picture = (name: string) => page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
const row = (text: string | RegExp) => page.getByRole('row').filter({ hasText: text }).first();

test('within two minutes of its first start, the demo shows deliveries in every state, a failing endpoint and a card testing alert', {
  timeout: visitMaxMs + 60_000,
}, async () => {
  const [operator] = demo.users;
  await page.goto(`${demo.baseUrl}/console/test`);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(operator?.email ?? '');
  await page.getByLabel('Password').fill(operator?.password ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'Overview').waitFor();
  // The page asks again until each tile has a count.
  for (const name of ['Dead deliveries', 'Failing endpoints', 'Card testing alerts'])
    await page.locator('.tile[data-waiting]', { hasText: name }).waitFor();
  await loaded(page);
  await picture('overview');

  await visit('/deliveries?status=delivered', 'Webhook deliveries');
  await row(/payment\/succeeded\s*delivered\s*1 attempt, 200/).waitFor();
  await picture('deliveries-delivered');

  await visit('/deliveries?status=failed', 'Webhook deliveries');
  await row(/payment\/succeeded\s*failed\s*\d attempts?, 500\s*\w+ \d+, .+ · /).waitFor();
  await picture('deliveries-failed');

  await visit('/deliveries?status=dead', 'Webhook deliveries');
  await row(/customer\/created\s*dead\s*1 attempt, 410/).waitFor();
  await picture('deliveries-dead');

  await visit('/endpoints?isFailing=yes', 'Webhook endpoints');
  await row(/receivers\/fails.*failing/).waitFor();
  await picture('endpoints-failing');

  await visit('/endpoints?enabled=no', 'Webhook endpoints');
  await row(/receivers\/gone.*disabled: responded 410/).waitFor();
  await picture('endpoints-disabled');

  await visit('/card-testing-alerts', 'Card testing alerts');
  await row(/40000000/).waitFor();
  await picture('card-testing-alerts');

  expect((await serverTime()) - begunAt).toBeLessThanOrEqual(visitMaxMs);
  expect([window.strangeRequests, window.complaints]).toEqual([[], []]);
});

test('the page of a subscription and of its customer name the product, and say whether the period is paid', async () => {
  await visit('/subscriptions?status=active', 'Subscriptions');
  await page.locator('.row-link').first().click();
  await page.getByText('Paid period').waitFor();
  await page.getByText(demoNames.club.name).first().waitFor();
  await picture('subscription');
  await page.getByRole('link', { name: /@example\.com$/ }).click();
  await page
    .getByRole('region', { name: 'Subscriptions' })
    .getByRole('row')
    .filter({ hasText: new RegExp(`${demoNames.club.name}.*(active|ends)\\s*paid`) })
    .first()
    .waitFor();
  await picture('customer');
});
