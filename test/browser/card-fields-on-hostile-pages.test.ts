// guards: src/domains/card-fields src/domains/instruments rest/pages/shoppers rest/pages/frame src/theme
// cspell:ignore Geben vollständige Kartennummer Gültig Prüfnummer Nordwind Schließen Vielen Dank Bestätigen
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { cardFieldsWorld, cardOf, codesOf, enterIn, mount, shoot, submitOn } from './card-fields-world.ts';

const world = cardFieldsWorld();
const { complaints, sent, visit, createSession } = world;

test('another origin can neither frame the fields, nor ask with the secret, nor speak to the frame of a shop', {
  timeout: 80_000,
}, async () => {
  const { id, clientSecret } = await createSession();
  const hostile = await visit(world.plainUrl.replace('localhost', 'hostile.localhost'));
  await mount(hostile, { clientSecret });
  const requested = await hostile.evaluate(
    async ([url, secret]) => {
      const ask = (path: string, init: RequestInit) =>
        fetch(url + path, init).then(
          () => 'answered',
          () => 'refused',
        );
      const body = JSON.stringify({ clientSecret: secret });
      const json = { 'Content-Type': 'application/json' };
      return Promise.all([
        ask('/fields/session', { method: 'POST', headers: json, body }),
        ask('/fields/submit', { method: 'POST', headers: json, body }),
        ask('/api/public/v1/auth/test', { headers: { Authorization: 'Bearer x' } }),
      ]);
    },
    [world.platform.url, clientSecret] as const,
  );
  expect(requested).toEqual(['refused', 'refused', 'refused']);
  // The browser does not show the frame on its page, which the script says after 15 seconds at the latest.
  await hostile.getByRole('alert').getByText('The card form could not be loaded.').waitFor({ timeout: 20_000 });
  expect(await codesOf(hostile)).toEqual(['frame_unavailable']);
  // It opens a page that may frame the fields, knows even the secret, and speaks first.
  const popup = hostile.context().waitForEvent('page');
  await hostile.evaluate(
    (url) => void Object.assign(globalThis, { opened: open(url) }),
    `${world.plainUrl}/bare/${id}`,
  );
  const bare = await popup;
  // A popup is an empty page first, which has loaded too.
  await bare.waitForURL('**/bare/*');
  const speak = ([origin, secret]: readonly [string, string]): Promise<string[]> => {
    const channel = new MessageChannel();
    window.answers = [];
    channel.port1.addEventListener('message', ({ data }) => window.answers.push(data.type));
    channel.port1.start();
    const to = (window.opened ?? window).frames[0];
    to?.postMessage({ type: 'platform-fields/init', clientSecret: secret }, origin, [channel.port2]);
    return Promise.resolve(window.answers);
  };
  await hostile.evaluate(speak, [world.platform.url, clientSecret] as const);
  await bare.evaluate(speak, [world.platform.url, clientSecret] as const);
  const answersOf = (page: Page) => page.evaluate(() => window.answers);
  await expect.poll(() => answersOf(bare)).toContain('ready');
  expect(await answersOf(hostile)).toEqual([]);
  expect(await world.platform.services.prisma.clientSession.findUnique({ where: { id } })).toMatchObject({
    attempts: 0,
  });
  expect(complaints.splice(0).some((text) => text.includes('frame-ancestors'))).toBe(true);
});

test('what is entered before the page around has spoken is no error, and is reported when the session has opened', {
  timeout: 60_000,
}, async () => {
  const { id, clientSecret } = await createSession();
  const page = await visit(`${world.plainUrl}/bare/${id}`);
  await enterIn(page.frameLocator('iframe'));
  await page.frameLocator('iframe').getByLabel('Security code').press('Enter');
  await page.evaluate(
    ([origin, secret]) => {
      const { port1, port2 } = new MessageChannel();
      window.answers = [];
      port1.addEventListener('message', ({ data }) => data.change && window.answers.push(JSON.stringify(data.change)));
      port1.start();
      frames[0]?.postMessage({ type: 'platform-fields/init', clientSecret: secret }, origin, [port2]);
    },
    [world.platform.url, clientSecret] as const,
  );
  await expect.poll(() => page.evaluate(() => window.answers.length)).toBe(1);
  expect(JSON.parse((await page.evaluate(() => window.answers[0])) ?? '')).toMatchObject({ complete: true });
});

test('a page cannot swap the amount, style by code, lay itself over the fields to submit, or use a secret again', {
  timeout: 60_000,
}, async () => {
  const { clientSecret } = await createSession();
  const page = await visit(world.plainUrl);
  const variables = {
    colorAccent: '#0a7',
    fontFamily: 'Georgia',
    colorText: 'url(https://hostile.example.com)',
    position: 'fixed',
    gap: '0;display:none',
  };
  await mount(page, { clientSecret, amount: 1, locale: 'de-AT' }, { amount: 1, appearance: { variables } });
  const card = cardOf(page);
  await card.getByText('49,00').waitFor();
  await shoot(page, 'german');
  expect(await card.locator('#summary').innerText()).not.toContain('0,01');
  await expect.poll(() => codesOf(page)).toEqual(['invalid_appearance', 'ready']);
  const style = await card.locator('html').getAttribute('style');
  expect(style).toBe('--colorAccent: #0a7; --fontFamily: "Georgia";');
  expect(await submitOn(page)).toBe('incomplete_card');
  await card.getByText('Geben Sie die vollständige Kartennummer ein.').waitFor();
  await card.getByLabel('Kartennummer').fill('4242424242424242');
  await card.getByLabel('Gültig bis (MM / JJ)').fill('1239');
  await card.getByLabel('Prüfnummer').fill('123');
  // An invisible frame under the pointer: nothing in it submits by itself.
  await page.evaluate(() => document.querySelector('iframe')?.style.setProperty('opacity', '0.01'));
  const box = await page.locator('#card iframe').boundingBox();
  for (let y = 5; y < (box?.height ?? 0); y += 20) await page.mouse.click((box?.x ?? 0) + 40, (box?.y ?? 0) + y);
  await page.keyboard.press('Enter');
  expect(sent.filter((url) => url.endsWith('/fields/submit'))).toEqual([]);
  const refusal = await page.evaluate(() =>
    window.fields
      .confirm({ url: 'javascript:parent.postMessage(1, "*")' })
      .then(String, ({ code }: { code: string }) => code),
  );
  expect(refusal).toBe('invalid_action');
  const token = await submitOn(page);
  expect([token, await submitOn(page)]).toEqual([expect.stringMatching(/^tok_/), token]);
  await mount(page, { clientSecret, locale: 'en' });
  await card.getByText('This form is no longer valid.').waitFor();
  expect([await codesOf(page), await submitOn(page)]).toEqual([['session_over'], 'session_over']);
  // The browser reports the answer 410.
  expect(complaints.splice(0)).toEqual([expect.stringContaining('410')]);
});
