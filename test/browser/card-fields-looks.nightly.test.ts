// guards: src/domains/card-fields
// cspell:ignore Geben ganze Kartennummer Gültig Prüfnummer Nordwind Schließen Vielen Dank Bestätigen
import { expect, test } from 'vitest';
import { logoPath, readLogo } from '../../src/theme/logo.ts';
import { dataUrlOf, pngOf } from '../support/images.ts';
import { bankOf, cardFieldsWorld, cardOf, flawsIn, mount, shoot } from './card-fields-world.ts';

const world = cardFieldsWorld();
const { opened, visit, createSession } = world;

test.each([
  'light',
  'dark',
] as const)("fields, layer and return speak the visitor's language and show the partner's logo and color on a %s screen", {
  timeout: 60_000,
}, async (colorScheme) => {
  const logo = readLogo(dataUrlOf(pngOf(64, 64)));
  if ('problem' in logo) throw new Error(logo.problem);
  const branding = { displayName: 'Nordwind Pay', primaryColor: '#0f766e', logoImage: logoPath(logo) };
  const { prisma, clock } = world.platform.services;
  const { partnerId } = await prisma.processingAccount.findUniqueOrThrow({ where: { id: world.account.id } });
  await prisma.partner.update({ where: { id: partnerId }, data: { branding } });
  const stored = { file: logo.file, content: Uint8Array.from(logo.content), createdAt: clock.now() };
  await prisma.partnerLogo.upsert({ where: { partnerId }, create: { partnerId, ...stored }, update: stored });

  const german = await world.browser.newContext({
    viewport: { width: 390, height: 844 },
    locale: 'de-AT',
    colorScheme,
  });
  opened.push(german);
  const page = await visit(world.plainUrl, {}, german);
  const { id, clientSecret } = await createSession();
  await mount(page, { clientSecret });
  await cardOf(page).getByLabel('Kartennummer').fill('4000000000003220');
  const fields = page.frames().find((frame) => frame.url().includes('/fields/frame/'));
  expect(
    await fields?.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--colorAccent')),
  ).toBe('#0f766e');
  const { payment } = await world.account.charge('4000000000003220', { amount: 4_900 });
  const { url } = payment['requireActionData'] as { url: string };
  const confirmed = page.evaluate((to) => window.fields.confirm({ url: to }), url);
  await bankOf(page).getByRole('button', { name: 'Bestätigen' }).waitFor();
  await shoot(page, `layer-de-${colorScheme}`);
  const layer = page.frames().find((frame) => frame.url().includes('/fields/challenge/'));
  if (!layer) throw new Error('There is no layer.');
  expect(await flawsIn(layer)).toEqual([]);
  expect(
    await layer.evaluate(() => [
      document.documentElement.lang,
      document.querySelector('#brand')?.textContent,
      document.images[0]?.naturalWidth,
      matchMedia('(prefers-color-scheme: dark)').matches,
    ]),
  ).toEqual(['de', 'Nordwind Pay', 64, colorScheme === 'dark']);
  // The frame of the button is gone before the click ends, so the click is not awaited.
  void page
    .frameLocator('dialog iframe')
    .getByRole('button', { name: 'Schließen' })
    .click()
    .catch(() => undefined);
  expect(await confirmed).toEqual({ status: 'closed' });

  await page.goto(`${world.platform.url}/fields/return/${id}`);
  await page.getByRole('heading', { name: 'Vielen Dank' }).waitFor();
  expect(await flawsIn(page.mainFrame())).toEqual([]);
  await shoot(page, `return-de-${colorScheme}`);
});
