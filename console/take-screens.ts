import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { type Demo, makeScreenData } from './screen-data.ts';

/**
 * Takes a picture of each screen of the console from a running demo, for docs/guides/console-screens.md:
 * `platform screens [-- directory of the demo]`.
 */
const directory = process.argv[2] ?? '.platform';
const folder = join(import.meta.dirname, '..', 'docs', 'guides', 'console-screens');
const demo = JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8')) as Demo & {
  users: { email: string; password: string }[];
};
const { baseUrl, users } = demo;
await makeScreenData(demo);

/** The lists whose first row has a page of its own. */
const lists = [
  'payments',
  'customers',
  'orders',
  'disputes',
  'subscriptions',
  'accounts',
  'endpoints',
  'events',
  'partners',
  'test-clocks',
];

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
const [{ email, password } = { email: '', password: '' }] = users;
await context.request.post(`${baseUrl}/idp/sign-in/email`, { data: { email, password }, headers: { Origin: baseUrl } });
const page = await context.newPage();
mkdirSync(folder, { recursive: true });
await page.goto(`${baseUrl}/console/test`);
await page.locator('h1').waitFor();
const paths = await page
  .getByRole('navigation')
  .getByRole('link')
  .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
for (const path of paths.filter((href) => href.startsWith('/console/'))) {
  const name = path.split('/')[3] ?? 'overview';
  await page.goto(baseUrl + path);
  await take(page, name);
  if (!lists.includes(name)) continue;
  await page.locator('.row-link').first().click();
  await page.getByText('←').waitFor();
  await take(page, `${name}-one`);
}
await browser.close();

async function take(shown: Page, name: string): Promise<void> {
  await shown.locator('h1').waitFor();
  await shown.waitForFunction(() => document.querySelector('[role=status][aria-label=Loading]') === null);
  const session = await shown.context().newCDPSession(shown);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, 'base64'));
}
