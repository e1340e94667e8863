import { expect } from 'vitest';
import { clientOf } from '../../support/client.ts';
import { pick } from './dice.ts';
import type { Merchant, World } from './world.ts';

/** No object of one mode or tenant is visible to another. */
export async function readFromOtherTenant({ merchants, platform }: World, random: () => number): Promise<void> {
  const [owner, stranger] = [pick(merchants, random), pick(merchants, random)];
  if (owner === stranger || owner.payments.length === 0) return;
  const { id } = pick(owner.payments, random);
  const requests: [string, object?, object?][] = [
    [`/payments/${id}`],
    ['/payments/refund', { paymentId: id }],
    ...foreignCharges(owner, stranger, random),
  ];
  for (const { id: processorId } of owner.processors.slice(0, 1))
    requests.push([`/processors/${processorId}`, { enabled: false }, { method: 'PUT' }]);
  if (owner.disputes.length > 0) requests.push([`/disputes/${pick(owner.disputes, random)}`]);
  if (owner.subscriptions.length > 0)
    requests.push(
      [`/subscriptions/${pick(owner.subscriptions, random)}`],
      ['/subscriptions/cancel', { subscriptionId: pick(owner.subscriptions, random) }],
    );
  for (const api of owner.mode === stranger.mode
    ? [stranger.api]
    : [stranger.api, clientOf(platform, stranger.partnerKey)]) {
    for (const [path, body, options] of requests)
      expect({ path, status: (await api.call(path, body, options)).status }).toEqual({ path, status: 404 });
    for (const [path, filters] of [
      ['/disputes/list', { paymentId: id }],
      ['/events/list', { objectId: id }],
    ] as const)
      expect((await api.ok(path, { filters })).total).toBe(0);
  }
}

/** Charges with objects of another tenant. */
function foreignCharges(owner: Merchant, stranger: Merchant, random: () => number): [string, object][] {
  const own = {
    storeId: stranger.storeId,
    paymentInstrumentId: pick(stranger.instruments, random).id,
    amount: 100,
    currency: 'USD',
  };
  const foreign = [
    { paymentInstrumentId: pick(owner.instruments, random).id },
    ...owner.processors.slice(0, 1).map(({ id }) => ({ processorId: id })),
    ...owner.flows.slice(0, 1).map(({ id }) => ({ paymentFlowId: id })),
  ];
  return foreign.map((one) => ['/payments/process', { ...own, ...one }]);
}
