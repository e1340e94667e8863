import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import openapi from '../../../../rest/openapi.json' with { type: 'json' };
import { receiveDispute } from '../../../../src/domains/disputes/receive-dispute.ts';
import { recordedByJob } from '../../../../src/domains/payments/payment/follower.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { schema } from '../../../../src/schema.ts';
import { type SignedIn, signedIn } from '../../../iam/people.ts';
import { asOwner } from '../../../support/database.ts';
import { startTestPlatform, type TestPlatform } from '../../../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../../support/seed.ts';
import { priceOf } from '../../../support/subscriptions.ts';
import { addFunnel, exampleGraph } from '../../funnels/example-funnel.ts';
import { bounded } from './bounded-numbers.ts';

/** The largest whole number that a JSON reader keeps, the two after it, and the first that `Int` does not hold. */
const [safe, above, beyond, beyondInt] = [
  9_007_199_254_740_991n,
  9_007_199_254_740_992n,
  9_007_199_254_740_993n,
  2 ** 31,
];
/** The largest amount of one object that the ledger keeps. */
const held = 9_000_000_000_000_000;
const clock = manualClock(new Date('2026-05-01T10:00:00Z'));
let platform: TestPlatform;
let partner: SeededPartner;
let large: SeededAccount;
let small: SeededAccount;
let hub: SignedIn;
let paymentId: string;
let subscriptions: { large: string; small: string };
let funnels: { large: string; small: string };
let data: any;
let keyed: any;

beforeAll(async () => {
  platform = await startTestPlatform({ clock });
  partner = await seedPartner(platform);
  [large, small] = [await partner.account(), await partner.account()];
  hub = await signedIn(platform, { platformRoles: ['hubadmin'] });
  paymentId = String((await large.charge()).payment['id']);
  await small.charge();
  subscriptions = { large: await subscriptionOf(large), small: await subscriptionOf(small) };
  const [landing, checkout, ...rest] = exampleGraph.nodes;
  const nodes = [landing, { ...checkout, variants: [{ id: 'a', percentage: 100 }] }, ...rest];
  funnels = { large: (await addFunnel(large, { nodes })).id, small: (await addFunnel(small)).id };
  await dispute(held);
  await small.api.ok('/test-disputes/create', {
    paymentId: (await small.charge()).payment['id'],
    amount: 100,
  });
  await makeLarge();
  await readAll();
});
afterAll(() => platform?.close());

async function subscriptionOf(account: SeededAccount): Promise<string> {
  const { id: paymentInstrumentId, customerId } = await account.instrument();
  const priceId = await priceOf(account);
  return (await account.api.ok('/subscriptions/create', { customerId, paymentInstrumentId, priceId })).id;
}

/** Reports a dispute of the large payment, as a processor does. */
async function dispute(amount: number, processorReference = 'dp_large') {
  const charge = await platform.services.prisma.transaction.findFirstOrThrow({ where: { paymentId } });
  return receiveDispute(platform.services, recordedByJob(platform.services, 'test'), charge.processorId ?? '', {
    processorReference,
    authorizationReference: charge.processorReference ?? '',
    amount,
    currency: 'USD',
    reason: 'fraudulent',
    status: 'needs_response',
    evidenceDueAt: null,
    reportedAt: clock.now(),
  });
}

/** Sums stand for what millions of rows come to, in several parts, as they are kept. */
async function makeLarge(): Promise<void> {
  const figure = (currency: string, count: bigint | number, sum: bigint) =>
    `('${partner.id}', 'test', '${large.id}', '2026-03-01', '${currency}', 'proc_1', '', ${count}, ${count}, ${count},
      ${sum}, ${count}, ${sum}, ${count}, ${sum}, ${sum}, ${sum})`;
  const balance = (account: SeededAccount, currency: string, shard: number, sum: bigint) =>
    `('${account.id}', '${currency}', 'merchant_balance', ${shard}, '${partner.id}', 'test', ${sum})`;
  const measure = (funnel: string, place: string, name: string, n: bigint | number) =>
    [n, 1]
      .map((sum, shard) => `('${funnel}', ${place}, '${name}', ${shard}, ${BigInt(sum) - BigInt(1 - shard)})`)
      .join();
  const [funnel, variant] = ["'', ''", "'checkout', 'a'"];
  await asOwner(
    platform,
    `UPDATE counters.figures_until SET day = '2026-03-02';
    INSERT INTO counters.daily_figures VALUES
      ${figure('AED', beyondInt - 1, safe)}, ${figure('EUR', beyondInt - 1, safe)}, ${figure('EUR', 1, 1n)},
      ${figure('KWD', safe - 1n, safe)}, ${figure('KWD', 1, 2n)}, ${figure('CHF', 1, 250n)};
    INSERT INTO ledger.balances ("platformAccountId", currency, account, shard, "partnerId", mode, balance) VALUES
      ${balance(large, 'AED', 1, safe)}, ${balance(large, 'EUR', 1, safe)}, ${balance(large, 'EUR', 2, 1n)},
      ${balance(large, 'KWD', 1, -safe)}, ${balance(large, 'KWD', 2, -2n)}, ${balance(small, 'CHF', 1, 250n)};
    INSERT INTO counters.funnel_figures ("funnelId", "stepId", "variantId", measure, shard, n) VALUES
      ${['revenue', 'refunded'].flatMap((name) =>
        [
          ['AED', safe],
          ['EUR', above],
          ['KWD', beyond],
        ].map(([currency, sum]) => measure(funnels.large, variant, `${name}/${currency}`, BigInt(sum ?? 0))),
      )},
      ${measure(funnels.large, funnel, 'sessions', beyondInt)}, ${measure(funnels.large, funnel, 'converted', safe)},
      ${measure(funnels.large, variant, 'views', beyondInt)}, ${measure(funnels.large, variant, 'conversions', safe)},
      ${measure(funnels.large, variant, 'abandoned', beyondInt)}, ${measure(funnels.small, variant, 'revenue/CHF', 250)};
    INSERT INTO counters.row_counts (relation, "partnerId", mode, "platformAccountId", shard, n)
      SELECT c.relation, '${partner.id}', 'test', '${large.id}', 99, c.total - sum(r.n)
      FROM (VALUES ('payments', ${safe}), ('customers', ${beyondInt})) c (relation, total)
      JOIN counters.row_counts r ON r.relation = c.relation AND r."partnerId" = '${partner.id}'
      GROUP BY c.relation, c.total;
    INSERT INTO audit_verifications (id, at, by, ok, rows, anchors) VALUES ('audv_1', now(), 'test', true, ${safe}, 0);
    ALTER TABLE audit_rows DISABLE TRIGGER USER;
    UPDATE audit_rows SET sequence = ${beyondInt} + sequence;
    ALTER TABLE audit_rows ENABLE TRIGGER USER;
    UPDATE audit.head SET sequence = ${beyondInt} + sequence;
    UPDATE subscriptions SET balance = ${held} WHERE id = '${subscriptions.large}'`,
  );
}

const figures = 'sessions converted abandoned revenue { currency amount refunded }';
const step = 'abandoned conversions views';

async function readAll(): Promise<void> {
  const answer = await hub.graphql(
    `query ($slug: Slug!, $paymentId: ID!) {
      figures(by: currency, from: "2026-03-01", to: "2026-03-31", mode: test, partnerSlug: $slug) {
        currency payments approved refused refunds disputes volume refundedVolume disputedVolume
        capturedVolume authorizedVolume netVolume
      }
      funnels(mode: test, partnerSlug: $slug) {
        items { id figures { ${figures} steps { stepId ${step} variants { variantId ${step} } } } }
      }
      auditLog { head { sequence lastVerification { rows } } items { sequence } }
      payments(mode: test, partnerSlug: $slug) { total totalPages items { id } }
      customers(mode: test, partnerSlug: $slug) { total totalPages items { id } }
      subscriptions(mode: test, partnerSlug: $slug) { items { id balance } }
      disputes(mode: test, partnerSlug: $slug) { items { paymentId amount } }
      payment(paymentId: $paymentId) { disputes { amount } postings { account amount } }
      ledgerVerification(mode: test) { postings payments charges unresolved }
    }`,
    { slug: partner.slug, paymentId },
  );
  expect(answer.errors).toBeUndefined();
  data = answer.data;
  keyed = (await partner.api.graphql('{ accounts { items { ledgerBalances { currency account balance } } } }')).data;
}

const byCurrency = (rows: any[], field: string) => Object.fromEntries(rows.map((row) => [row.currency, row[field]]));
const figure = (field: string) => byCurrency(data.figures, field);
const counts = { AED: beyondInt - 1, EUR: beyondInt, KWD: Number(safe), CHF: 1 };
const volumes = { AED: String(safe), EUR: String(above), KWD: String(beyond), CHF: '250' };
const funnelOf = (id: string) => data.funnels.items.find((row: any) => row.id === id).figures;
const stepOf = (id: string) => funnelOf(id).steps.find((row: any) => row.stepId === 'checkout');
const revenue = (field: string) => byCurrency(funnelOf(funnels.large).revenue, field);
const revenues = { AED: Number(safe), EUR: String(above), KWD: String(beyond) };
const countOf = (at: (id: string) => any, field: string) => [at(funnels.large)[field], at(funnels.small)[field]];
const variantOf = (id: string) => stepOf(id).variants[0] ?? {};
const byId = (rows: any[], key: string, field: string) => Object.fromEntries(rows.map((row) => [row[key], row[field]]));

/** What each field answers, and what is exact. A new field of these kinds needs an entry, here or among the bounded. */
const sums: Record<string, () => [unknown, unknown]> = {
  'Figure.payments': () => [figure('payments'), counts],
  'Figure.approved': () => [figure('approved'), counts],
  'Figure.refused': () => [figure('refused'), counts],
  'Figure.refunds': () => [figure('refunds'), counts],
  'Figure.disputes': () => [figure('disputes'), counts],
  'Figure.volume': () => [figure('volume'), volumes],
  'Figure.refundedVolume': () => [figure('refundedVolume'), volumes],
  'Figure.disputedVolume': () => [figure('disputedVolume'), volumes],
  'Figure.capturedVolume': () => [figure('capturedVolume'), volumes],
  'Figure.authorizedVolume': () => [figure('authorizedVolume'), volumes],
  'Figure.netVolume': () => [
    figure('netVolume'),
    { AED: `-${safe}`, EUR: `-${above}`, KWD: `-${beyond}`, CHF: '-250' },
  ],
  'LedgerBalance.balance': () => [
    keyed.accounts.items
      .flatMap(({ ledgerBalances }: any) => ledgerBalances)
      .filter(({ currency, account }: any) => currency !== 'USD' && account === 'merchant_balance'),
    expect.arrayContaining(
      Object.entries({ ...volumes, KWD: `-${beyond}` }).map(([currency, balance]) =>
        expect.objectContaining({ currency, balance }),
      ),
    ),
  ],
  'FunnelRevenue.amount': () => [revenue('amount'), revenues],
  'FunnelRevenue.refunded': () => [revenue('refunded'), revenues],
  'FunnelFigures.sessions': () => [countOf(funnelOf, 'sessions'), [beyondInt, 0]],
  'FunnelFigures.converted': () => [countOf(funnelOf, 'converted'), [Number(safe), 0]],
  'FunnelFigures.abandoned': () => [countOf(funnelOf, 'abandoned'), [beyondInt, 0]],
  'FunnelStepFigures.views': () => [countOf(stepOf, 'views'), [beyondInt, 0]],
  'FunnelStepFigures.conversions': () => [countOf(stepOf, 'conversions'), [Number(safe), 0]],
  'FunnelStepFigures.abandoned': () => [countOf(stepOf, 'abandoned'), [beyondInt, 0]],
  'FunnelVariantFigures.views': () => [variantOf(funnels.large).views, beyondInt],
  'FunnelVariantFigures.conversions': () => [variantOf(funnels.large).conversions, Number(safe)],
  'FunnelVariantFigures.abandoned': () => [variantOf(funnels.large).abandoned, beyondInt],
  'AuditEntry.sequence': () => [data.auditLog.items.at(-1).sequence, beyondInt + 1],
  'AuditHead.sequence': () => [data.auditLog.head.sequence, beyondInt + data.auditLog.items.length],
  'AuditVerification.rows': () => [data.auditLog.head.lastVerification.rows, Number(safe)],
  // What is counted here row by row cannot be made. The scalar is that of the other counts.
  'LedgerVerification.postings': () => [data.ledgerVerification.postings, expect.any(Number)],
  'LedgerVerification.payments': () => [data.ledgerVerification.payments, expect.any(Number)],
  'LedgerVerification.charges': () => [data.ledgerVerification.charges, expect.any(Number)],
  'LedgerVerification.unresolved': () => [data.ledgerVerification.unresolved, expect.any(Number)],
  'Page.total': () => [
    [data.payments.total, data.customers.total],
    [Number(safe), beyondInt],
  ],
  'Page.totalPages': () => [
    [data.payments.totalPages, data.customers.totalPages],
    [Math.ceil(Number(safe) / 20), Math.ceil(beyondInt / 20)],
  ],
  'CustomerSubscription.balance': () => [
    byId(data.subscriptions.items, 'id', 'balance'),
    { [subscriptions.large]: held, [subscriptions.small]: 0 },
  ],
  'Dispute.amount': () => [
    byId(data.disputes.items, 'paymentId', 'amount'),
    expect.objectContaining({ [paymentId]: held }),
  ],
  'LedgerPosting.amount': () => [
    data.payment.postings.map(({ account, amount }: any) => `${account} ${amount}`),
    expect.arrayContaining([`disputes -${held - 2500}`, `dispute_losses ${held - 2500}`, `disputes ${held}`]),
  ],
};

const kinds = /^(Amount|AmountOrZero|AmountSum|Count|DisputedAmount|Int|Revenue|SignedAmount)$/;
const fields = Object.values(schema.getTypeMap()).flatMap((type) =>
  isObjectType(type) && !type.name.startsWith('__')
    ? Object.values(type.getFields())
        .filter((field) => kinds.test(getNamedType(field.type).name))
        .map((field) => ({
          name: `${type.name.replace(/^.*Page$/, 'Page')}.${field.name}`,
          kind: getNamedType(field.type).name,
        }))
    : [],
);

describe('each field of the graph that is an amount, a sum or a count', () => {
  test('is exact beyond 2^53 or 2^31 in this table, or among those that cannot come there', () => {
    const listed = [...Object.keys(sums), ...Object.values(bounded).flat()];
    expect(new Set(listed).size).toBe(listed.length);
    expect(listed.sort()).toEqual([...new Set(fields.map(({ name }) => name))].sort());
  });

  test('is no Int if it is in this table, and a sum of many objects only if it is', () => {
    for (const { name, kind } of fields)
      if (name in sums) expect(kind, name).not.toMatch(/^(Int|Amount|AmountOrZero)$/);
      else expect(kind, name).not.toMatch(/^(AmountSum|Count|Revenue|SignedAmount)$/);
  });

  test.each(Object.entries(sums))('%s is exact, and its neighbors are answered', (_field, entry) => {
    const [answered, exact] = entry();
    expect(answered).toEqual(exact);
  });
});

describe('REST answers as its description says', () => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(openapi, 'openapi');

  function problemsOf(path: string, method: string, body: unknown): unknown {
    const steps = ['paths', path, method, 'responses', '200', 'content', 'application/json', 'schema'];
    const pointer = steps.map((name) => encodeURIComponent(name.replaceAll('/', '~1'))).join('/');
    const validate = ajv.compile({ $ref: `openapi#/${pointer}` });
    return validate(body) ? null : validate.errors;
  }

  test('the figures of a funnel: numbers up to 2^53, decimal texts beyond', async () => {
    const body = await large.api.ok(`/funnels/${funnels.large}/figures`);
    expect(byCurrency(body.revenue, 'amount')).toEqual(revenues);
    expect([body.sessions, body.converted]).toEqual([beyondInt, Number(safe)]);
    expect(problemsOf('/funnels/{funnelId}/figures', 'get', body)).toBeNull();
  });

  test.each([
    ['payments', 'payments', Number(safe) - 3],
    ['customers', 'customers/list', beyondInt - 3],
    ['subscriptions', 'subscriptions/list', 1],
    ['disputes', 'disputes/list', 1],
  ])('a list of %s with its total', async (_what, path, total) => {
    const body = await large.api.ok(`/${path}`, {});
    expect(body.total).toBe(total);
    expect(problemsOf(`/${path}`, 'post', body)).toBeNull();
    expect((await small.api.ok(`/${path}`, {})).items.length).toBeGreaterThan(0);
  });
});

test.each([
  ['payments', () => `${paymentId},`, '2500,USD,2500,0'],
  ['disputes', () => `dp_`, `${held},USD`],
  ['orders', () => 'ord_', '99999999999,USD'],
  ['subscriptions', () => `${subscriptions.large},`, '1000,USD'],
  ['auditLog', () => `${beyondInt + 1},`, 'aud_'],
])('an export of %s has the amount of every row in digits', async (list, begin, amount) => {
  await large.api.ok('/orders/create', {
    currency: 'USD',
    items: [{ name: 'Ship', quantity: 1, unitAmount: 99_999_999_999 }],
  });
  const args = list === 'auditLog' ? '' : `, mode: test, partnerSlug: "${partner.slug}"`;
  const { data: begun } = await hub.graphql(`mutation { createExport(list: { ${list}: {} }${args}) { url rows } }`);
  const file = await (await fetch(begun.createExport.url, { headers: { Cookie: hub.cookie } })).text();
  const lines = file.trimEnd().split('\r\n');
  expect(lines.length).toBeGreaterThan(begun.createExport.rows); // the audit log has the export itself, too
  expect(lines.some((line) => line.startsWith(begin()) && line.includes(amount))).toBe(true);
});

describe('what could not be kept exactly is refused where it is written', () => {
  test('409 for a change of price by which the balance of a subscription would, and it changes nothing', async () => {
    const [dearer, cheaper] = [await priceOf(large, { amount: 1001 }), await priceOf(large, { amount: 999 })];
    const change = (priceId: string) =>
      large.api.call('/subscriptions/update', { subscriptionId: subscriptions.large, priceId });
    for (const [balance, refused, allowed, after] of [
      [held, dearer, cheaper, held - 1],
      [-held, cheaper, dearer, -held + 1],
    ] as const) {
      const original = await priceOf(large);
      await asOwner(
        platform,
        `UPDATE subscriptions SET balance = ${balance}, amount = 1000, "priceId" = '${original}'
         WHERE id = '${subscriptions.large}';
         UPDATE subscription_periods SET "planAmount" = 1000 WHERE "subscriptionId" = '${subscriptions.large}'`,
      );
      expect(await change(refused)).toMatchObject({
        status: 409,
        body: { code: 'CONFLICT', data: { reason: 'invalid_state' } },
      });
      expect(await large.api.ok(`/subscriptions/${subscriptions.large}`)).toMatchObject({ balance, priceId: original });
      expect(await change(allowed)).toMatchObject({ status: 200, body: { balance: after } });
    }
  });

  test('a dispute, and a second one of the same payment, which the processor reports: the rows stay as they are', async () => {
    await expect(dispute(held + 1)).rejects.toMatchObject({ reason: 'amount_mismatch' });
    await expect(dispute(1, 'dp_second')).rejects.toMatchObject({ reason: 'amount_mismatch' });
    expect((await large.api.ok('/disputes/list', {})).items).toMatchObject([{ amount: held }]);
    expect((await large.api.ok(`/payments/${paymentId}`)).payment.id).toBe(paymentId);
  });

  test.each([
    ['subscriptions', 'balance'],
    ['payments', '"disputedAmount"'],
    ['disputes', 'amount'],
    ['ledger.postings', 'amount'],
  ])('the database refuses such a row of %s', async (table, column) => {
    const counted = await asOwner(platform, `SELECT count(*)::int AS n FROM ${table}`);
    expect(counted.rows[0]?.['n']).toBeGreaterThan(0);
    await expect(
      asOwner(
        platform,
        `BEGIN; ALTER TABLE ${table} DISABLE TRIGGER USER; UPDATE ${table} SET ${column} = ${held + 1}; COMMIT`,
      ),
    ).rejects.toMatchObject({ code: '23514' });
  });

  test('400 for an order whose items come to more than an amount, however much more', async () => {
    const order = (...items: [number, number][]) =>
      large.api.call('/orders/create', {
        currency: 'USD',
        items: items.map(([quantity, unitAmount]) => ({ name: 'Ship', quantity, unitAmount })),
      });
    const most = 99_999_999_999;
    expect((await order([1, most])).body).toMatchObject({ amount: most });
    expect((await order([1, most - 1], [1, 1])).body).toMatchObject({ amount: most });
    const tooMuch = { status: 400, body: { data: { issues: [{ path: 'items' }] } } };
    expect(await order([1, most], [1, 1])).toMatchObject(tooMuch);
    expect(await order(...Array.from({ length: 20 }, (): [number, number] => [1_000_000, most]))).toMatchObject(
      tooMuch,
    );
  });
});
