import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { type SignedIn, signedIn } from '../../iam/people.ts';
import { usePlatform } from '../../support/platform.ts';
import { startReceiver } from '../../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';

const clock = manualClock(new Date());

let account: SeededAccount;

let status = 200;
const who: Record<string, SignedIn> = {};

const platform = await usePlatform({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const partner = await seedPartner(platform);
const receiver = await startReceiver(() => status);
for (const [name, role, scope] of [
  ['hub', 'hubadmin', null],
  ['manager', 'accountmanager', null],
  ['partneradmin', 'partneradmin', partner.slug],
  ['partnerManager', 'accountmanager', partner.slug],
  ['partnerstaff', 'partnerstaff', partner.slug],
] as const)
  who[name] = await signedIn(platform, { platformRoles: [role], whitelabelOwnership: scope });
beforeEach(async () => {
  account = await partner.account();
  status = 200;
});
afterAll(async () => {
  await receiver?.close();
});

/** The first root field of the answer, or `code reason` of its error. */
async function ask(query: string, variables: object = {}, { name = 'hub', key = '' } = {}): Promise<any> {
  const { data, errors } = await (who[name] as SignedIn).graphql(
    query,
    { ...variables },
    key === '' ? {} : { 'Idempotency-Key': key },
  );
  if (!errors) return Object.values(data)[0];
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}

const again = (id: string, more: object = {}, as: { name?: string; key?: string } = {}) =>
  ask(
    `mutation ($id: ID!, $reason: Name) {
      redeliverWebhook(deliveryId: $id, reason: $reason) { id status nextAttemptAt partnerId }
    }`,
    { id, reason: 'asked by the merchant', ...more },
    as,
  );
const since = (id: string, from: Date, as: { name?: string; key?: string } = {}) =>
  ask(
    `mutation ($id: ID!, $from: DateTime!) {
      redeliverWebhooksSince(webhookId: $id, since: $from, reason: "receiver lost a day") { redelivered }
    }`,
    { id, from: from.toISOString() },
    as,
  );
const deliveries = async (filters: object) =>
  (
    await ask(
      `query ($filters: WebhookDeliveryFilters) {
        webhookDeliveries(mode: test, filters: $filters) { items { id objectId eventId eventType status } }
      }`,
      { filters },
    )
  ).items;
const endpoint = (of: Pick<SeededAccount, 'api'> | SeededPartner = account, eventTypes = ['payment/succeeded']) =>
  of.api.ok('/webhooks', { url: receiver.url, eventTypes });
const deliver = () => deliverWebhooks(platform.services);
const auditOf = (target: string) =>
  platform.services.prisma.auditRow.findMany({ where: { target }, orderBy: { sequence: 'asc' } });

describe('redelivery by an operator', () => {
  test('sends the event again, with an audit row of person and reason; a refusal has one, too', async () => {
    const { id: webhookId } = await endpoint();
    const { payment } = await account.charge();
    await deliver();
    const [one] = await deliveries({ endpointId: webhookId });
    expect(one).toMatchObject({ objectId: payment['id'], status: 'delivered' });
    const before = receiver.received.length;
    expect(await again(one.id)).toMatchObject({ id: one.id, status: 'pending', partnerId: partner.id });
    await deliver();
    expect(receiver.received.slice(before).map(({ event }) => event.id)).toEqual([one.eventId]);
    await account.api.ok(`/webhooks/${webhookId}`, { enabled: false }, { method: 'PUT' });
    expect(await again(one.id)).toBe('CONFLICT invalid_state');
    expect(await auditOf(one.id)).toMatchObject([
      {
        action: 'redeliverWebhook',
        actorId: who['hub']?.id,
        mode: 'test',
        before: { status: 'delivered' },
        after: { status: 'pending', reason: 'asked by the merchant' },
      },
      { action: 'redeliverWebhook', outcome: 'failed', reason: 'invalid_state' },
    ]);
  });

  test('also to an endpoint for all accounts of a partner', async () => {
    const { id: webhookId } = await endpoint(partner);
    await account.charge();
    await deliver();
    const [one] = await deliveries({ endpointId: webhookId });
    expect(await again(one.id)).toMatchObject({ status: 'pending' });
    await partner.api.ok(`/webhooks/${webhookId}`, undefined, { method: 'DELETE' });
    expect(await again(one.id)).toBe('NOT_FOUND');
  });

  test('404 for none, 400 without a reason, 403 for everybody who is no admin', async () => {
    await endpoint();
    await account.charge();
    const [one] = await deliveries({});
    expect(await again('whd_0000000000000000000000')).toBe('NOT_FOUND');
    for (const reason of [null, '', 'x'.repeat(201)])
      expect(await again(one.id, { reason })).toBe('INPUT_PARSE_ERROR reason');
    for (const name of ['manager', 'partnerManager', 'partnerstaff']) {
      expect(await again(one.id, {}, { name }), name).toBe('FORBIDDEN caller_lacks_role');
      expect(await since('wh_none', clock.now(), { name }), name).toBe('FORBIDDEN caller_lacks_role');
    }
  });

  test('an Idempotency-Key makes it once', async () => {
    const { id: webhookId } = await endpoint();
    await account.charge();
    await deliver();
    const [one] = await deliveries({ endpointId: webhookId });
    const first = await again(one.id, {}, { key: 'again' });
    await deliver();
    expect(await again(one.id, {}, { key: 'again' })).toEqual(first);
    expect(await deliveries({ endpointId: webhookId })).toMatchObject([{ status: 'delivered' }]);
    expect(await again(one.id, { reason: 'another' }, { key: 'again' })).toBe('CONFLICT idempotency_key_reused');
  });

  test('since a moment: every event from it on, with one audit row; 404 for no endpoint', async () => {
    const { id: webhookId } = await endpoint();
    await account.charge();
    clock.advance(1000);
    const from = clock.now();
    await account.charge();
    await account.charge();
    await deliver();
    expect(await since(webhookId, from)).toEqual({ redelivered: 2 });
    expect(await since(webhookId, new Date(from.getTime() + 1))).toEqual({ redelivered: 0 });
    expect((await auditOf(webhookId)).at(1)?.after).toMatchObject({ redelivered: 2, reason: 'receiver lost a day' });
    expect(await since('wh_0000000000000000000000', from)).toBe('NOT_FOUND');
  });
});

describe('deliveries', () => {
  test('of one object, event, endpoint and status', async () => {
    const { id: webhookId } = await endpoint(account, ['payment/created', 'payment/succeeded']);
    const [first, second] = [await account.charge(), await account.charge()];
    const of = await deliveries({ objectId: first.payment['id'] });
    expect(of.map(({ eventType }: { eventType: string }) => eventType).sort()).toEqual([
      'payment/created',
      'payment/succeeded',
    ]);
    expect(await deliveries({ objectId: second.payment['id'], eventType: ['payment/created'] })).toHaveLength(1);
    expect(await deliveries({ eventId: of[0].eventId })).toMatchObject([{ id: of[0].id }]);
    expect(await deliveries({ endpointId: webhookId, status: ['dead'] })).toEqual([]);
    expect(await deliveries({ objectId: 'pay_none' })).toEqual([]);
  });

  test('lead from the payment and its events', async () => {
    await endpoint(account, ['payment/created', 'payment/succeeded']);
    const { payment } = await account.charge();
    const { deliveries: shown, events } = await ask(
      `query ($id: ID!) {
        payment(paymentId: $id) { deliveries { eventType } events { type deliveries { eventType } } }
      }`,
      { id: payment['id'] },
    );
    expect(shown).toHaveLength(2);
    for (const event of events) expect(event.deliveries).toEqual([{ eventType: event.type }]);
  });
});

describe('what was sent and answered', () => {
  test('body and headers of each attempt, without the signature and cookies; the headers of the answer to 2 KiB', async () => {
    const own = await startReceiver((_received, _count, response) => {
      response.setHeader('X-Trace', 'abc');
      response.setHeader('Set-Cookie', 'session=secret');
      response.setHeader('X-Long', 'x'.repeat(2048));
      return 503;
    });
    const { id: webhookId } = await account.api.ok('/webhooks', { url: own.url, eventTypes: ['payment/succeeded'] });
    await account.charge();
    await deliver();
    await own.close();
    const [sent] = own.received;
    const { items } = await ask(
      `query ($filters: WebhookDeliveryFilters) {
        webhookDeliveries(mode: test, filters: $filters) {
          items {
            requestBody
            attempts { status requestHeaders { name value } responseHeaders { name value } }
          }
        }
      }`,
      { filters: { endpointId: webhookId } },
    );
    expect(items).toHaveLength(1);
    expect(items[0].requestBody).toBe(sent?.text);
    const [{ requestHeaders, responseHeaders }] = items[0].attempts;
    for (const { name, value } of requestHeaders)
      expect(value, name).toBe(name === 'webhook-signature' ? '[redacted]' : sent?.headers[name.toLowerCase()]);
    expect(requestHeaders.map(({ name }: { name: string }) => name)).toEqual([
      'Content-Type',
      'User-Agent',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    expect(responseHeaders).toEqual([
      { name: 'X-Trace', value: 'abc' },
      { name: 'Set-Cookie', value: '[redacted]' },
    ]);
  });

  test('of a test event, too; without an answer there are no headers of one', async () => {
    const own = await startReceiver();
    const { id: webhookId } = await account.api.ok('/webhooks', { url: own.url, eventTypes: ['payment/succeeded'] });
    await account.api.ok(`/webhooks/${webhookId}/test`, {});
    await deliver();
    await own.close();
    clock.advance(1);
    await account.charge();
    await deliver();
    const { data } = await account.api.graphql(
      `query ($id: ID!) {
        webhookDeliveries(webhookId: $id) { items { eventType requestBody attempts { responseHeaders { name } } } }
      }`,
      { id: webhookId },
    );
    const [charged, tested] = data.webhookDeliveries.items;
    expect(tested).toMatchObject({ eventType: 'webhook/test', requestBody: own.received[0]?.text });
    expect(tested.attempts[0].responseHeaders.length).toBeGreaterThan(0);
    expect(charged.attempts[0].responseHeaders).toBeNull();
  });
});

describe('webhook endpoints', () => {
  const list = async (filters: object, name = 'hub') =>
    ask(
      `query ($filters: WebhookEndpointFilters) {
        webhookEndpoints(mode: test, filters: $filters) {
          items {
            id partnerId platformAccountId enabled disabledReason
            lastDeliveredAt failingSince openCount failedCount deadCount oldestDueAt
          }
        }
      }`,
      { filters },
      { name },
    );

  test('with the last success, what is open, failed and dead, and since when it fails', async () => {
    const { id } = await endpoint();
    const mine = async () => (await list({ platformAccountId: account.id })).items;
    const none = { failingSince: null, openCount: 0, failedCount: 0, deadCount: 0, oldestDueAt: null };
    const owner = { id, partnerId: partner.id, platformAccountId: account.id, enabled: true };
    expect(await mine()).toEqual([{ ...owner, ...none, disabledReason: null, lastDeliveredAt: null }]);

    await account.charge();
    const due = clock.now().toISOString();
    expect(await mine()).toMatchObject([{ openCount: 1, failedCount: 0, oldestDueAt: due, lastDeliveredAt: null }]);
    await deliver();
    expect(await mine()).toMatchObject([{ ...none, lastDeliveredAt: due }]);

    clock.advance(59_999);
    await account.charge();
    await deliver();
    expect(await mine()).toMatchObject([{ lastDeliveredAt: due }]); // the same minute
    clock.advance(2);
    await account.charge();
    await deliver();
    expect(await mine()).toMatchObject([{ lastDeliveredAt: clock.now().toISOString() }]);

    status = 500;
    await account.charge();
    const failingSince = clock.now().toISOString();
    await deliver();
    expect(await mine()).toMatchObject([{ failingSince, openCount: 1, failedCount: 1, deadCount: 0 }]);
    expect((await list({ isFailing: true })).items.map((one: { id: string }) => one.id)).toContain(id);
    expect((await list({ isFailing: false, platformAccountId: account.id })).items).toEqual([]);

    status = 410;
    await account.charge();
    await deliver();
    await deliver(); // marks what was open dead
    expect(await mine()).toMatchObject([
      { enabled: false, disabledReason: 'gone', openCount: 0, deadCount: 2, oldestDueAt: null },
    ]);
    expect((await list({ enabled: true, platformAccountId: account.id })).items).toEqual([]);
  });

  test("internal staff and the partner's own people, of one mode, and not those that were deleted", async () => {
    const { id } = await endpoint();
    for (const name of ['manager', 'partneradmin', 'partnerManager'])
      expect((await list({}, name)).items.map((one: { id: string }) => one.id)).toContain(id);
    expect(await list({}, 'partnerstaff')).toBe('FORBIDDEN caller_lacks_role');
    expect((await ask('{ webhookEndpoints(mode: live) { total } }')).total).toBe(0);
    await account.api.ok(`/webhooks/${id}`, undefined, { method: 'DELETE' });
    expect((await list({ platformAccountId: account.id })).items).toEqual([]);
  });
});
