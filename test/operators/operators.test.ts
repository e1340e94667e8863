import { describe, expect, test } from 'vitest';
import { startJobs } from '../../src/jobs/jobs.ts';
import { makePartner, type SignedIn, signedIn } from '../iam/people.ts';
import { clientOf } from '../support/client.ts';
import { asOwner } from '../support/database.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const who: Record<string, SignedIn> = {};

const platform = await usePlatform();
const acme: { id: string; slug: string } = await makePartner(platform, 'acme');
const globex = await makePartner(platform, 'globex');
const mine = await (await seedPartner(platform, 'test', acme.id)).account('Acme Shop');
const other = await (await seedPartner(platform, 'test', globex.id)).account('Globex Shop');
await seedPartner(platform, 'live', acme.id);
const accountId = mine.id;
const shop = mine;
await mine.api.ok('/webhooks', { url: 'https://hooks.example.com/in', eventTypes: ['payment/succeeded'] });
await mine.charge();
await other.charge();
for (const shop of [mine, other]) {
  const {
    prices: [price],
  } = await shop.api.ok('/products/create', {
    name: 'Club',
    prices: [{ currency: 'USD', amount: 900, interval: 'month' }],
  });
  await shop.api.ok('/subscriptions/create', {
    customerId: (await shop.instrument()).customerId,
    priceId: price.id,
    initiatePayment: false,
  });
}
for (const [name, platformRoles, whitelabelOwnership] of [
  ['super', ['superadmin'], null],
  ['hub', ['hubadmin'], null],
  ['am', ['accountmanager'], null],
  ['amX', ['accountmanager'], 'acme'],
  ['paX', ['partneradmin'], 'acme'],
  ['paY', ['partneradmin'], 'globex'],
  ['psX', ['partnerstaff'], 'acme'],
] as const) {
  who[name] = await signedIn(platform, { platformRoles: [...platformRoles], whitelabelOwnership });
}

const ask = async (name: string, query: string, variables: object = {}) => {
  const { data, errors } = await (who[name] as SignedIn).graphql(query, { ...variables }); // defined above
  return errors ? errors[0].extensions.code : Object.values(data as object)[0];
};

describe('visibility', () => {
  test.each([
    ['accounts', { hub: 2, am: 2, amX: 1, paX: 1, paY: 1, psX: 'FORBIDDEN' }],
    ['payments', { hub: 2, am: 2, amX: 1, paX: 1, paY: 1, psX: 'FORBIDDEN' }],
    ['subscriptions', { hub: 2, am: 2, amX: 1, paX: 1, paY: 1, psX: 'FORBIDDEN' }],
    ['apiKeys', { hub: 4, am: 4, amX: 2, paX: 2, paY: 2, psX: 'FORBIDDEN' }],
  ])("%s: internal staff see everything of the mode, a partner's people their own", async (field, expected) => {
    for (const [name, total] of Object.entries(expected)) {
      const answer = await ask(name, `{ ${field}(mode: test) { total items { id } } }`);
      expect(typeof answer === 'string' ? answer : answer.total, name).toBe(total);
    }
    expect((await ask('hub', `{ ${field}(mode: test, partnerSlug: "acme") { total } }`)).total).toBe(
      (expected as Record<string, unknown>)['paX'],
    );
    expect(await ask('paX', `{ ${field}(mode: test, partnerSlug: "globex") { total } }`)).toBe('FORBIDDEN');
    expect(await ask('hub', `{ ${field}(mode: test, partnerSlug: "nowhere") { total } }`)).toBe('NOT_FOUND');
  });

  test("modes are separate, filters and sort work, events are their partner's", async () => {
    expect((await ask('hub', '{ accounts(mode: live) { total } }')).total).toBe(0);
    expect((await ask('hub', '{ apiKeys(mode: live, filters: {kind: partner}) { total } }')).total).toBe(1);
    expect(
      (
        await ask(
          'hub',
          '{ accounts(mode: test, sortBy: {field: legalName, direction: asc}, filters: {legalName: ' +
            '{condition: contains, value: "shop"}}) { items { legalName } } }',
        )
      ).items,
    ).toEqual([{ legalName: 'Acme Shop' }, { legalName: 'Globex Shop' }]);
    // Other sort orders are indexed within one partner only.
    expect(await ask('hub', '{ payments(mode: test, sortBy: {field: amount, direction: desc}) { total } }')).toBe(
      'INPUT_PARSE_ERROR',
    );
    expect(
      (
        await ask(
          'hub',
          '{ payments(mode: test, partnerSlug: "acme", sortBy: {field: amount, direction: desc}) { total } }',
        )
      ).total,
    ).toBeGreaterThan(0);
    expect(
      (await ask('paX', '{ payments(mode: test, sortBy: {field: status, direction: asc}) { total } }')).total,
    ).toBeGreaterThan(0);
    const events = await ask(
      'am',
      '{ events(mode: test, filters: {type: ["payment/succeeded"]}) { items { objectId type } } }',
    );
    expect(events.items.length).toBe(2);
    const seenBy = async (name: string): Promise<string[]> =>
      (await ask(name, '{ events(mode: test, pageSize: 100) { items { id } } }')).items.map(({ id }: any) => id);
    const [ofAcme, ofGlobex] = [await seenBy('paX'), await seenBy('paY')];
    expect(ofAcme.length * ofGlobex.length).toBeGreaterThan(0);
    expect(ofAcme.filter((id) => ofGlobex.includes(id))).toEqual([]);
  });

  test('one query reads a whole payment; what a role may not see is null with 403, foreign is 404', async () => {
    const { items } = await ask('paX', '{ payments(mode: test) { items { id } } }');
    const query =
      `{ payment(paymentId: "${items[0].id}") { id capturedAmount account { partnerId } transactions { type status } ` +
      'refunds { amount } postings { account amount } events { type sequence } auditEntries { action } } }';
    const whole = await ask('hub', query);
    expect(whole).toEqual({
      id: items[0].id,
      capturedAmount: 2500,
      account: { partnerId: acme.id },
      transactions: [{ type: 'purchase', status: 'succeeded' }],
      refunds: [],
      postings: [
        { account: 'merchant_balance', amount: -2500 },
        { account: 'processor_receivable', amount: 2500 },
      ],
      events: [
        { type: 'payment/succeeded', sequence: 2 },
        { type: 'payment/created', sequence: 1 },
      ],
      auditEntries: [],
    });
    const partly = async (name: string) => {
      const { data, errors } = await (who[name] as SignedIn).graphql(query);
      return [
        data.payment,
        errors.map(({ path, extensions }: any) => `${path.join('.')} ${extensions.code}`).toSorted(),
      ];
    };
    expect(await partly('am')).toEqual([{ ...whole, auditEntries: null }, ['payment.auditEntries FORBIDDEN']]);
    for (const name of ['amX', 'paX']) expect(await ask(name, query)).toEqual(whole);
    expect(await ask('paY', query)).toBe('PAYMENT_NOT_FOUND');
    expect(await ask('psX', query)).toBe('FORBIDDEN');
    expect(await ask('hub', query.replace(/pay_\w+/, 'pay_0000000000000000'))).toBe('PAYMENT_NOT_FOUND');
  });

  test("webhook deliveries with their attempts, for internal staff and the partner's own people; of one partner if named", async () => {
    const { pool } = platform.services;
    const query =
      '{ webhookDeliveries(mode: test, filters: {status: [pending]}) { total items { id partnerId endpointId ' +
      'eventType status attemptCount attempts { status } nextAttemptAt } } }';
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM webhook_endpoints');
    expect((await ask('hub', query)).items.map(({ endpointId }: { endpointId: string }) => endpointId)).toEqual([
      rows[0]?.id,
    ]);
    expect((await ask('am', query)).items).toMatchObject([
      { partnerId: acme.id, eventType: 'payment/succeeded', status: 'pending', attemptCount: 0, attempts: [] },
    ]);
    expect((await ask('super', '{ webhookDeliveries(mode: test, partnerSlug: "globex") { total } }')).total).toBe(0);
    expect((await ask('super', '{ webhookDeliveries(mode: live) { total } }')).total).toBe(0);
    for (const name of ['amX', 'paX']) expect((await ask(name, query)).total).toBe(1);
    expect((await ask('paY', query)).total).toBe(0);
    expect(await ask('psX', query)).toBe('FORBIDDEN');
  });

  test('the jobs: when each ran, its last error, and its backlog', async () => {
    const { services } = platform;
    expect(await ask('hub', '{ jobs { name } }')).toEqual([]);
    const passed = Promise.withResolvers<void>();
    const runner = startJobs(
      [
        { name: 'deliver-webhooks', everyMs: 3_600_000, run: async () => {} },
        {
          name: 'failing',
          everyMs: 3_600_000,
          run: () =>
            Promise.reject(new Error(`out of order ${'x'.repeat(600)}`)).finally(() => setImmediate(passed.resolve)),
        },
      ],
      services,
    );
    await passed.promise;
    await runner.stop();
    const jobs = await ask(
      'am',
      '{ jobs { name everyMs runs failures isRunning lastStartedAt lastDurationMs lastError ' +
        'lastErrorAt backlog } }',
    );
    expect(jobs).toEqual([
      {
        name: 'deliver-webhooks',
        everyMs: 3_600_000,
        runs: 1,
        failures: 0,
        isRunning: false,
        lastStartedAt: expect.any(String),
        lastDurationMs: expect.any(Number),
        lastError: null,
        lastErrorAt: null,
        backlog: 1,
      },
      {
        name: 'failing',
        everyMs: 3_600_000,
        runs: 1,
        failures: 1,
        isRunning: false,
        lastStartedAt: expect.any(String),
        lastDurationMs: expect.any(Number),
        lastError: expect.stringMatching(/^out of order x+$/),
        lastErrorAt: expect.any(String),
        backlog: null,
      },
    ]);
    const backlogOf = async (mode: string) => (await ask('am', `{ jobs(mode: ${mode}) { backlog } }`))[0].backlog;
    expect([await backlogOf('test'), await backlogOf('live')]).toEqual([1, 0]);
    expect(jobs[1].lastError).toHaveLength(500);
    for (const name of ['amX', 'paX', 'psX']) expect(await ask(name, '{ jobs { name } }')).toBe('FORBIDDEN');
  });

  test('the rule that blocked a payment, also one about the card, for internal staff and no key', async () => {
    const rule = { name: 'Stolen range', panRegex: '^4000' };
    const { id: blockRuleId } = await shop.api.ok('/block-rules', rule);
    const { payment } = await shop.charge('4000056655665556');
    expect(payment).toMatchObject({ status: 'declined', failureMessage: 'Blocked by a block rule.' });
    expect(JSON.stringify(payment)).not.toContain(blockRuleId);
    const query = `{ payment(paymentId: "${payment['id']}") { blockedBy { blockRuleId name criteria } } }`;
    const reported = { blockedBy: { blockRuleId, name: rule.name, criteria: ['panRegex'] } };
    await shop.api.call(`/block-rules/${blockRuleId}`, undefined, { method: 'DELETE' });
    for (const name of ['super', 'hub', 'am']) expect(await ask(name, query)).toEqual(reported);
    for (const name of ['amX', 'paX']) expect(await ask(name, query)).toBe('FORBIDDEN');
    const { data, errors } = await shop.api.graphql(query);
    expect([data.payment, errors[0].extensions.code]).toEqual([{ blockedBy: null }, 'NOT_AUTHORIZED']);
  });

  test('events of processors that were not applied, for internal staff', async () => {
    await platform.services.pool.query(
      `INSERT INTO unapplied_events (
          id, "processorId", "eventId", "partnerId", "platformAccountId", mode, type, status, reason, "receivedAt",
          "updatedAt"
        )
        SELECT 'uev_1', id, 'evt_1', "partnerId", "platformAccountId", mode, 'refund.failed', 'rejected', 'amount_mismatch',
          now(), now()
        FROM processors
        WHERE "platformAccountId" = $1
        LIMIT 1`,
      [accountId],
    );
    const query = (status: string) =>
      `{ unappliedProcessorEvents(status: ${status}, pageSize: 2) { total items { eventId type platformAccountId ` +
      'status reason attempts } } }';
    for (const name of ['super', 'hub', 'am'])
      expect(await ask(name, query('rejected'))).toEqual({
        total: 1,
        items: [
          {
            eventId: 'evt_1',
            type: 'refund.failed',
            platformAccountId: accountId,
            status: 'rejected',
            reason: 'amount_mismatch',
            attempts: 0,
          },
        ],
      });
    expect(await ask('hub', query('waiting'))).toEqual({ total: 0, items: [] });
    for (const name of ['amX', 'paX', 'psX']) expect(await ask(name, query('rejected'))).toBe('FORBIDDEN');
  });

  test('the proof of the whole ledger, and what it names after a balance was changed', async () => {
    const query =
      '{ ledgerVerification { ok postings payments charges unresolved differenceCount differences { about message } } }';
    expect(await ask('am', query)).toEqual({
      ok: true,
      postings: 4,
      payments: 3,
      charges: 2,
      unresolved: 0,
      differenceCount: 0,
      differences: [],
    });
    await asOwner(
      platform,
      `UPDATE ledger.balances
        SET balance = balance + 1
        WHERE account = 'merchant_balance' AND "platformAccountId" = $1`,
      [accountId],
    );
    expect(await ask('hub', '{ ledgerVerification(mode: live) { ok postings charges } }')).toEqual({
      ok: true,
      postings: 0,
      charges: 0,
    });
    expect(await ask('hub', query)).toMatchObject({
      ok: false,
      differenceCount: 1,
      differences: [
        { about: `${accountId} USD merchant_balance`, message: expect.stringContaining('its postings sum to') },
      ],
    });
    await asOwner(
      platform,
      `UPDATE ledger.balances
        SET balance = balance - 1
        WHERE account = 'merchant_balance' AND "platformAccountId" = $1`,
      [accountId],
    );
    for (const name of ['amX', 'paX', 'psX']) expect(await ask(name, query)).toBe('FORBIDDEN');
    for (let requested = 0; requested < 5; requested++) await ask('super', query);
    expect([await ask('super', query), await ask('super', query)]).toContain('TOO_MANY_REQUESTS');
  });

  test("a key's secret is in no answer", async () => {
    const { errors } = await (who['hub'] as SignedIn).graphql('{ apiKeys(mode: test) { items { id secret } } }');
    expect(errors[0].message).toContain('Cannot query field "secret" on type "ApiKey"');
  });

  test('account managers without a partner have no partner administration', async () => {
    for (const query of ['{ partners { total } }', '{ organizations { total } }', '{ auditLog { total } }'])
      expect(await ask('am', query)).toBe('FORBIDDEN');
  });
});

test('people read a single object of either mode without naming it; 404 for one of another partner', async () => {
  const live = await (await seedPartner(platform, 'live', acme.id)).account('Acme Live');
  for (const { id, api } of [live, mine]) {
    const { id: customerId } = await api.ok('/customers/create', { email: 'either-mode@example.com' });
    const [ofAccount, ofCustomer] = [`account(platformAccountId: "${id}")`, `customer(customerId: "${customerId}")`];
    for (const name of ['hub', 'paX']) {
      expect(await ask(name, `{ ${ofAccount} { id } }`)).toEqual({ id });
      expect(await ask(name, `{ ${ofCustomer} { id } }`)).toEqual({ id: customerId });
    }
    for (const field of [ofAccount, ofCustomer]) expect(await ask('paY', `{ ${field} { id } }`)).toBe('NOT_FOUND');
  }
});

describe('actions', () => {
  test('a partneradmin creates and revokes keys of their partner', async () => {
    const create =
      'mutation ($slug: Slug!) { createPartnerKey(partnerSlug: $slug, input: {label: "new", mode: test}) { ... on CreatedApiKey { id ' +
      'secret prefix platformAccountId } } }';
    const made = await ask('paX', create, { slug: 'acme' });
    expect(made).toMatchObject({
      platformAccountId: null,
      secret: expect.stringMatching(/^tp_sk_partner_test_/),
    });
    const api = clientOf(platform, made.secret);
    expect((await api.call('/auth/test')).body).toMatchObject({ ok: true, partnerId: acme.id });
    const revoke = 'mutation ($id: ID!) { revokePartnerKey(keyId: $id) { id status } }';
    expect(await ask('paY', revoke, { id: made.id })).toBe('NOT_FOUND');
    expect(await ask('paX', revoke, { id: made.id })).toEqual({ id: made.id, status: 'revoked' });
    expect(await ask('hub', revoke, { id: made.id })).toMatchObject({ status: 'revoked' });
    expect((await api.call('/auth/test')).status).toBe(401);
    expect(await ask('paY', create, { slug: 'acme' })).toBe('FORBIDDEN');
    for (const name of ['am', 'amX', 'psX']) expect(await ask(name, create, { slug: 'acme' })).toBe('FORBIDDEN');
    const rows = await platform.services.prisma.auditRow.findMany({
      where: { action: { in: ['createPartnerKey', 'revokePartnerKey'] } },
    });
    expect(
      JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
    ).not.toContain(made.secret);
    expect(rows.filter(({ outcome }) => outcome === 'allowed').length).toBe(3);
  });

  test('403 below hubadmin to suspend, activate and change the plan', async () => {
    const status = (field: string) => `mutation ($id: ID!) { ${field}(platformAccountId: $id) { status plan } }`;
    expect(await ask('hub', status('suspendAccount'), { id: accountId })).toMatchObject({ status: 'suspended' });
    expect(await ask('super', status('activateAccount'), { id: accountId })).toMatchObject({ status: 'active' });
    expect(
      await ask('hub', 'mutation ($id: ID!) { setAccountPlan(platformAccountId: $id, plan: standard) { plan } }', {
        id: accountId,
      }),
    ).toEqual({ plan: 'standard' });
    for (const name of ['am', 'amX', 'paX', 'psX'])
      expect(await ask(name, status('suspendAccount'), { id: accountId })).toBe('FORBIDDEN');
    expect(await ask('hub', status('suspendAccount'), { id: 'tpa_none' })).toBe('NOT_FOUND');
  });
});
