import { afterAll, describe, expect, test } from 'vitest';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { type SignedIn, signedIn } from '../../iam/people.ts';
import { usePlatform } from '../../support/platform.ts';
import { startReceiver } from '../../support/receiver.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

const who: Record<string, SignedIn> = {};

const platform = await usePlatform({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const partner = await seedPartner(platform);
const account = await partner.account();
const receiver = await startReceiver();
for (const [name, role, scope] of [
  ['superadmin', 'superadmin', null],
  ['hubadmin', 'hubadmin', null],
  ['accountmanager', 'accountmanager', null],
  ['partneradmin', 'partneradmin', partner.slug],
  ['partnerManager', 'accountmanager', partner.slug],
  ['partnerstaff', 'partnerstaff', partner.slug],
  ['merchant', null, null],
] as const)
  who[name] = await signedIn(platform, { platformRoles: role === null ? [] : [role], whitelabelOwnership: scope });
afterAll(async () => {
  await receiver?.close();
});

const documents = {
  webhookEndpoint: `query ($id: ID!) {
    webhookEndpoint(webhookId: $id) {
      id url enabled disabledReason livemode openCount deadCount rotationEndsAt account { id }
    }
  }`,
  updateWebhookEndpoint: `mutation ($id: ID!, $enabled: Boolean!, $reason: Name) {
    updateWebhookEndpoint(webhookId: $id, input: { enabled: $enabled }, reason: $reason) {
      id enabled disabledReason openCount deadCount
    }
  }`,
  testWebhookEndpoint: `mutation ($id: ID!, $reason: Name) {
    testWebhookEndpoint(webhookId: $id, reason: $reason) { id eventType status endpointId }
  }`,
  rotateWebhookSecret: `mutation ($id: ID!, $reason: Name) {
    rotateWebhookSecret(webhookId: $id, reason: $reason) { id secret rotationEndsAt }
  }`,
};
type What = keyof typeof documents;

/** The answer, or `code reason` of its error. */
async function act(name: string, what: What, id: string, more: object = {}, key = ''): Promise<any> {
  const { data, errors } = await (who[name] as SignedIn).graphql(
    documents[what],
    { id, ...(what === 'webhookEndpoint' ? {} : { reason: 'floods the list' }), ...more },
    key === '' ? {} : { 'Idempotency-Key': key },
  );
  if (!errors) return data[what];
  const { code, data: details } = errors[0].extensions;
  return [code, details?.reason ?? details?.issues?.[0]?.path].filter(Boolean).join(' ');
}
const switchTo = (enabled: boolean, id: string, name = 'hubadmin', key = '') =>
  act(name, 'updateWebhookEndpoint', id, { enabled }, key);
const read = (id: string, name = 'hubadmin') => act(name, 'webhookEndpoint', id);
const endpoint = async (of: Pick<SeededAccount, 'api'> = account): Promise<{ id: string; secret: string }> =>
  of.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
const auditOf = (target: string) =>
  platform.services.prisma.auditRow.findMany({ where: { target }, orderBy: { sequence: 'asc' } });

/** What each kind of person may read and change: null if they may, or the refusal. */
const noRole = 'FORBIDDEN caller_lacks_role';
const rights: [name: string, reading: string | null, changing: string | null, rotating: string | null][] = [
  ['superadmin', null, null, null],
  ['hubadmin', null, null, null],
  ['accountmanager', null, noRole, noRole],
  ['partneradmin', null, null, noRole],
  ['partnerManager', null, noRole, noRole],
  ['partnerstaff', noRole, noRole, noRole],
  ['merchant', noRole, noRole, noRole],
];

describe('a webhook endpoint', () => {
  test.each(
    rights,
  )('%s reads it: %s, switches and tests it: %s, and rotates it: %s', async (name, reading, changing, rotating) => {
    const { id, secret } = await endpoint();
    const shown = await read(id, name);
    if (reading === null) expect(shown).toMatchObject({ id, enabled: true, account: { id: account.id } });
    else expect(shown).toBe(reading);
    const answers = [
      await act(name, 'testWebhookEndpoint', id),
      await act(name, 'rotateWebhookSecret', id),
      await switchTo(false, id, name),
    ];
    if (changing !== null) {
      expect(answers).toEqual([changing, changing, changing]);
      expect(await read(id)).toMatchObject({ enabled: true, openCount: 0, rotationEndsAt: null });
      return;
    }
    const [tested, rotated, switched] = answers;
    expect(tested).toMatchObject({ eventType: 'webhook/test', status: 'pending', endpointId: id });
    if (rotating !== null) expect(rotated).toBe(rotating);
    else {
      expect(rotated.secret).toMatch(/^whsec_/);
      expect(rotated.secret).not.toBe(secret);
    }
    expect(switched).toMatchObject({ id, enabled: false, disabledReason: 'manual', openCount: 0, deadCount: 1 });
    const by = { actorId: who[name]?.id, mode: 'test', outcome: 'allowed' };
    const reason = 'floods the list';
    expect((await auditOf(id)).slice(1)).toMatchObject([
      { action: 'testWebhookEndpoint', ...by, after: { deliveryId: tested.id, reason } },
      ...(rotating === null ? [{ action: 'rotateWebhookSecret', ...by, after: { reason } }] : []),
      { action: 'updateWebhookEndpoint', ...by, before: { enabled: true }, after: { enabled: false, reason } },
    ]);
    expect(JSON.stringify((await auditOf(id)).map(({ after }) => after))).not.toContain('whsec_');
    // The keys of the account see the same endpoint.
    expect(await account.api.ok(`/webhooks/${id}`)).toMatchObject({ enabled: false });
  });

  test('switched on again, it gets what happens from then on, and its failures count from there', async () => {
    const { id } = await endpoint();
    await platform.services.pool.query(
      `UPDATE webhook_endpoints SET enabled = false, "disabledReason" = 'failing', "failingSince" = now() WHERE id = $1`,
      [id],
    );
    expect(await act('hubadmin', 'testWebhookEndpoint', id)).toBe('CONFLICT invalid_state');
    expect(await switchTo(true, id)).toMatchObject({ enabled: true, disabledReason: null });
    const { failingSince } = await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
    expect(failingSince).toBeNull();
    const { id: deliveryId } = await act('hubadmin', 'testWebhookEndpoint', id);
    await deliverWebhooks(platform.services);
    expect(await platform.services.prisma.webhookDelivery.findUnique({ where: { id: deliveryId } })).toMatchObject({
      status: 'delivered',
    });
  });

  test('a switch to what it is already is recorded and changes nothing', async () => {
    const { id } = await endpoint();
    const { updatedAt } = await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } });
    expect(await switchTo(true, id)).toMatchObject({ enabled: true });
    expect(await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id } })).toMatchObject({
      updatedAt,
    });
    expect((await auditOf(id)).at(-1)).toMatchObject({ before: { enabled: true }, after: { enabled: true } });
  });

  test('for all accounts of a partner belongs to no account and is switched as any other', async () => {
    const { id } = await endpoint(partner);
    expect(await read(id)).toMatchObject({ id, account: null });
    expect(await switchTo(false, id)).toMatchObject({ enabled: false });
  });

  test('404 for none and for one that was deleted, 400 without a reason and for more than a switch', async () => {
    const { id } = await endpoint();
    for (const reason of [null, '', 'x'.repeat(201)])
      expect(await act('hubadmin', 'testWebhookEndpoint', id, { reason })).toBe('INPUT_PARSE_ERROR reason');
    const { errors } = await (who['hubadmin'] as SignedIn).graphql(
      `mutation { updateWebhookEndpoint(webhookId: "${id}", input: { enabled: true, url: "${receiver.url}" }, reason: "so") { id } }`,
    );
    expect(errors[0].extensions.data.issues[0].path).toBe('input.url');
    await account.api.ok(`/webhooks/${id}`, undefined, { method: 'DELETE' });
    for (const gone of [id, 'wh_0000000000000000000000']) {
      expect(await read(gone)).toBe('NOT_FOUND');
      expect(await switchTo(false, gone)).toBe('NOT_FOUND');
    }
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'updateWebhookEndpoint', outcome: 'failed' });
  });

  test('an Idempotency-Key sends one test event and rotates once; the repeat shows no secret', async () => {
    const { id } = await endpoint();
    const first = await act('hubadmin', 'testWebhookEndpoint', id, {}, 'test-once');
    expect(await act('hubadmin', 'testWebhookEndpoint', id, {}, 'test-once')).toEqual(first);
    expect(await read(id)).toMatchObject({ openCount: 1 });
    const rotated = await act('hubadmin', 'rotateWebhookSecret', id, {}, 'rotate-once');
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(await act('hubadmin', 'rotateWebhookSecret', id, {}, 'rotate-once')).toEqual({
      ...rotated,
      secret: null,
    });
  });
});
