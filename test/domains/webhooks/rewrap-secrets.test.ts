import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newSecrets, previousSecrets, signedHeaders } from '../../../src/domains/webhooks/endpoints/signing.ts';
import { rewrapColumn } from '../../../src/keys/rewrap.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';

const [oldKey, newKey] = [`old:${randomBytes(32).toString('base64')}`, `new:${randomBytes(32).toString('base64')}`];

const platform = await usePlatform({ env: { VAULT_KEYS: oldKey } });
const account = await (await seedPartner(platform)).account();

const configWith = (vaultKeys: string) => ({ ...platform.services.config, vaultKeys });
const rewrap = async (vaultKeys: string, limit = 10) => {
  const services = { pool: platform.services.pool, config: configWith(vaultKeys) };
  return (await rewrapColumn(services, newSecrets, limit)) + (await rewrapColumn(services, previousSecrets, limit));
};

test('after the job both secrets of every endpoint sign with the newest key, deleted endpoints included', async () => {
  const hook = { url: 'https://93.184.216.34/hook', eventTypes: ['customer/created'] };
  const [kept, deleted] = [await account.api.ok('/webhooks', hook), await account.api.ok('/webhooks', hook)];
  const rotated = await account.api.ok(`/webhooks/${kept.id}/rotate-secret`, {});
  await account.api.ok(`/webhooks/${deleted.id}`, undefined, { method: 'DELETE' });

  expect(await rewrap(oldKey)).toBe(0);
  expect([
    await rewrap(`${newKey},${oldKey}`, 1),
    await rewrap(`${newKey},${oldKey}`, 1),
    await rewrap(`${newKey},${oldKey}`),
  ]).toEqual([2, 1, 0]);

  const now = platform.services.clock.now();
  const row = await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({ where: { id: kept.id } });
  const headers = signedHeaders(configWith(newKey), { ...row, endpointId: row.id }, 'evt_1', '{}', now);
  for (const { secret } of [kept, rotated]) expect(new Webhook(secret).verify('{}', headers)).toEqual({});
  const { secret, id } = await platform.services.prisma.webhookEndpoint.findUniqueOrThrow({
    where: { id: deleted.id },
  });
  expect(() =>
    signedHeaders(
      configWith(newKey),
      { endpointId: id, secret, previousSecret: null, previousSecretUntil: null },
      'evt_1',
      '{}',
      now,
    ),
  ).not.toThrow();
});
