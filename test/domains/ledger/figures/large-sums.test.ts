import { expect, test } from 'vitest';
import { sumDays, verifyFigures } from '../../../../src/domains/ledger/figures/sum-days.ts';
import { ledgerDifferences } from '../../../../src/domains/ledger/verify-ledger.ts';
import { manualClock } from '../../../../src/lib/clock.ts';
import { signedIn } from '../../../iam/people.ts';
import { asOwner } from '../../../support/database.ts';
import { usePlatform } from '../../../support/platform.ts';
import { seedPartner } from '../../../support/seed.ts';
import { addFunnel } from '../../funnels/example-funnel.ts';

const amount = 9_007_199_254_740_991n; // the largest whole number that a JSON reader keeps
const clock = manualClock(new Date('2026-05-01T10:00:00Z'));

/** Three payments of an account, each refunded and disputed, are made large: that stands for a million of them. */
const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const large = await partner.account();
const hub = await signedIn(platform, { platformRoles: ['hubadmin'] });
for (let count = 0; count < 3; count += 1) {
  const { payment } = await large.charge('tok_visa', { amount: 3 });
  await large.api.ok('/payments/refund', { paymentId: payment['id'], amount: 1 });
  await large.api.ok('/test-disputes/create', { paymentId: payment['id'], amount: 1 });
}
const small = await partner.account();
const chargeCurrencies = ['USD', 'EUR'];
await platform.services.prisma.store.update({ where: { id: small.storeId }, data: { chargeCurrencies } });
await small.charge('tok_visa', { amount: 250, currency: 'EUR' });
await asOwner(
  platform,
  `ALTER TABLE payments DROP CONSTRAINT payments_money;
    ALTER TABLE disputes DROP CONSTRAINT disputes_amount;
    ALTER TABLE payments DISABLE TRIGGER USER;
    ALTER TABLE refunds DISABLE TRIGGER USER;
    ALTER TABLE disputes DISABLE TRIGGER USER;
    UPDATE payments SET amount = ${amount}, "capturedAmount" = ${amount} WHERE currency = 'USD';
    UPDATE refunds SET amount = ${amount};
    UPDATE disputes SET amount = ${amount};
    DELETE FROM ledger.balances WHERE currency = 'USD';
    INSERT INTO ledger.balances ("platformAccountId", currency, account, shard, "partnerId", mode, balance)
      SELECT '${large.id}', 'USD', a.account, s.shard, '${partner.id}', 'test', a.sign * ${amount}
      FROM (VALUES ('merchant_balance', -1), ('processor_receivable', 1)) a (account, sign), generate_series(1, 1100) s (shard)`,
);

async function figuresBy(by: string): Promise<any> {
  const { data } = await hub.graphql(
    `query ($by: FigureKey!, $partnerSlug: Slug!) {
      figures(by: $by, from: "2026-01-01", to: "2026-12-31", mode: test, partnerSlug: $partnerSlug) {
        currency approved volume refunds refundedVolume disputes disputedVolume
      }
    }`,
    { by, partnerSlug: partner.slug },
  );
  return data?.figures;
}

test('figures beyond the whole numbers of JSON are exact before and after their day is summed, and so are others', async () => {
  const sum = String(3n * amount);
  const all = [
    { currency: 'USD', approved: 3, volume: sum, refunds: 3, refundedVolume: sum, disputes: 3, disputedVolume: sum },
    { currency: 'EUR', approved: 1, volume: '250', refunds: 0, refundedVolume: '0', disputes: 0, disputedVolume: '0' },
  ];
  const ofEach = async () => Promise.all(['currency', 'processor', 'day'].map(figuresBy));
  const [eur, usd] = [all[1], all[0]];
  expect(await ofEach()).toEqual([all, all, [eur, usd]]);
  clock.advance(2 * 86_400_000);
  expect(await sumDays(platform.services)).toBe(1);
  expect(await ofEach()).toEqual([all, all, [eur, usd]]);
  expect((await verifyFigures(platform.services)).differences).toEqual([]);
});

test('balances beyond bigint are exact, and so are others; the ledger check names them', async () => {
  const { data } = await partner.api.graphql('{ accounts { items { ledgerBalances { currency account balance } } } }');
  const balances = data.accounts.items.flatMap(({ ledgerBalances }: { ledgerBalances: object[] }) => ledgerBalances);
  const sum = String(1100n * amount);
  expect(balances).toHaveLength(4);
  expect(balances).toEqual(
    expect.arrayContaining([
      { currency: 'USD', account: 'merchant_balance', balance: `-${sum}` },
      { currency: 'USD', account: 'processor_receivable', balance: sum },
      { currency: 'EUR', account: 'merchant_balance', balance: '-250' },
      { currency: 'EUR', account: 'processor_receivable', balance: '250' },
    ]),
  );
  const found = await ledgerDifferences(platform.services.pool);
  expect(found.map(({ message }) => message).join()).toContain(`the balance is -${sum}, its postings sum to`);
});

test('revenue of a funnel beyond the whole numbers of JSON is a decimal text, in REST too; other funnels and currencies are numbers', async () => {
  const { id } = await addFunnel(large);
  const other = await addFunnel(large);
  const measures = [
    [id, 'revenue/USD', amount],
    [id, 'revenue/KWD', amount / 2n],
    [id, 'refunded/USD', 5n],
    [other.id, 'revenue/USD', 70n],
  ];
  const values = measures.flatMap(([funnel, measure, n]) =>
    [0, 1].map((shard) => `('${funnel}', 'checkout', '', '${measure}', ${shard}, ${n})`),
  );
  await asOwner(
    platform,
    `INSERT INTO counters.funnel_figures ("funnelId", "stepId", "variantId", measure, shard, n) VALUES ${values.join()}`,
  );
  const revenue = [
    { currency: 'KWD', amount: Number(amount - 1n), refunded: 0 },
    { currency: 'USD', amount: String(2n * amount), refunded: 10 },
  ];
  const rest = await large.api.ok(`/funnels/${id}/figures`);
  expect([rest.revenue, rest.steps[1].revenue]).toEqual([revenue, revenue]);
  const { data } = await hub.graphql(
    `query ($slug: Slug!) {
      funnels(mode: test, partnerSlug: $slug) { items { id figures { revenue { currency amount refunded } } } }
    }`,
    { slug: partner.slug },
  );
  const listed = new Map(data.funnels.items.map((row: any) => [row.id, row.figures.revenue]));
  expect(listed.get(id)).toEqual(revenue);
  expect(listed.get(other.id)).toEqual([{ currency: 'USD', amount: 140, refunded: 0 }]);
});
