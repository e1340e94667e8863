import { describe, expect, test } from 'vitest';
import { type SignedIn, signedIn, signInEachRole } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';
import { type SeededAccount, seedPartner } from '../support/seed.ts';
import { priceOf } from '../support/subscriptions.ts';

const who: Record<string, SignedIn> = {};

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account();
const elsewhere = await seedPartner(platform);
const other = await elsewhere.account();
Object.assign(who, await signInEachRole(platform, partner), {
  elsewhere: await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: elsewhere.slug }),
});

/** The ids of a list, or `code path` of the error. */
async function list(field: string, args: string, { name = 'hubadmin', mode = 'test' } = {}): Promise<any> {
  const { data, errors } = await (who[name] as SignedIn).graphql(
    `{ ${field}(mode: ${mode}, pageSize: 100${args && `, ${args}`}) { items { id } } }`,
  );
  if (!errors) return data[field].items.map(({ id }: { id: string }) => id);
  const { code, data: details } = errors[0].extensions;
  return [code, details?.issues?.[0]?.path].filter(Boolean).join(' ');
}
const is = (value: string) => `{condition: is, value: "${value}"}`;

describe('payments', () => {
  test('by decline code, reference, card and account', async () => {
    const refused = (await account.charge('tok_visa_insufficient')).payment['id'];
    const paid = await account.charge('tok_mastercard');
    const again = (await account.charge('tok_mastercard')).payment['id'];
    const elsewhere = (await other.charge('tok_visa_insufficient')).payment['id'];
    const { prisma } = platform.services;
    const { fingerprint } = await prisma.paymentInstrument.findUniqueOrThrow({
      where: { id: String(paid.payment['paymentInstrumentId']) },
    });
    const reference = paid.transactions[0]?.['processorReference'];
    const of = (filters: string, name = 'hubadmin') => list('payments', `filters: {${filters}}`, { name });
    expect(await of('failureCode: [insufficient_funds]')).toEqual([elsewhere, refused]);
    expect(await of('failureCode: [insufficient_funds]', 'partneradmin')).toEqual([refused]);
    expect(await of('failureCode: [lost_card]')).toEqual([]);
    expect(await of(`processorReference: "${reference}"`)).toEqual([paid.payment['id']]);
    expect(await of(`processorReference: "${reference}"`, 'elsewhere')).toEqual([]);
    expect(await of(`fingerprint: "${fingerprint}"`)).toEqual([again, paid.payment['id']]);
    expect(await of(`fingerprint: "${fingerprint}"`, 'elsewhere')).toEqual([]);
    expect(await of(`platformAccountId: "${other.id}"`)).toEqual([elsewhere]);
    expect(await of(`platformAccountId: "${other.id}"`, 'partnerManager')).toEqual([]);
    const { items } = await account.api.ok('/payments', { filters: { failureCode: ['insufficient_funds'] } });
    expect(items.map(({ id }: { id: string }) => id)).toEqual([refused]);
  });
});

describe('payments and subscriptions', () => {
  test('with a customer on a test clock or without one, and of an account', async () => {
    const day = new Date(Date.now() + 366 * 86_400_000).toISOString().slice(0, 10);
    const { id: testClockId } = await account.api.ok('/test-clocks/create', { name: 'later', now: `${day}T00:00:00Z` });
    const { id: onClock } = await account.api.ok('/customers/create', { email: 'later@example.com', testClockId });
    const priceId = await priceOf(account);
    const made = async (customerId?: string) => {
      const card = await account.instrument('tok_visa', customerId);
      return (
        await account.api.ok('/subscriptions/create', {
          customerId: card.customerId,
          paymentInstrumentId: card.id,
          priceId,
        })
      ).id;
    };
    const [later, now] = [await made(onClock), await made()];
    const of = (field: string, filters: string) => list(field, `filters: {${filters}}`);
    expect(await of('subscriptions', 'onTestClock: true')).toEqual([later]);
    expect(await of('subscriptions', 'onTestClock: false')).toEqual([now]);
    expect(await of('subscriptions', `platformAccountId: "${account.id}"`)).toEqual([later, now]);
    expect(await of('subscriptions', `platformAccountId: "${other.id}"`)).toEqual([]);
    const ofClockDay = `createdAt: {condition: is_equal_date, value: ["${day}"]}`;
    expect(await of('subscriptions', ofClockDay)).toEqual([later]);
    const paid = await of('payments', 'onTestClock: true');
    expect(paid).toEqual(await of('payments', `subscriptionId: "${later}"`));
    expect(paid).toHaveLength(1);
    expect(await of('payments', 'onTestClock: false')).not.toContain(paid[0]);
    const { items } = await account.api.ok('/payments', { filters: { onTestClock: true } });
    expect(items.map(({ id }: { id: string }) => id)).toEqual(paid);
  });

  test('whose outcome at the processor is open, until it is known', async () => {
    const { payment } = await account.charge();
    const resolved = (await account.charge()).payment['id'];
    const isProcessing = (value: boolean) => list('payments', `filters: {isProcessing: ${value}}`);
    const become = (status: string) =>
      platform.services.prisma.transaction.updateMany({
        where: { paymentId: String(payment['id']) },
        data: { status },
      });
    await become('processing');
    expect(await isProcessing(true)).toEqual([payment['id']]);
    expect(await isProcessing(false)).toContain(resolved);
    expect(await isProcessing(false)).not.toContain(payment['id']);
    await become('succeeded');
    expect(await isProcessing(true)).toEqual([]);
  });
});

describe('disputes', () => {
  test('by deadline, soonest first, also over all partners; by due date, reason and processor', async () => {
    const open = async (own: SeededAccount, reason: string) => {
      const { payment } = await own.charge();
      return (await own.api.ok('/test-disputes/create', { paymentId: payment['id'], reason })).id;
    };
    const [first, second, third] = [
      await open(account, 'duplicate'),
      await open(other, 'fraudulent'),
      await open(account, 'fraudulent'),
    ];
    const due = async (id: string, day: string) =>
      platform.services.prisma.dispute.update({ where: { id }, data: { evidenceDueAt: new Date(`${day}T12:00:00Z`) } });
    await due(first, '2027-03-03');
    await due(second, '2027-03-01');
    await due(third, '2027-03-02');
    const soonest = 'sortBy: {field: evidenceDueAt, direction: asc}';
    expect(await list('disputes', soonest)).toEqual([second, third, first]);
    expect(await list('disputes', soonest, { name: 'partneradmin' })).toEqual([third, first]);
    const of = (filters: string) => list('disputes', `${soonest}, filters: {${filters}}`);
    expect(await of('evidenceDueAt: {condition: is_before_date, value: ["2027-03-02"]}')).toEqual([second]);
    expect(await of('evidenceDueAt: {condition: is_equal_date, value: ["2027-03-02"]}')).toEqual([third]);
    expect(await of('reason: [duplicate]')).toEqual([first]);
    const { processorId } = await platform.services.prisma.dispute.findUniqueOrThrow({ where: { id: second } });
    expect(await of(`processorId: ["${processorId}"]`)).toEqual([second]);
    expect(await of(`platformAccountId: "${account.id}"`)).toEqual([third, first]);
    const { items } = await account.api.ok('/disputes/list', { sortBy: { field: 'evidenceDueAt', direction: 'desc' } });
    expect(items.map(({ id }: { id: string }) => id)).toEqual([first, third]);
  });
});

describe('customers, orders and payment instruments', () => {
  test('of all partners for internal staff, of their own for partners; 403 for a foreign slug; of one mode', async () => {
    const email = 'who@example.com';
    const [mine, theirs] = await Promise.all(
      [account, other].map(
        async (own) => (await own.api.ok('/customers/create', { email, firstName: 'Ada', phone: '+15550100' })).id,
      ),
    );
    const order = async (own: SeededAccount) =>
      (
        await own.api.ok('/orders/create', {
          currency: 'USD',
          items: [{ name: 'Tea', quantity: 1, unitAmount: 500 }],
        })
      ).id;
    const orders = [await order(account), await order(other)];
    const cards = [(await account.instrument()).id, (await other.instrument()).id];
    for (const [field, ours, foreign] of [
      ['customers', mine, theirs],
      ['orders', ...orders],
      ['paymentInstruments', ...cards],
    ] as [string, string, string][]) {
      for (const name of ['hubadmin', 'accountmanager'])
        expect(await list(field, '', { name }), field).toEqual(expect.arrayContaining([ours, foreign]));
      for (const name of ['partneradmin', 'partnerManager']) {
        expect(await list(field, '', { name }), field).toContain(ours);
        expect(await list(field, '', { name }), field).not.toContain(foreign);
      }
      expect(await list(field, '', { name: 'partnerstaff' }), field).toBe('FORBIDDEN');
      expect(await list(field, `partnerSlug: "${partner.slug}"`, { name: 'elsewhere' }), field).toBe('FORBIDDEN');
      expect(await list(field, '', { mode: 'live' }), field).toEqual([]);
      expect(await list(field, `filters: {platformAccountId: "${other.id}"}`), field).toContain(foreign);
      expect(await list(field, `filters: {platformAccountId: "${other.id}"}`), field).not.toContain(ours);
    }
    for (const filters of [`email: ${is('WHO@example.com')}`, 'phone: "+15550100"', `firstName: ${is('ada')}`])
      expect((await list('customers', `filters: {${filters}}`)).sort(), filters).toEqual([mine, theirs].sort());
    expect(await list('customers', 'filters: {phone: "+1555"}')).toEqual([]);
    expect(await list('customers', `filters: {email: ${is('who@example.com')}}`, { name: 'elsewhere' })).toEqual([
      theirs,
    ]);
    expect(await list('customers', 'sortBy: {field: email, direction: asc}')).toBe('INPUT_PARSE_ERROR sortBy.field');
  });
});

test('the block rules of an account are visible to callers that may read the account, without the number of a card', async () => {
  const pan = '4242424242424242';
  const { id } = await account.api.ok('/block-rules', { name: 'Stolen', operator: 'OR', pan, country: 'KP' });
  const rulesOf = async (name: string) => {
    const { data, errors } = await (who[name] as SignedIn).graphql(
      `{ account(platformAccountId: "${account.id}") { blockRules { id name panLast4 country } } }`,
    );
    return errors?.[0].extensions.code ?? data.account.blockRules;
  };
  for (const name of ['hubadmin', 'accountmanager', 'partneradmin', 'partnerManager'])
    expect(await rulesOf(name), name).toEqual([{ id, name: 'Stolen', panLast4: '4242', country: 'KP' }]);
  expect(await rulesOf('partnerstaff')).toBe('FORBIDDEN');
  expect(await rulesOf('elsewhere')).toMatch(/NOT_FOUND$/);
  expect(await account.api.ok(`/block-rules/${id}`)).not.toHaveProperty('pan');
});
