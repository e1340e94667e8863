import { expect, test } from 'vitest';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();

test('200: a processor is added and listed beside the one of every test account', async () => {
  const created = await account.api.ok('/processors/create', {
    name: 'Euros',
    type: 'test',
    supportedCurrencies: ['EUR', 'EUR'],
  });
  expect(created).toMatchObject({
    platformAccountId: account.id,
    name: 'Euros',
    type: 'test',
    enabled: true,
    connected: true,
    supportedCurrencies: ['EUR'],
    options: {},
    secretOptions: [],
    livemode: false,
  });
  const { items, total } = await account.api.ok('/processors/list', { sortBy: { field: 'name', direction: 'asc' } });
  expect([total, items[0]]).toEqual([2, created]);
  expect((await account.api.ok('/processors/list', { filters: { enabled: false } })).total).toBe(0);
});

test('a charge goes to the processor it names, and to none that is disabled or lacks the currency', async () => {
  const { id: named } = await account.api.ok('/processors/create', { name: 'Second', type: 'test' });
  expect((await account.charge('tok_visa', { processorId: named })).payment['processorId']).toBe(named);
  for (const more of [{ enabled: false }, { supportedCurrencies: ['JPY'] }]) {
    const { id: processorId } = await account.api.ok('/processors/create', { name: 'Unfit', type: 'test', ...more });
    expect((await account.charge('tok_visa', { processorId })).payment).toMatchObject({
      status: 'failed',
      failureCode: 'no_processor',
    });
  }
});

test('400 for the test processor in live mode, an unknown type, and a partner key without a store', async () => {
  const live = await seedPartner(platform, 'live', partner.id);
  const { api } = await live.account();
  expect((await api.call('/processors/create', { name: 'x', type: 'test' })).body.data.issues[0].path).toBe('type');
  expect(await api.ok('/processors/create', { name: 'x', type: 'stripe' })).toMatchObject({
    type: 'stripe',
    livemode: true,
  });
  expect((await account.api.call('/processors/create', { name: 'x', type: 'bank' })).status).toBe(400);
  expect((await partner.api.call('/processors/create', { name: 'x', type: 'test' })).body.data.issues[0].path).toBe(
    'storeId',
  );
  expect(
    (await partner.api.call('/processors/create', { name: 'x', type: 'test', storeId: account.storeId })).status,
  ).toBe(200);
});
