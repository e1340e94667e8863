// guards: console schema.graphql src/auth src/graph src/iam src/operators src/relations src/lists src/theme rest/pages/console.ts rest/entrance.ts test/rest/access-matrix.txt
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePerson, password, signedIn } from '../iam/people.ts';
import { button, type ConsoleWorld, heading, startConsoleWorld } from '../support/console.ts';
import { menuOf, menuShownBy, rowsOfMatrix } from '../support/console-menu.ts';
import { onePageOfEach } from '../support/console-objects.ts';

let world: ConsoleWorld;
let details: { path: string; field: string }[];

beforeAll(async () => {
  world = await startConsoleWorld();
  details = await onePageOfEach(world);
});
afterAll(() => world?.close());

describe('each kind of person has the menu that the access matrix allows', () => {
  test.each([
    'superadmin',
    'hubadmin',
    'accountmanager',
    'partneradmin',
    'partnerManager',
  ])('%s has the menu of the matrix', async (kind) => {
    const person = await (kind === 'partneradmin'
      ? world.ofPartner(kind)
      : kind === 'partnerManager'
        ? world.ofPartner('accountmanager')
        : world.staff(kind));
    const { context, page, complaints, open } = await world.windowOf(person);
    await open('/test');
    expect(await menuShownBy(page)).toEqual(menuOf(kind));
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('hubadmin may read all that superadmin may', () => {
    const queries = rowsOfMatrix.filter(({ operation }) => operation === 'query');
    expect(queries.filter(({ kinds }) => kinds.has('superadmin') && !kinds.has('hubadmin'))).toEqual([]);
    expect(queries.length).toBeGreaterThan(50);
  });

  test('partnerstaff and people without a role see which role they have, and who gives another', async () => {
    for (const [person, text] of [
      [await world.ofPartner('partnerstaff'), `An admin of ${world.partner.slug}`],
      [await signedIn(world.platform), 'A superadmin can assign roles'],
    ] as const) {
      const { context, page, open } = await world.windowOf(person);
      await open('/test/payments');
      await heading(page, 'No access').waitFor();
      await page.getByText(text).waitFor();
      await context.close();
    }
  });

  test('a page refreshes itself until 5 minutes after the last input, and again with the next', async () => {
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
    await page.clock.install();
    let calls = 0;
    page.on('request', (request) => void (calls += request.url().endsWith('/graphql') ? 1 : 0));
    const answered = () => page.waitForResponse('**/graphql');
    const minute = async () => {
      await page.clock.fastForward(60_000);
      // Requests are reported in their order: with this one, all before it were.
      await page.evaluate(async () => void (await fetch('/health/live')));
    };
    await open('/test/jobs');
    await page.keyboard.press('Shift');
    for (let passed = 1; passed <= 4; passed++) await Promise.all([answered(), minute()]);
    await minute();
    const before = calls;
    for (let passed = 6; passed <= 8; passed++) await minute();
    expect(calls).toBe(before);
    await Promise.all([answered(), page.keyboard.press('Shift')]);
    await context.close();
  });

  test('a link to a filtered list survives the sign-in of a visitor, who signs out again', async () => {
    const person = await makePerson(world.platform, { platformRoles: ['hubadmin'] });
    const { context, page, open } = await world.windowOf(null);
    const path = '/live/payments?status=declined,failed&sort=amount:desc&partner=a-b';
    await open(path);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(person.email);
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
    await page.getByText('Partner not found').waitFor();
    await button(page, 'Sign out').click();
    await page.waitForURL('**/idp/sign-in?**');
    await open('/test');
    await heading(page, 'Sign in to the console').waitFor();
    await context.close();
  });

  test('the switch of the mode keeps the list, and leads from an object to its list', async () => {
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'));
    const inMode = async (mode: string) =>
      page.getByRole('group', { name: 'Mode' }).getByRole('link', { name: mode }).click();
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
