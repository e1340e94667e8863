import { describe, expect, test } from 'vitest';
import { kybValues } from '../../../../src/domains/accounts/kyb/kyb-rows.ts';
import { kybCodes } from '../../../../src/domains/accounts/kyb/lifecycle.ts';
import { rewrapColumn } from '../../../../src/keys/rewrap.ts';
import { usePlatform } from '../../../support/platform.ts';
import { seedPartner } from '../../../support/seed.ts';
import { itemsOf, marker } from './people.ts';

const platform = await usePlatform();
const partner = await seedPartner(platform);
const live = await seedPartner(platform, 'live', partner.id);

const fresh = async (of = partner): Promise<string> => (await of.api.ok('/accounts', { legalName: 'Fresh Ltd' })).id;
const submit = (id: string, body: object, headers: Record<string, string> = {}, of = partner) =>
  of.api.call(`/accounts/${id}/kyb/submit`, body, { headers });
const kybEvents = async (id: string) =>
  (await platform.services.prisma.event.findMany({ where: { objectId: id }, orderBy: { sequence: 'asc' } })).map(
    ({ type, sequence, data }) => [type, sequence, (data as { object: { kybStatus: string } }).object.kybStatus],
  );

describe('submission', () => {
  test('200 a new account has ten requirements, and its sub-key reads them', async () => {
    const account = await partner.account();
    const body = await account.api.ok(`/accounts/${account.id}/kyb`);
    expect(body).toMatchObject({ platformAccountId: account.id, kybStatus: 'not_started' });
    expect(body.requirements.map(({ code }: { code: string }) => code)).toEqual([...kybCodes]);
    expect(body.requirements[3]).toEqual({
      code: 'business.address',
      category: 'business',
      description: expect.any(String),
      required: true,
      status: 'missing',
      rejectionReason: null,
      submittedAt: null,
      reviewedAt: null,
    });
    expect(await partner.api.ok(`/accounts/${account.id}/kyb`)).toEqual(body);
  });

  test('200 a test account is in progress after a part, approved with the last; each step is an event', async () => {
    const id = await fresh();
    const part = (await submit(id, itemsOf(kybCodes.slice(0, 9)))).body;
    expect(part.kybStatus).toBe('in_progress');
    expect(part.requirements.map(({ status }: { status: string }) => status)).toEqual([
      ...Array(9).fill('submitted'),
      'missing',
    ]);
    const whole = (await submit(id, itemsOf(kybCodes.slice(9)))).body;
    expect(whole.kybStatus).toBe('approved');
    for (const requirement of whole.requirements)
      expect(requirement).toMatchObject({
        status: 'approved',
        reviewedAt: expect.any(String),
        submittedAt: expect.any(String),
      });
    expect(await partner.api.ok(`/accounts/${id}`)).toMatchObject({ status: 'active', kybStatus: 'approved' });
    expect(await kybEvents(id)).toEqual([
      ['account/created', 1, 'not_started'],
      ['account/kybUpdated', 2, 'in_progress'],
      ['account/kybUpdated', 3, 'submitted'],
      ['account/kybUpdated', 4, 'approved'],
    ]);
    const { items } = await partner.api.ok('/accounts/list', { filters: { kybStatus: ['approved'] } });
    expect(items.map((account: { id: string }) => account.id)).toContain(id);
  });

  test('200 the value `reject` rejects that requirement only; once corrected, the rest stays approved', async () => {
    const id = await fresh();
    await submit(id, itemsOf(['business.mcc'], { 'business.mcc': 'reject' }));
    const { body } = await submit(id, itemsOf(kybCodes.filter((code) => code !== 'business.mcc')));
    expect(body.kybStatus).toBe('rejected');
    expect(body.requirements.filter(({ status }: { status: string }) => status === 'rejected')).toMatchObject([
      { code: 'business.mcc', rejectionReason: expect.stringContaining('reject') },
    ]);
    expect((await submit(id, itemsOf(['business.mcc', 'business.website']))).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'invalid_state', codes: ['business.website'] },
    });
    const repairedCount = (await submit(id, itemsOf(['business.mcc'], { 'business.mcc': '5999' }))).body;
    expect(repairedCount).toMatchObject({ kybStatus: 'approved' });
    expect(repairedCount.requirements[5]).toMatchObject({ status: 'approved', rejectionReason: null });
    expect((await kybEvents(id)).map(([, , status]) => status)).toEqual([
      'not_started',
      'in_progress',
      'submitted',
      'rejected',
      'submitted',
      'approved',
    ]);
  });

  test('409 for a submission to an approved KYB, and while a live one is in review', async () => {
    const id = await fresh();
    await submit(id, itemsOf());
    expect((await submit(id, itemsOf(['business.mcc']))).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'invalid_state' },
    });
    const livingId = await fresh(live);
    expect((await submit(livingId, itemsOf(), {}, live)).body.kybStatus).toBe('submitted');
    expect((await submit(livingId, itemsOf(['business.mcc']), {}, live)).body).toMatchObject({
      code: 'CONFLICT',
      data: { reason: 'invalid_state' },
    });
    expect(await live.api.ok(`/accounts/${livingId}`)).toMatchObject({
      status: 'pending_operator_assignment',
      kybStatus: 'submitted',
    });
  });

  test('200 with the same Idempotency-Key returns the stored answer, one event; 409 with another body', async () => {
    const id = await fresh();
    const headers = { 'Idempotency-Key': 'kyb-1' };
    const first = await submit(id, itemsOf(['business.mcc']), headers);
    const again = await submit(id, itemsOf(['business.mcc']), headers);
    expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([200, 'true', first.body]);
    expect((await kybEvents(id)).length).toBe(2);
    expect((await submit(id, itemsOf(['business.website']), headers)).body.data.reason).toBe('idempotency_key_reused');
  });

  test('concurrent submissions, of two halves and of the whole, are each applied whole, in sequence', async () => {
    for (const [left, right] of [
      [kybCodes.slice(0, 5), kybCodes.slice(5)],
      [kybCodes, kybCodes],
    ] as const) {
      const id = await fresh(live);
      const statuses = (await Promise.all([submit(id, itemsOf(left), {}, live), submit(id, itemsOf(right), {}, live)]))
        .map(({ status }) => status)
        .sort();
      expect(statuses).toEqual(left === right ? [200, 409] : [200, 200]);
      expect((await live.api.ok(`/accounts/${id}/kyb`)).kybStatus).toBe('submitted');
      const events = await kybEvents(id);
      expect(events.map(([, sequence]) => sequence)).toEqual(events.map((_, index) => index + 1));
      expect(events.filter(([, , status]) => status === 'submitted').length).toBe(1);
    }
  });
});

describe('access and refusals', () => {
  test('404 for an account of another partner or mode or unknown; 403 for a sub-key that submits', async () => {
    const id = await fresh();
    const stranger = await seedPartner(platform);
    for (const one of [stranger, live]) {
      expect((await one.api.call(`/accounts/${id}/kyb`)).body.code).toBe('NOT_FOUND');
      expect((await submit(id, itemsOf(['business.mcc']), {}, one)).body.code).toBe('NOT_FOUND');
    }
    expect((await partner.api.call('/accounts/tpa_none/kyb')).status).toBe(404);
    const account = await partner.account();
    expect((await account.api.call(`/accounts/${id}/kyb`)).status).toBe(404);
    expect((await account.api.call(`/accounts/${account.id}/kyb/submit`, itemsOf())).body).toMatchObject({
      code: 'FORBIDDEN',
      data: { reason: 'forbidden_scope' },
    });
  });

  test.each([
    ['no items', {}, 'items'],
    ['an empty list', { items: [] }, 'items'],
    ['an unknown code', itemsOf(['business.shoe_size']), 'items[0].code'],
    [
      'a code twice',
      { items: [...itemsOf(['business.mcc']).items, ...itemsOf(['business.mcc']).items] },
      'items[1].code',
    ],
    [
      'a list of a code many times',
      { items: Array.from({ length: 100 }, () => itemsOf(['business.mcc']).items[0]) },
      'items[1].code',
    ],
    ['no value', { items: [{ code: 'business.mcc' }] }, 'items[0].value'],
    ['a value of another shape', { items: [{ code: 'business.mcc', value: [marker] }] }, 'items[0].value'],
    ['a value that is too long', { items: [{ code: 'business.mcc', value: 'x'.repeat(4_001) }] }, 'items[0].value'],
    ['a field that is not known', { items: [{ code: 'business.mcc', value: 'x', note: 'y' }] }, 'items[0].note'],
  ])('400 for %s, and nothing is stored', async (_name, body, path) => {
    const id = await fresh();
    const answer = await submit(id, body);
    expect([answer.status, answer.body.data.issues[0].path]).toEqual([400, path]);
    expect(JSON.stringify(answer.body)).not.toContain(marker);
    expect((await partner.api.ok(`/accounts/${id}/kyb`)).kybStatus).toBe('not_started');
  });

  test('403 account_not_active for a charge of a pending live account; cards are tokenized', async () => {
    const { id, stores } = await live.api.ok('/accounts', { legalName: 'Waiting Ltd' });
    const storeId = stores[0].id;
    const { token } = await live.api.ok('/payment-instruments/tokenize', {
      storeId,
      cardNumber: '4111111111111111',
      expMonth: 12,
      expYear: 2039,
      cvc: '123',
    });
    const { paymentInstrument } = await live.api.ok('/payment-instruments/create-from-token', {
      storeId,
      token,
      customerData: { email: 'waiting@example.com' },
    });
    for (const mode of ['purchase', 'auth']) {
      const { status, body } = await live.api.call('/payments/process', {
        storeId,
        paymentInstrumentId: paymentInstrument.id,
        amount: 500,
        currency: 'USD',
        mode,
      });
      expect([status, body.data]).toEqual([403, { reason: 'account_not_active' }]);
    }
    expect(await platform.services.prisma.payment.count({ where: { platformAccountId: id } })).toBe(0);
  });
});

describe('submitted values', () => {
  test('are in clear in no table, log line or answer, sealed in one table only, and are rewrapped with a new key of the vault', async () => {
    const id = await fresh();
    const answer = await submit(id, itemsOf(), { 'Idempotency-Key': 'secret-1' });
    await submit(id, { items: [{ code: 'business.mcc', value: [marker] }] });
    expect(JSON.stringify(answer.body)).not.toContain(marker);
    expect(platform.logged.join('\n')).not.toContain(marker);
    const { pool } = platform.services;
    const { rows: tables } = await pool.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name
        FROM information_schema.tables
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
    );
    const { value } = await platform.services.prisma.kybRequirement.findFirstOrThrow({
      where: { platformAccountId: id, value: { not: null } },
    });
    for (const { name } of tables) {
      const { rows } = await pool.query<{ text: string | null }>(
        `SELECT string_agg(t::text, ' ') AS text FROM ${name} t`,
      );
      expect(rows[0]?.text ?? '', name).not.toContain(marker);
      if (name !== 'public.kyb_requirements') expect(rows[0]?.text ?? '', name).not.toContain(value);
    }
    const ring = `next:${Buffer.alloc(32, 7).toString('base64')},${platform.services.config.vaultKeys}`;
    const services = { pool, config: { ...platform.services.config, vaultKeys: ring } };
    expect(await rewrapColumn(services, kybValues)).toBeGreaterThanOrEqual(10);
    expect(await rewrapColumn(services, kybValues)).toBe(0);
  });
});
