import { deliverWebhooks } from '../../src/domains/webhooks/deliveries/jobs.ts';
import { signedIn } from '../iam/people.ts';
import type { ConsoleWorld } from './console.ts';
import { startReceiver } from './receiver.ts';
import { seedPartner } from './seed.ts';
import { priceOf } from './subscriptions.ts';

/** Makes an object of each kind that has a page of its own. Returns the pages, each with the root field it reads. */
export async function onePageOfEach(world: ConsoleWorld): Promise<{ path: string; field: string }[]> {
  const { account, platform, partner } = world;
  const receiver = await startReceiver(() => 500);
  const endpoint = await account.api.ok('/webhooks', { url: receiver.url, eventTypes: ['payment/succeeded'] });
  const { id: paymentInstrumentId, customerId } = await account.instrument();
  const order = await account.api.ok('/orders/create', {
    customerId,
    currency: 'USD',
    items: [{ name: 'Tea', quantity: 2, unitAmount: 1250 }],
  });
  const { payment } = await account.api.ok('/payments/process', {
    paymentInstrumentId,
    amount: 2500,
    currency: 'USD',
    orderId: order.id,
  });
  await account.charge('4000000000000002');
  const subscription = await account.api.ok('/subscriptions/create', {
    customerId,
    paymentInstrumentId,
    priceId: await priceOf(account),
  });
  const clock = await account.api.ok('/test-clocks/create', { name: 'renewals', now: '2026-01-31T10:00:00Z' });
  const dispute = await account.api.ok('/test-disputes/create', { paymentId: payment.id });
  await deliverWebhooks(platform.services);
  await receiver.close();
  const event = await platform.services.prisma.event.findFirstOrThrow({
    where: { objectId: payment.id, type: 'payment/succeeded' },
  });
  const live = await seedPartner(platform, 'live', partner.id);
  const { id: newcomer } = await live.api.ok('/accounts', { legalName: 'Fresh Ltd' });
  const member = { platformRoles: ['accountmanager'], whitelabelOwnership: partner.slug };
  const { id: userId } = await signedIn(platform, member);
  return [
    { path: `/test/payments/${payment.id}`, field: 'payment' },
    { path: `/test/disputes/${dispute.id}`, field: 'dispute' },
    { path: `/test/customers/${customerId}`, field: 'customer' },
    { path: `/test/orders/${order.id}`, field: 'order' },
    { path: `/test/subscriptions/${subscription.id}`, field: 'subscription' },
    { path: `/test/test-clocks/${clock.id}`, field: 'testClock' },
    { path: `/test/endpoints/${endpoint.id}`, field: 'webhookEndpoint' },
    { path: '/test/me', field: 'me' },
    { path: `/test/events/${event.id}`, field: 'event' },
    { path: `/test/accounts/${account.id}`, field: 'account' },
    { path: `/live/kyb/${newcomer}`, field: 'kyb' },
    { path: `/test/partners/${partner.slug}`, field: 'partner' },
    { path: `/test/users/${userId}`, field: 'findUser' },
  ];
}
