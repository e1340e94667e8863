import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../../../src/lib/clock.ts';
import type { Answer } from '../../../support/client.ts';
import { usePlatform } from '../../../support/platform.ts';
import { disableRateLimits } from '../../../support/rates.ts';
import { type SeededAccount, seedPartner } from '../../../support/seed.ts';

const clock = manualClock(new Date('2026-05-05T05:05:05Z'));

let account: SeededAccount;
let first: string;
let second: string;
const platform = await usePlatform({ clock });
await disableRateLimits(platform);
const partner = await seedPartner(platform);

beforeEach(async () => {
  account = await partner.account();
  [first, second] = [await processorOf(account), await processorOf(account)];
});

async function processorOf({ api, storeId }: SeededAccount, type = 'test'): Promise<string> {
  return (await api.ok('/processors/create', { name: 'Cards', type, storeId })).id;
}
const create = (body: object, api = account.api) =>
  api.call('/payment-flows/create', { name: 'Flow', processors: [{ processorId: first, weight: 1 }], ...body });
const put = (id: string, body: object, api = account.api) => api.call(`/payment-flows/${id}`, body, { method: 'PUT' });
const remove = (id: string, api = account.api) => api.call(`/payment-flows/${id}`, undefined, { method: 'DELETE' });
const issuesOf = ({ status, body }: Answer) => [
  status,
  ...(body.data?.issues ?? []).map(({ path, message }: { path: string; message: string }) => `${path} ${message}`),
];
const pathsOf = ({ status, body }: Answer) => [
  status,
  ...(body.data?.issues ?? []).map(({ path }: { path: string }) => path),
];

describe('POST /payment-flows/create', () => {
  test('200: a name and processors are enough', async () => {
    const { body } = await create({ processors: [{ processorId: second }, { processorId: first, weight: 3 }] });
    expect(body).toEqual({
      id: expect.stringMatching(/^flow_/),
      platformAccountId: account.id,
      name: 'Flow',
      strategy: 'simple',
      processors: [
        { processorId: second, weight: 1 },
        { processorId: first, weight: 3 },
      ],
      fallbacks: [],
      maxRetries: 3,
      sticky: false,
      threeDs: 'automatic',
      livemode: false,
      createdAt: clock.now().toISOString(),
      updatedAt: clock.now().toISOString(),
    });
    expect((await account.api.ok('/payment-flows/list', {})).items).toEqual([body]);
  });

  test('200: a cascade with every field, its fallbacks in order; a repeat under its key is the same flow', async () => {
    const body = {
      name: 'All',
      strategy: 'cascade',
      processors: [
        { processorId: first, weight: 10_000 },
        { processorId: second, weight: 1 },
      ],
      fallbacks: [
        { processorId: first, order: 100 },
        { processorId: second, order: 0 },
      ],
      maxRetries: 10,
      sticky: true,
      threeDs: 'force',
    };
    const call = () => account.api.call('/payment-flows/create', body, { headers: { 'Idempotency-Key': 'all' } });
    const made = await call();
    expect(made.body).toMatchObject({
      ...body,
      fallbacks: [
        { processorId: second, order: 0 },
        { processorId: first, order: 100 },
      ],
    });
    expect((await call()).body).toEqual(made.body);
    expect((await account.api.ok('/payment-flows/list', { filters: { strategy: ['cascade'] } })).total).toBe(1);
  });

  test('200 with a partner key: the flow is of the account of its processors', async () => {
    expect((await create({}, partner.api)).body.platformAccountId).toBe(account.id);
    expect((await create({ storeId: account.storeId }, partner.api)).body.platformAccountId).toBe(account.id);
  });

  test('400 naming inconsistent fields', async () => {
    const [one, other] = [
      { processorId: first, weight: 1 },
      { processorId: second, weight: 1 },
    ];
    expect(issuesOf(await create({ processors: [] }))).toEqual([400, 'processors must contain at least one processor']);
    expect(issuesOf(await create({ processors: [one, other, one] }))).toEqual([
      400,
      'processors[2].processorId must be unique',
    ]);
    expect(issuesOf(await create({ fallbacks: [{ processorId: second, order: 1 }] }))).toEqual([
      400,
      'fallbacks are only for the strategy cascade',
    ]);
    expect(
      issuesOf(
        await create({
          strategy: 'cascade',
          fallbacks: [
            { processorId: second, order: 1 },
            { processorId: second, order: 1 },
          ],
        }),
      ),
    ).toEqual([
      400,
      'fallbacks[1].processorId must be unique',
      'fallbacks[1].order must be unique among the fallbacks',
    ]);
    expect((await create({ fallbacks: [] })).status).toBe(200);
    expect((await create({ fallbacks: null })).status).toBe(200);
    expect(pathsOf(await create({ strategy: 'cascade', processors: Array.from({ length: 21 }, () => one) }))[1]).toBe(
      'processors',
    );
  });

  test('400 naming the field on both sides of each bound', async () => {
    const weighted = (weight: unknown) => create({ processors: [{ processorId: first, weight }] });
    const ordered = (order: unknown) => create({ strategy: 'cascade', fallbacks: [{ processorId: second, order }] });
    for (const weight of [0, -1, 1.5, 10_001, '1', null])
      expect(pathsOf(await weighted(weight))).toEqual([400, 'processors[0].weight']);
    for (const weight of [1, 10_000]) expect((await weighted(weight)).status).toBe(200);
    for (const order of [-1, 101, null]) expect(pathsOf(await ordered(order))).toEqual([400, 'fallbacks[0].order']);
    for (const order of [0, 100]) expect((await ordered(order)).status).toBe(200);
    for (const maxRetries of [-1, 11, null]) expect(pathsOf(await create({ maxRetries }))).toEqual([400, 'maxRetries']);
    for (const maxRetries of [0, 10]) expect((await create({ maxRetries })).status).toBe(200);
    for (const [field, value] of [
      ['name', ''],
      ['name', 'x'.repeat(101)],
      ['strategy', 'random'],
      ['sticky', 'yes'],
      ['threeDs', 'never'],
    ] as const)
      expect(pathsOf(await create({ [field]: value }))).toEqual([400, field]);
    expect(pathsOf(await create({ processors: [{ processorId: first, share: 1 }] }))).toEqual([
      400,
      'processors[0].share',
    ]);
  });

  test('400 naming a processor of another account, partner or mode, or unknown', async () => {
    const live = await (await seedPartner(platform, 'live', partner.id)).account();
    const sibling = await partner.account();
    const foreign = [
      await processorOf(sibling),
      await processorOf(await (await seedPartner(platform)).account()),
      await processorOf(live, 'stripe'),
      'proc_nothing',
    ];
    for (const processorId of foreign) {
      expect(issuesOf(await create({ processors: [{ processorId: first }, { processorId }] }))).toEqual([
        400,
        'processors[1].processorId must be a processor of the account',
      ]);
      expect(issuesOf(await create({ strategy: 'cascade', fallbacks: [{ processorId, order: 1 }] }))).toEqual([
        400,
        'fallbacks[0].processorId must be a processor of the account',
      ]);
      // The processor of the other account is visible to a partner key, but a flow belongs to one account.
      expect(issuesOf(await create({ processors: [{ processorId: first }, { processorId }] }, partner.api))).toEqual([
        400,
        'processors[1].processorId must be a processor of the account',
      ]);
    }
    expect(pathsOf(await create({ storeId: sibling.storeId }, partner.api))).toEqual([
      400,
      'processors[0].processorId',
    ]);
    expect((await create({ storeId: sibling.storeId })).status).toBe(403);
  });

  test('409 limit_reached for the 101st flow of an account', async () => {
    const { body } = await create({});
    await platform.services.pool.query(
      `INSERT INTO payment_flows
        SELECT (jsonb_populate_record(f, jsonb_build_object('id', f.id || n))).*
        FROM payment_flows f, generate_series(1, 98) n
        WHERE id = $1`,
      [body.id],
    );
    const raced = await Promise.all([create({}), create({}), create({})]);
    expect(raced.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(raced.find(({ status }) => status === 409)?.body.data.reason).toBe('limit_reached');
    expect((await account.api.ok('/payment-flows/list', { pageSize: 1 })).total).toBe(100);
  });
});

describe('PUT /payment-flows/:id', () => {
  test('200: named fields change, lists are replaced whole, the rest stays', async () => {
    const { body: made } = await create({
      strategy: 'cascade',
      fallbacks: [{ processorId: second, order: 1 }],
      maxRetries: 2,
    });
    expect((await put(made.id, {})).body).toEqual(made);
    expect((await put(made.id, { name: 'Renamed', sticky: true, threeDs: 'skip', maxRetries: 0 })).body).toEqual({
      ...made,
      name: 'Renamed',
      sticky: true,
      threeDs: 'skip',
      maxRetries: 0,
    });
    expect((await put(made.id, { processors: [{ processorId: second, weight: 7 }] })).body).toMatchObject({
      processors: [{ processorId: second, weight: 7 }],
      fallbacks: [{ processorId: second, order: 1 }],
    });
    expect((await put(made.id, { fallbacks: null, strategy: 'simple' })).body).toMatchObject({
      strategy: 'simple',
      fallbacks: [],
      name: 'Renamed',
    });
    const { rows } = await platform.services.pool.query(
      'SELECT action, after FROM audit_rows WHERE target = $1 ORDER BY sequence',
      [made.id],
    );
    expect(rows.map(({ action }) => action)).toEqual([
      'createPaymentFlow',
      ...Array.from({ length: 4 }, () => 'updatePaymentFlow'),
    ]);
  });

  test('400 for null in a required field, a simple flow with fallbacks, and a foreign processor', async () => {
    const { body: made } = await create({ strategy: 'cascade', fallbacks: [{ processorId: second, order: 1 }] });
    for (const field of ['name', 'strategy', 'processors', 'maxRetries', 'sticky', 'threeDs'])
      expect(pathsOf(await put(made.id, { [field]: null }))).toEqual([400, field]);
    expect(issuesOf(await put(made.id, { strategy: 'simple' }))).toEqual([
      400,
      'strategy must be cascade while the flow has fallbacks: send fallbacks: [] with it',
    ]);
    const other = await processorOf(await partner.account());
    for (const api of [account.api, partner.api])
      expect(pathsOf(await put(made.id, { processors: [{ processorId: other }] }, api))).toEqual([
        400,
        'processors[0].processorId',
      ]);
    expect((await account.api.ok('/payment-flows/list', {})).items).toEqual([made]);
  });
});

describe('DELETE /payment-flows/:id', () => {
  test('200 once, then 404, and 409 while a store uses it', async () => {
    const { body: made } = await create({});
    const store = await account.api.ok('/stores/create', { name: 'Second', paymentFlowId: made.id });
    expect(store.paymentFlowId).toBe(made.id);
    const refused = await remove(made.id);
    expect([refused.status, refused.body.data.reason]).toEqual([409, 'invalid_state']);
    expect(refused.body.message).toContain(store.id);
    expect(
      (await account.api.call(`/stores/${store.id}`, { paymentFlowId: null }, { method: 'PUT' })).body,
    ).toMatchObject({ name: 'Second', paymentFlowId: null });
    expect((await remove(made.id)).body).toEqual({ id: made.id, deleted: true });
    expect((await remove(made.id)).status).toBe(404);
    expect((await account.api.ok('/payment-flows/list', {})).total).toBe(0);
  });

  test('a flow assigned to a store while it is deleted is either kept or deleted for both', async () => {
    for (let round = 0; round < 10; round++) {
      const { body: made } = await create({});
      const [removed, taken] = await Promise.all([
        remove(made.id),
        account.api.call(`/stores/${account.storeId}`, { paymentFlowId: made.id }, { method: 'PUT' }),
      ]);
      expect([
        [200, 404],
        [409, 200],
      ]).toContainEqual([removed.status, taken.status]);
      await account.api.ok(`/stores/${account.storeId}`, { paymentFlowId: null }, { method: 'PUT' });
    }
  });
});

test('404 for a foreign flow: on update, on delete, at a store, and for a charge', async () => {
  const live = await (await seedPartner(platform, 'live', partner.id)).account();
  const { body: ofLive } = await create({ processors: [{ processorId: await processorOf(live, 'stripe') }] }, live.api);
  const sibling = await partner.account();
  const { body: ofSibling } = await create({ processors: [{ processorId: await processorOf(sibling) }] }, sibling.api);
  const { id: paymentInstrumentId } = await account.instrument();
  for (const paymentFlowId of [ofLive.id, ofSibling.id, 'flow_nothing']) {
    expect((await put(paymentFlowId, { name: 'Mine' })).status).toBe(404);
    expect((await remove(paymentFlowId)).status).toBe(404);
    expect((await account.api.call('/stores/create', { name: 'Second', paymentFlowId })).status).toBe(404);
    expect((await account.api.call(`/stores/${account.storeId}`, { paymentFlowId }, { method: 'PUT' })).status).toBe(
      404,
    );
    for (const more of [{}, { processorId: first }])
      expect(
        (
          await account.api.call('/payments/process', {
            paymentInstrumentId,
            amount: 1,
            currency: 'USD',
            paymentFlowId,
            ...more,
          })
        ).status,
      ).toBe(404);
  }
  // The flow of the other account is visible to the partner key, but a store accepts only flows of its own account.
  expect(
    (await partner.api.call(`/stores/${account.storeId}`, { paymentFlowId: ofSibling.id }, { method: 'PUT' })).status,
  ).toBe(404);
  expect((await sibling.api.call(`/stores/${account.storeId}`, { name: 'Mine' }, { method: 'PUT' })).status).toBe(404);
  expect((await put(ofSibling.id, { name: 'Ours' }, partner.api)).body.name).toBe('Ours');
  expect(pathsOf(await account.api.call(`/stores/${account.storeId}`, { name: null }, { method: 'PUT' }))).toEqual([
    400,
    'name',
  ]);
});
