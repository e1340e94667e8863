import { createBlockRule } from '../../src/domains/block-rules/change-rule.ts';
import { createWebhookEndpoint, updateWebhookEndpoint } from '../../src/domains/webhooks/endpoints/change-endpoint.ts';
import { eventTypes } from '../../src/registry.ts';
import type { Services } from '../../src/services.ts';
import { unwelcomeDomain } from './stories.ts';
import { contextOf, type Shop } from './tenants.ts';

/** The demo merchant blocks customers of one e-mail domain. */
export async function addBlockRule(services: Services, { key }: Shop): Promise<void> {
  await createBlockRule(contextOf(services, key), {
    name: 'Throw-away addresses',
    operator: 'OR',
    emailRegex: `@${unwelcomeDomain.replaceAll('.', '[.]')}$`,
    isPermanent: true,
  });
}

/**
 * Two webhook endpoints as examples. They have no receivers, so both are disabled: the demo sends no data to other
 * hosts, and no retries fill the log. For the same reason their host names are not resolved.
 */
export async function addWebhookEndpoints(services: Services, { key }: Shop): Promise<void> {
  const context = contextOf(
    { ...services, webhookSender: { ...services.webhookSender, refusalOf: async () => null } },
    key,
  );
  const ofPayments = eventTypes.filter((type) => type.startsWith('payment/'));
  const endpoints = [
    {
      url: 'https://shop.example.com/hooks/payments',
      eventTypes: ofPayments,
      description: 'Payments, as they come',
      ordered: false,
    },
    {
      url: 'https://books.example.com/hooks',
      eventTypes: [...eventTypes],
      description: 'Everything, in order',
      ordered: true,
    },
  ];
  for (const endpoint of endpoints) {
    const { id } = await createWebhookEndpoint(context, endpoint);
    await updateWebhookEndpoint(context, id, { enabled: false });
  }
}
