import { expect, test } from 'vitest';
import { addWebhooks } from '../../prisma/seed/webhooks.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform({ publicUrl: 'https://pay.example.com' });

test('where other machines reach the server, it has no receivers, and the five endpoints of the demo are disabled', async () => {
  const partner = await seedPartner(platform);
  const { id, storeId, api } = await partner.account();
  const { id: keyId } = await platform.services.prisma.apiKey.findFirstOrThrow({ where: { platformAccountId: id } });
  await addWebhooks(platform.services, {
    name: 'Shop',
    key: {
      tenant: { partnerId: partner.id, platformAccountId: id, mode: 'test' },
      actor: { kind: 'subKey', id: keyId, mode: 'test' },
    },
    storeId,
    currency: 'USD',
    customers: 0,
  });
  const { items } = await api.ok('/webhooks/list', {});
  expect(items.map(({ enabled }: { enabled: boolean }) => enabled)).toEqual(Array<boolean>(5).fill(false));
  expect((await fetch(`${platform.url}/test/receivers/accepts`, { method: 'POST' })).status).toBe(404);
  // No path that a client chooses keeps a request out of the log.
  const refused = () =>
    platform.logged.find((line) => line.includes('"msg":"request"') && line.includes('"status":404'));
  await expect.poll(refused).toContain('"level":"info"');
});
