// guards: console rest/pages/console.ts
// cspell:ignore متجر القهوة
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  button,
  type ConsoleWorld,
  dialog,
  dialogClosed,
  heading,
  isMutation,
  links,
  loaded,
  startConsoleWorld,
} from '../support/console.ts';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await startConsoleWorld();
});
afterAll(() => world?.close());

const charged = async (): Promise<string> => String((await world.account.charge()).payment['id']);

async function refundsOf(paymentId: string): Promise<number[]> {
  const refunds = await world.platform.services.prisma.refund.findMany({ where: { paymentId } });
  return refunds.map(({ amount }) => Number(amount));
}

async function typeRefund(page: Page, paymentId: string, amount = '2'): Promise<void> {
  await page.goto(`${world.platform.url}/console/test/payments/${paymentId}`);
  await button(page, 'Refund').click();
  await dialog(page)
    .getByLabel(/^Amount in/)
    .fill(amount);
  await dialog(page).getByLabel('Reason').fill('asked for it');
}

const send = (page: Page) => dialog(page).locator('button[type=submit]').click();

/** Holds the next mutation of a page until it is let go. */
async function holdMutation(page: Page): Promise<{ arrived: Promise<void>; letGo(): void }> {
  const [arrival, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/graphql', async (route) => {
    if (!isMutation(route)) return route.fallback();
    // What the browser has sent is done, whatever becomes of the page.
    const answer = await route.fetch();
    arrival.resolve();
    await release.promise;
    await route.fulfill({ response: answer }).catch(() => undefined);
  });
  return { arrived: arrival.promise, letGo: release.resolve };
}

describe('a refund is made once, and by whom the page was opened', () => {
  test('another user signs in in another tab: nothing is done in their name, the text stays, and it continues', async () => {
    const [one, other] = [await world.staff('hubadmin'), await world.staff('superadmin')];
    const { context, page } = await world.windowOf(one);
    const paymentId = await charged();
    await typeRefund(page, paymentId);
    const cookies = await context.cookies();
    const second = await world.windowOf(other);
    await context.addCookies(await second.context.cookies());
    await send(page);
    await dialog(page).getByText('Signed in as another user').waitFor();
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('asked for it');
    expect(await refundsOf(paymentId)).toEqual([]);
    await context.addCookies(cookies);
    await send(page);
    await dialogClosed(page);
    expect(await refundsOf(paymentId)).toEqual([200]);
    const rows = await world.platform.services.prisma.auditRow.findMany({
      where: { target: paymentId, action: 'refundPayment', outcome: 'allowed' },
    });
    expect(rows.map(({ actorId }) => actorId)).toEqual([one.id]);
    await second.context.close();
    await context.close();
  });

  test('pressed twice, and sent twice before the page is drawn again', async () => {
    const { page } = await world.hubTab();
    const paymentId = await charged();
    await typeRefund(page, paymentId);
    await dialog(page).locator('button[type=submit]').dblclick();
    await dialogClosed(page);
    await typeRefund(page, paymentId, '3');
    await dialog(page)
      .locator('form')
      .evaluate((form: HTMLFormElement) => {
        form.requestSubmit();
        form.requestSubmit();
      });
    await dialogClosed(page);
    expect(await refundsOf(paymentId)).toEqual([200, 300]);
    await page.close();
  });

  test('what was typed for one payment is not in the dialog of the next one that is opened in its place', async () => {
    const { page, open } = await world.hubTab();
    const [first, second] = [await charged(), await charged()];
    await open(`/test/payments/${first}`);
    await button(page, 'Refund').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').locator('input').fill(second);
    await page.getByRole('option', { name: /payment succeeded/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${second}`);
    await button(page, 'Refund').click();
    await dialog(page).getByLabel('Amount in USD').fill('2');
    await dialog(page).getByLabel('Reason').fill('asked for it');
    await dialog(page).getByRole('button', { name: 'Go back', exact: true }).click();
    await dialogClosed(page);
    await page.goBack();
    await page.waitForURL(`**/${first}`);
    await button(page, 'Refund').click();
    expect(await dialog(page).getByLabel('Amount in USD').inputValue()).toBe('25.00');
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('');
    await page.close();
  });

  test('the same dialog in two tabs: the second says what the first did, and sends nothing by itself', async () => {
    const { page } = await world.hubTab();
    const paymentId = await charged();
    const second = await page.context().newPage();
    await typeRefund(page, paymentId);
    await typeRefund(second, paymentId);
    await send(page);
    await dialogClosed(page);
    await send(second);
    await dialog(second).getByText('Refunded changed from $0.00 to $2.00').waitFor();
    expect(await dialog(second).getByLabel('Reason').inputValue()).toBe('asked for it');
    expect(await refundsOf(paymentId)).toEqual([200]);
    await second.close();
    await page.close();
  });

  test.each(['reload', 'goBack'] as const)('%s while it is sent: done once, and the page shows it', async (step) => {
    const { page, open } = await world.hubTab();
    const paymentId = await charged();
    await open('/test/payments');
    await typeRefund(page, paymentId);
    const { arrived, letGo } = await holdMutation(page);
    await send(page);
    await arrived;
    await page[step]();
    letGo();
    await open(`/test/payments/${paymentId}`);
    await page.getByText('refund of $2.00').waitFor();
    expect(await refundsOf(paymentId)).toEqual([200]);
    await page.close();
  });
});

describe('a page of an older version, after an upgrade of the server', () => {
  test('a dialog whose file is gone says to reload, and the page with its filters stays', async () => {
    await charged();
    const { page, open } = await world.hubTab();
    await page.route('**/assets/details-*', (route) => route.fulfill({ status: 404, json: {} }));
    await open('/test/payments?cardLast4=4242');
    await loaded(page);
    for (const name of [/^Search/, 'Export']) {
      await page.getByRole('button', { name }).click();
      await dialog(page).getByText('Outdated page').waitFor();
      await dialog(page).getByRole('button', { name: 'Reload the page' }).waitFor();
      await dialog(page).getByRole('button', { name: 'Close' }).click();
      await dialogClosed(page);
    }
    await page.locator('.chip', { hasText: 'Last four digits: 4242' }).waitFor();
    await page.close();
  });

  test('a page whose file is gone is loaded again, with its present files', async () => {
    const { page, open } = await world.hubTab();
    await open('/test');
    await heading(page, 'Overview').waitFor();
    await page.route('**/assets/billing-*', (route) => route.fulfill({ status: 404, json: {} }), { times: 1 });
    await links(page)
      .filter({ hasText: /^Orders$/ })
      .click();
    await heading(page, 'Orders').waitFor();
    await page.close();
  });

  test('a document that the schema refuses says to reload, keeps what was typed, and does nothing', async () => {
    const { page } = await world.hubTab();
    const paymentId = await charged();
    await typeRefund(page, paymentId);
    await page.route('**/graphql', (route) =>
      route.fallback({
        postData: JSON.stringify({
          ...route.request().postDataJSON(),
          query: String(route.request().postDataJSON().query).replaceAll('refundPayment(', 'refundOld('),
        }),
      }),
    );
    await send(page);
    await dialog(page).getByText('Outdated page').waitFor();
    expect(await dialog(page).getByLabel('Reason').inputValue()).toBe('asked for it');
    expect(await refundsOf(paymentId)).toEqual([]);
    await page.close();
  });
});

test('a browser whose clock is a day ahead shows the deadline of a dispute by the clock of the platform', async () => {
  const { payment } = await world.account.charge();
  const dispute = await world.account.api.ok('/test-disputes/create', { paymentId: payment['id'] });
  const { page, open } = await world.hubTab();
  await page.addInitScript(() => {
    const real = Date.now;
    Date.now = () => real() + 86_400_000;
  });
  await open(`/test/disputes/${dispute.id}`);
  // The header `Date` has whole seconds: within the first second, seven days are left. By the browser it were five.
  await page
    .getByRole('note')
    .getByText(/in [67] days/)
    .waitFor();
  await page.close();
});

describe('texts and amounts of any kind', () => {
  test('10,000 characters that are pasted as a reason are not cut, and are refused with their number', async () => {
    const { page } = await world.hubTab();
    const paymentId = await charged();
    await typeRefund(page, paymentId);
    await dialog(page).getByLabel('Reason').fill('x'.repeat(10_000));
    await dialog(page).getByText('At most 200 characters: these are 10,000.').waitFor();
    expect(await dialog(page).locator('button[type=submit]').isDisabled()).toBe(true);
    await dialog(page).getByLabel('Reason').fill('x'.repeat(200));
    await send(page);
    await dialogClosed(page);
    expect(await refundsOf(paymentId)).toEqual([200]);
    await page.close();
  });

  test('long, right-to-left and emoji names widen no page at 390 pixels; amounts have the digits of their currency', async () => {
    const long = 'متجر القهوة 🫖☕ '.repeat(10).trim();
    const account = await world.partner.account(long);
    await world.platform.services.prisma.store.update({
      where: { id: account.storeId },
      data: { chargeCurrencies: ['USD', 'JPY', 'KWD'] },
    });
    const yen = (await account.charge('tok_visa', { amount: 1234, currency: 'JPY' })).payment['id'];
    const dinars = (await account.charge('tok_visa', { amount: 1234, currency: 'KWD' })).payment['id'];
    const { context, page, open } = await world.windowOf(await world.staff('hubadmin'), {
      viewport: { width: 390, height: 800 },
    });
    const expectNarrow = async (path: string): Promise<void> => {
      await loaded(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(390);
    };
    for (const path of ['payments', 'accounts', 'customers', 'processors', `accounts/${account.id}`]) {
      await open(`/test/${path}`);
      await page.getByText('متجر').first().waitFor({ state: 'attached' });
      await expectNarrow(path);
    }
    for (const [id, shown, left, wrong] of [
      [yen, '¥1,234', '1234', '1.5'],
      [dinars, /KWD\s1\.234/, '1.234', '1.2345'],
    ] as const) {
      await open(`/test/payments/${id}`);
      await heading(page, shown).waitFor();
      await button(page, 'Refund').click();
      expect(
        await dialog(page)
          .getByLabel(/^Amount in/)
          .inputValue(),
      ).toBe(left);
      await dialog(page).getByText(shown).first().waitFor();
      await dialog(page)
        .getByLabel(/^Amount in/)
        .fill(wrong);
      await dialog(page).getByText('An amount such as').waitFor();
      await expectNarrow(`the refund of ${left}`);
    }
    await context.close();
  });
});
