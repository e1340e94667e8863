import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import type { SignedIn } from '../../iam/people.ts';
import type { ConsoleWorld } from '../console.ts';
import { startReceiver } from '../receiver.ts';
import { seedPartner } from '../seed.ts';
import { type ActionCase, does } from './action-case.ts';

export async function ofDelivery({ platform, partner }: ConsoleWorld): Promise<ActionCase[]> {
  const account = await partner.account('Listening Shop');
  const receiver = await startReceiver(() => 500);
  await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
  const { payment } = await account.charge();
  await deliverWebhooks(platform.services);
  await receiver.close();
  return [
    {
      mutation: 'RedeliverWebhook',
      name: 'Resend',
      path: `/test/payments/${payment['id']}`,
      row: 'payment/succeeded',
    },
    {
      mutation: 'RedeliverWebhooksSince',
      name: 'Resend since',
      path: `/test/endpoints?platformAccountId=${account.id}`,
      row: receiver.url,
      typed: { 'Since (UTC)': '2026-01-01T10:00' },
    },
  ];
}

export async function ofKeys({ platform, account, partner }: ConsoleWorld): Promise<ActionCase[]> {
  await partner.api.ok(`/accounts/${account.id}/api-keys`, { label: 'leaked key' });
  const spare = await seedPartner(platform);
  return [
    {
      mutation: 'RevokeSubKey',
      name: 'Revoke',
      path: `/test/api-keys?platformAccountId=${account.id}`,
      row: 'leaked key',
    },
    {
      mutation: 'RevokePartnerKey',
      name: 'Revoke',
      path: `/test/api-keys?partner=${spare.slug}`,
      row: 'partner key',
    },
  ];
}

export async function ofEndpoints({ partner }: ConsoleWorld, other: SignedIn): Promise<ActionCase[]> {
  const account = await partner.account('Watched Shop');
  const receiver = await startReceiver();
  const endpoint = async (): Promise<string> =>
    (await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['order/created'] })).id;
  const [tested, renewed, switchedOff, switchedOn] = await Promise.all([
    endpoint(),
    endpoint(),
    endpoint(),
    endpoint(),
  ]);
  await receiver.close();
  const turn = (id: string, enabled: boolean) => () =>
    does(other, `updateWebhookEndpoint(webhookId: "${id}", input: { enabled: ${enabled} }, reason: "late") { id }`);
  await turn(switchedOn, false)();
  const isOff = /Endpoint changed from enabled to disabled/;
  return [
    {
      mutation: 'TestEndpoint',
      name: 'Send a test event',
      path: `/test/endpoints/${tested}`,
      meanwhile: { happens: turn(tested, false), says: isOff, isOver: true },
    },
    {
      mutation: 'RotateSecret',
      name: 'Rotate secret',
      path: `/test/endpoints/${renewed}`,
      meanwhile: {
        happens: () => does(other, `rotateWebhookSecret(webhookId: "${renewed}", reason: "late") { id }`),
        says: /Previous secret valid until changed from none to .*/,
      },
    },
    {
      mutation: 'SwitchEndpoint',
      name: 'Disable',
      path: `/test/endpoints/${switchedOff}`,
      meanwhile: { happens: turn(switchedOff, false), says: isOff },
    },
    {
      mutation: 'SwitchEndpoint',
      name: 'Enable',
      path: `/test/endpoints/${switchedOn}`,
    },
    {
      mutation: 'RunJob',
      name: 'Run now',
      path: '/test/jobs',
      row: 'purge-old-rows',
    },
  ];
}

/** Partner keys that wait for a second person. Each request is on a list of its own partner. */
export async function ofKeyRequests(
  { platform }: ConsoleWorld,
  person: SignedIn,
  other: SignedIn,
): Promise<ActionCase[]> {
  const requested = async (by: SignedIn) => {
    const { slug } = await seedPartner(platform);
    const input = 'input: { label: "a server", mode: test }, reason: "new"';
    const { id } = await does(
      by,
      `createPartnerKey(partnerSlug: "${slug}", ${input}) { ... on PartnerKeyRequest { id } }`,
    );
    return { id: String(id), path: `/test/key-requests?partner=${slug}` };
  };
  const [approved, rejected, withdrawn, issued] = await Promise.all([
    requested(other),
    requested(other),
    requested(person),
    requested(person),
  ]);
  await does(other, `approvePartnerKeyRequest(requestId: "${issued.id}", reason: "agreed") { id }`);
  return [
    { mutation: 'ApproveKey', name: 'Approve', path: approved.path },
    { mutation: 'RejectKey', name: 'Reject', path: rejected.path },
    { mutation: 'WithdrawKey', name: 'Withdraw', path: withdrawn.path },
    { mutation: 'IssueKey', name: 'Create key', path: issued.path },
  ];
}
