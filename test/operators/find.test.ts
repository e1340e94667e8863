import { describe, expect, test } from 'vitest';
import { type SignedIn, signedIn, signInEachRole } from '../iam/people.ts';
import { asOwner } from '../support/database.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { priceOf } from '../support/subscriptions.ts';

const who: Record<string, SignedIn> = {};

const platform = await usePlatform();
const partner = await seedPartner(platform);
const account = await partner.account('Found Shop');
const other = await seedPartner(platform);
Object.assign(who, await signInEachRole(platform, partner), {
  elsewhere: await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: other.slug }),
});

async function find(
  text: string,
  { name = 'hubadmin', mode }: { name?: string; mode?: 'live' | 'test' } = {},
): Promise<any> {
  const { data, errors } = await (who[name] as SignedIn).graphql(
    `query ($text: Name!, $mode: Mode) {
      search(text: $text, mode: $mode) {
        kind id label belongsTo mode partnerId platformAccountId createdAt
      }
    }`,
    { text, mode },
  );
  return errors ? errors[0].extensions.code : data.search;
}
const kinds = async (text: string, as: { name?: string; mode?: 'live' | 'test' } = {}) =>
  (await find(text, as)).map(({ kind }: { kind: string }) => kind).sort();

describe('an identifier', () => {
  test('of every kind leads to its object, in its tenant, and the other mode and another partner do not have it', async () => {
    const { payment, transactions } = await account.charge();
    const { refund } = await account.api.ok('/payments/refund', { paymentId: payment['id'], amount: 100 });
    const dispute = await account.api.ok('/test-disputes/create', { paymentId: payment['id'], amount: 100 });
    const priceId = await priceOf(account);
    const customerId = String(payment['customerId']);
    const order = await account.api.ok('/orders/create', {
      customerId,
      currency: 'USD',
      items: [{ name: 'Tea', quantity: 1, unitAmount: 500 }],
    });
    const subscription = await account.api.ok('/subscriptions/create', { customerId, priceId });
    const { items: keys } = await partner.api.ok(`/accounts/${account.id}/api-keys/list`, {});
    const ids: Record<string, [id: unknown, belongsTo?: unknown]> = {
      payment: [payment['id']],
      transaction: [transactions[0]?.['id'], payment['id']],
      refund: [refund.id, payment['id']],
      dispute: [dispute.id, payment['id']],
      customer: [customerId],
      paymentInstrument: [payment['paymentInstrumentId'], customerId],
      order: [order.id, customerId],
      subscription: [subscription.id, customerId],
      account: [account.id],
      store: [account.storeId, account.id],
      apiKey: [keys[0].id],
      processor: [payment['processorId']],
    };
    for (const [kind, [id, belongsTo = null]] of Object.entries(ids)) {
      const owner = { mode: 'test', partnerId: partner.id, platformAccountId: account.id };
      const hit = { kind, id, belongsTo, ...owner, label: expect.any(String), createdAt: expect.any(String) };
      for (const name of ['hubadmin', 'accountmanager', 'partneradmin', 'partnerManager'])
        expect(await find(String(id), { name }), `${kind} by ${name}`).toEqual([hit]);
      expect(await find(String(id), { mode: 'test' }), kind).toEqual([hit]);
      expect(await find(String(id), { mode: 'live' }), kind).toEqual([]);
      expect(await find(String(id), { name: 'elsewhere' }), kind).toEqual([]);
    }
    expect(await find(String(payment['id']), { name: 'partnerstaff' })).toBe('FORBIDDEN');
  });

  test("of partners and audit rows is the hub's, of events, webhooks and users everybody's own", async () => {
    const { id: webhookId } = await account.api.ok('/webhooks', {
      url: 'https://hooks.example.com/in',
      eventTypes: ['customer/created'],
    });
    const customer = await account.api.ok('/customers/create', { email: 'evented@example.com' });
    const { prisma } = platform.services;
    const event = await prisma.event.findFirstOrThrow({ where: { objectId: customer.id } });
    const delivery = await prisma.webhookDelivery.findFirstOrThrow({ where: { eventId: event.id } });
    const audit = await prisma.auditRow.findFirstOrThrow({ where: { action: 'createApiKey' } });
    for (const [kind, id, belongsTo] of [
      ['event', event.id, customer.id],
      ['webhookEndpoint', webhookId, null],
      ['webhookDelivery', delivery.id, webhookId],
    ] as const) {
      for (const name of ['hubadmin', 'accountmanager'])
        expect(await find(id, { name })).toMatchObject([{ kind, id, belongsTo }]);
      expect(await kinds(id, { name: 'partneradmin' }), kind).toEqual([kind]);
      expect(await find(id, { name: 'elsewhere' }), kind).toEqual([]);
    }
    for (const [kind, id] of [
      ['partner', partner.id],
      ['auditRow', audit.id],
    ] as const) {
      expect(await kinds(id)).toEqual([kind]);
      expect(await find(id, { name: 'accountmanager' })).toEqual([]);
      expect(await find(id, { name: 'partneradmin' })).toEqual([]);
    }
    const person = who['partnerManager']?.id ?? '';
    expect(await find(person)).toMatchObject([{ kind: 'user', partnerId: partner.id, mode: null }]);
    expect(await kinds(person, { name: 'partneradmin', mode: 'live' })).toEqual(['user']);
    expect(await find(person, { name: 'elsewhere' })).toEqual([]);
  });

  test('that nothing has, a blank text and one of 201 characters', async () => {
    for (const text of ['pay_0000000000000000000000', 'nothing', 'x'.repeat(200), "' OR true --", '%', '_', '@'])
      expect(await find(text), text).toEqual([]);
    for (const text of ['', '  ', 'x'.repeat(201)]) expect(await find(text), text).toBe('INPUT_PARSE_ERROR');
  });
});

describe('another name', () => {
  test('an email address in any case: customers of both modes, and users', async () => {
    const email = who['partneradmin']?.email ?? '';
    await account.api.ok('/customers/create', { email: email.toUpperCase() });
    const live = await seedPartner(platform, 'live', partner.id);
    await (await live.account()).api.ok('/customers/create', { email });
    expect(await kinds(` ${email.toUpperCase()} `)).toEqual(['customer', 'customer', 'user']);
    expect(await kinds(email, { mode: 'live' })).toEqual(['customer', 'user']);
    expect(await kinds(email, { name: 'partneradmin' })).toEqual(['customer', 'customer', 'user']);
    expect(await find(email, { name: 'elsewhere' })).toEqual([]);
  });

  test('the last four digits: the 20 newest cards', async () => {
    const own = await (await seedPartner(platform)).account();
    for (let made = 0; made < 21; made++) await own.instrument('5555555555554444');
    const hits = await find('4444');
    expect(hits).toHaveLength(20);
    expect(hits[0]).toMatchObject({ kind: 'paymentInstrument', label: 'mastercard 4444', platformAccountId: own.id });
    const times = hits.map(({ createdAt }: { createdAt: string }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(await find('4444', { name: 'partneradmin' })).toEqual([]);
  });

  test('an API key by its public part, also if it is pasted whole', async () => {
    for (const text of [account.subKey.slice(0, 'tp_sk_test_'.length + 8), account.subKey])
      expect(await find(text)).toMatchObject([{ kind: 'apiKey', platformAccountId: account.id }]);
    expect(await kinds(partner.partnerKey, { name: 'partneradmin' })).toEqual(['apiKey']);
    expect(await find(account.subKey, { name: 'elsewhere' })).toEqual([]);
  });

  test("a processor's reference of a transaction and of a dispute", async () => {
    const { payment, transactions } = await account.charge();
    const dispute = await account.api.ok('/test-disputes/create', { paymentId: payment['id'], amount: 100 });
    const reference = String(transactions[0]?.['processorReference']);
    expect(await find(reference)).toMatchObject([{ kind: 'transaction', belongsTo: payment['id'] }]);
    expect(await find(dispute.processorReference)).toMatchObject([{ kind: 'dispute', id: dispute.id }]);
    expect(await find(reference, { name: 'elsewhere' })).toEqual([]);
    // Stripe, too, has references that begin with `pi_`.
    const stripes = 'pi_3PqXyz0000000000000000AB';
    await platform.services.pool.query(`UPDATE transactions SET "processorReference" = $1 WHERE id = $2`, [
      stripes,
      transactions[0]?.['id'],
    ]);
    expect(await find(stripes)).toMatchObject([{ kind: 'transaction', belongsTo: payment['id'] }]);
  });

  test('a Request-Id: what it changed, and its audit rows for the hub; ours and one that the client chose', async () => {
    const ask = (headers: Record<string, string> = {}) =>
      account.api.call('/customers/create', { email: `${Math.random()}@example.com` }, { headers });
    const ours = await ask();
    const theirs = await ask({ 'Request-Id': 'shop-order-4711' });
    for (const { headers, body } of [ours, theirs]) {
      const text = headers.get('request-id') ?? '';
      for (const name of ['hubadmin', 'accountmanager', 'partneradmin'])
        expect(await find(text, { name }), name).toMatchObject([{ kind: 'customer', id: body.id }]);
      expect(await find(text, { name: 'elsewhere' })).toEqual([]);
      expect(await find(text, { mode: 'live' })).toEqual([]);
    }
    const key = await partner.api.call(`/accounts/${account.id}/api-keys`, { label: 'audited' });
    const text = key.headers.get('request-id') ?? '';
    expect(await find(text)).toMatchObject([{ kind: 'auditRow', label: 'createApiKey', belongsTo: key.body.id }]);
    expect(await find(text, { name: 'accountmanager' })).toEqual([]);
  });

  test('a part of the name of an account, a store, a processor or a partner, in any case: the same name first, then its beginning', async () => {
    const own = await seedPartner(platform);
    const [inside, begins, same] = [
      await own.account('Old Velvet Room'),
      await own.account('Velvet Room'),
      await own.account('Velvet'),
    ];
    const live = await seedPartner(platform, 'live', own.id);
    const inLive = await live.account('Velvet Live');
    const accounts = (await find('VELVET')).filter(({ kind }: { kind: string }) => kind === 'account');
    const ids = accounts.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([same.id, inLive.id, begins.id, inside.id]);
    expect(accounts[1]).toMatchObject({ mode: 'live', label: 'Velvet Live' });
    const { prisma } = platform.services;
    await prisma.store.update({ where: { id: same.storeId }, data: { name: 'Pier 9' } });
    const { id } = await prisma.processor.findFirstOrThrow({ where: { platformAccountId: same.id } });
    await prisma.processor.update({ where: { id }, data: { name: 'Acquirer North' } });
    await prisma.partner.update({ where: { id: own.id }, data: { name: 'Harbour Partners' } });
    for (const [text, kind, found] of [
      ['pier', 'store', same.storeId],
      ['rer nor', 'processor', id],
      ['harbour', 'partner', own.id],
    ] as const) {
      expect(await find(text), text).toMatchObject([{ kind, id: found }]);
      expect(await find(text, { name: 'partneradmin' }), text).toEqual([]);
      expect(await find(text, { name: 'elsewhere' }), text).toEqual([]);
    }
    expect(await find('v')).toEqual([]);
    expect(await find('pier', { mode: 'live' })).toEqual([]);
  });

  test('the whole name of a customer: the first, the last, or both, each customer once', async () => {
    const named = { email: 'ada@names.example', firstName: 'Violet', lastName: 'Violet' };
    const { id } = await account.api.ok('/customers/create', named);
    await account.api.ok('/customers/create', { email: 'bo@names.example', firstName: 'Bo', lastName: 'Violets' });
    for (const text of ['violet', 'Violet', 'violet violet', 'Violet  Violet'])
      expect(await find(text), text).toMatchObject([{ kind: 'customer', id, mode: 'test' }]);
    expect(await find('Violet', { name: 'elsewhere' })).toEqual([]);
    expect(await find('bo violet')).toEqual([]);
  });

  test('a Request-Id that the client chose: found at 49,999 later events of the mode, and not at 50,000', async () => {
    const headers = { 'Request-Id': 'shop-order-50000' };
    const { body } = await account.api.call('/customers/create', { email: 'late@example.com' }, { headers });
    const addLater = (from: number, to: number) =>
      asOwner(
        platform,
        `INSERT INTO events (id, type, mode, "partnerId", "platformAccountId", "objectId", sequence, "requestId", data,
           "createdAt")
         SELECT 'evt_later' || n, 'order/canceled', 'test', $1, $2, 'obj_' || n, 1, 'req_later', '{}',
           now() + interval '1 hour'
         FROM generate_series($3::int, $4::int) n`,
        [partner.id, account.id, from, to],
      );
    await addLater(1, 49_999);
    expect(await find('shop-order-50000')).toMatchObject([{ kind: 'customer', id: body.id }]);
    await addLater(50_000, 50_000);
    expect(await find('shop-order-50000')).toEqual([]);
  });
});
