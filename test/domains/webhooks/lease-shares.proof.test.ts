import { expect, test } from 'vitest';
import {
  inFlightMax,
  type LeasedDelivery,
  leaseDueDeliveries,
} from '../../../src/domains/webhooks/deliveries/lease.ts';
import { usePlatform } from '../../support/platform.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';

const platform = await usePlatform({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const { pool, clock, prisma } = platform.services;

/** Accounts with ten endpoints each, of which each has ten deliveries that are due. */
async function accountsOf(partner: SeededPartner, count: number): Promise<SeededAccount[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const account = await partner.account();

      for (let n = 0; n < 10; n++)
        await account.api.ok('/webhooks', { url: `http://127.0.0.1:9999/${n}`, eventTypes: ['customer/created'] });
      return account;
    }),
  );
}
async function due({ api }: SeededAccount): Promise<void> {
  for (let n = 0; n < 10; n++) await api.ok('/customers/create', { email: `buyer${n}@example.com` });
}

test('a partner has at most 200 deliveries in flight, and test mode 225 of 300, whichever of its accounts began', async () => {
  const [many, few] = [await seedPartner(platform), await seedPartner(platform)];
  const accounts = await accountsOf(many, 9);
  const [shop] = await accountsOf(few, 1);
  const inFlight: LeasedDelivery[] = [];
  /** Leases as many as this process has room for. The number of them by partner. */
  const lease = async () => {
    const byEndpoint = new Map<string, number>();
    for (const { endpointId } of inFlight) byEndpoint.set(endpointId, (byEndpoint.get(endpointId) ?? 0) + 1);
    const leased = await leaseDueDeliveries(pool, clock.real(), inFlightMax - inFlight.length, byEndpoint);
    inFlight.push(...leased);
    const owned = await prisma.webhookEndpoint.findMany({ where: { id: { in: leased.map((one) => one.endpointId) } } });
    const partnerOf = new Map(owned.map(({ id, partnerId }) => [id, partnerId]));
    const of = (id: string) => leased.filter(({ endpointId }) => partnerOf.get(endpointId) === id).length;
    return [of(many.id), of(few.id)];
  };
  for (const account of accounts.slice(0, 2)) await due(account);
  expect(await lease()).toEqual([150, 0]);
  await Promise.all(accounts.slice(2).map(due));
  expect(await lease()).toEqual([50, 0]);
  if (shop) await due(shop);
  expect(await lease()).toEqual([0, 25]);
  expect(await lease()).toEqual([0, 0]);
});
