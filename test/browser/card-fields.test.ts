// guards: src/domains/card-fields src/domains/instruments rest/pages/shoppers rest/pages/frame src/theme
import { expect, test } from 'vitest';
import { bankOf, cardFieldsWorld, cardOf, enter, flawsIn, pay, payButton, shoot, thanks } from './card-fields-world.ts';

const world = cardFieldsWorld();
const { complaints, visit, charged } = world;

test('a visitor with a phone and a keyboard pays; axe finds nothing in the page and in the frame', {
  timeout: 60_000,
}, async () => {
  const since = new Date();
  const page = await visit(world.shopUrl, { width: 390, height: 844 });
  await cardOf(page).getByLabel('Card number').waitFor();
  const [top, frame] = page.frames();
  if (!top || !frame) throw new Error('There is no frame.');
  expect([await flawsIn(top), await flawsIn(frame)]).toEqual([[], []]);
  await payButton(page).focus();
  await page.keyboard.press('Enter');
  // The first wrong field has the focus, and says what is wrong.
  await cardOf(page).getByText('Enter the full card number.').waitFor();
  expect(await frame.evaluate(() => document.activeElement?.id)).toBe('number');
  expect(await cardOf(page).getByLabel('Card number').getAttribute('aria-invalid')).toBe('true');
  await shoot(page, 'wrong');
  expect(await flawsIn(frame)).toEqual([]);
  await page.keyboard.type('4242424242424242');
  await page.keyboard.press('Tab');
  await page.keyboard.type('1239');
  await page.keyboard.press('Tab');
  await page.keyboard.type('123');
  await shoot(page, 'phone');
  expect(await cardOf(page).getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242');
  expect(await cardOf(page).locator('#brand').innerText()).toBe('Visa');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  // Enter in a field submits, and from the last field the next stop is the button of the page.
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('pay');
  await page.keyboard.press('Enter');
  await thanks(page);
  expect(await charged(since)).toEqual(['succeeded']);
});

test('Enter in a field submits; clicks at once, a reload and a second tab are one charge', {
  timeout: 60_000,
}, async () => {
  const since = new Date();
  const page = await visit();
  const other = await visit(world.shopUrl, {}, world.context);
  await Promise.all([enter(page), enter(other)]);
  await payButton(page).evaluate((button: HTMLButtonElement) => {
    for (let clicks = 0; clicks < 3; clicks++) button.click();
  });
  await cardOf(other).getByLabel('Security code').press('Enter');
  await Promise.all([thanks(page), thanks(other)]);
  await page.reload();
  await thanks(page);
  expect(await charged(since)).toEqual(['succeeded']);
});

test('a challenge is answered in a layer over the page, also after closing it and after a reload', {
  timeout: 60_000,
}, async () => {
  const since = new Date();
  const page = await visit(world.shopUrl, { width: 390, height: 844 });
  await pay(page, '4000000000003220');
  await bankOf(page).getByText('$49.00 with the card ending in 3220').waitFor();
  await shoot(page, 'challenge');
  const layer = page.frames().find((frame) => frame.url().includes('/fields/challenge/'));
  if (!layer) throw new Error('There is no layer.');
  expect(await flawsIn(layer)).toEqual([]);
  // Later, because the layer is removed with its frame: a key press that waits for the frame would wait for ever.
  await layer.evaluate(() => void setTimeout(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' }))));
  await page.getByText('The payment is not confirmed yet.').waitFor();
  await payButton(page).click();
  await bankOf(page).getByRole('button', { name: 'Complete' }).waitFor();
  await page.reload();
  await bankOf(page).getByRole('button', { name: 'Complete' }).click();
  await thanks(page);
  expect(page.url()).toBe(`${world.shopUrl}/`);
  expect(await charged(since)).toEqual(['succeeded']);
});

test('a failed challenge and a declined card are said, and another card pays', { timeout: 60_000 }, async () => {
  const since = new Date();
  const page = await visit();
  await pay(page, '4000000000003220');
  await bankOf(page).getByRole('button', { name: 'Fail' }).click();
  await page.getByText('The card was declined. Try another card.').waitFor();
  await pay(page, '4000000000000002');
  await expect.poll(() => charged(since)).toEqual(['declined', 'declined']);
  await page.getByText('The card was declined. Try another card.').waitFor();
  await expect.poll(() => cardOf(page).getByLabel('Card number').inputValue()).toBe('');
  await pay(page);
  await thanks(page);
  expect(await charged(since)).toEqual(['declined', 'declined', 'succeeded']);
});

test('the network fails at each step: the page says so, trying again goes on, and nothing happens twice', {
  timeout: 80_000,
}, async () => {
  const since = new Date();
  const page = await visit('about:blank');
  /** The next request is lost, or the answer to it. */
  const lose = (url: string, what: 'request' | 'answer') =>
    world.context.route(
      url,
      async (route) => {
        if (what === 'answer') await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
  await lose('**/fields/v1.*.js', 'request');
  await lose('**/fields/frame/*', 'request');
  await lose('**/fields/session', 'request');
  await page.goto(world.shopUrl);
  await page.getByRole('status').getByText('The card form could not be loaded.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('#card').getByRole('alert').getByText('could not be loaded').waitFor();
  await shoot(page, 'unavailable');
  await page.locator('#card').getByRole('button', { name: 'Try again' }).click();
  await cardOf(page).getByRole('alert').getByText('No connection.').waitFor();
  await shoot(page, 'no-answer');
  await cardOf(page).getByRole('button', { name: 'Try again' }).click();

  await lose('**/fields/submit', 'answer');
  await pay(page, '4000000000003220');
  await cardOf(page).getByRole('alert').getByText('No connection.').waitFor();
  await lose(`${world.shopUrl}/pay`, 'answer');
  await payButton(page).click();
  await page.locator('#problem').getByText('you are charged once at most').waitFor();
  await lose('**/fields/challenge/*', 'request');
  await payButton(page).click();
  await page.locator('#problem').getByText('The card form could not be loaded.').waitFor();
  await lose('**/test/3ds/*', 'request');
  await payButton(page).click();
  await page.frameLocator('dialog iframe').getByRole('button', { name: 'Load it again' }).click();
  await lose(`${world.shopUrl}/continue`, 'answer');
  await bankOf(page).getByRole('button', { name: 'Complete' }).click();
  await page.locator('#problem').getByText('you are charged once at most').waitFor();
  await payButton(page).click();
  await thanks(page);

  expect(await charged(since)).toEqual(['succeeded']);
  const tokens = await world.platform.services.prisma.token.count({
    where: { platformAccountId: world.account.id, createdAt: { gte: since } },
  });
  expect(tokens).toBe(1);
  expect(complaints.splice(0).filter((text) => !text.includes('net::ERR_FAILED'))).toEqual([]);
});
