import { expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { pluginsOf } from './sample.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const plugins = pluginsOf(account.api);
const { body } = await plugins.deploy({ autoInstantiate: true });
await plugins.ok('/instance/mount', {
  deploymentInstanceId: body.instance.id,
  storeId: account.storeId,
  alias: 'shop',
});
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${platform.url}/p/${account.storeId}/shop${path}`, { headers });

test("404 for a missing file: a page with the partner's branding for a browser, JSON for others", async () => {
  const name = 'Branded Partner';
  await platform.services.prisma.partner.update({ where: { id: partner.id }, data: { name } });
  const shown = await get('/missing.js', { Accept: 'text/html' });
  expect([shown.status, shown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(await shown.text()).toContain('Branded Partner');
  const answered = await get('/missing.js');
  expect([answered.status, await answered.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
});

test('a page varies by the cookie and the language of the browser', async () => {
  const page = await get('/checkout');
  const varies = (page.headers.get('vary') ?? '').split(/, */);
  expect(varies).toEqual(expect.arrayContaining(['Accept-Language', 'Cookie']));
  const german = await get('/checkout', { Cookie: 'lang=de', 'Accept-Language': 'en' });
  expect(await german.text()).toContain('"locale":"de"');
});
