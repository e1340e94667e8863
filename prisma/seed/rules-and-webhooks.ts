import { createBlockRule } from '../../src/block-rules/operations.ts';
import type { Env } from '../../src/env.ts';
import { eventTypes } from '../../src/kit/event-types.ts';
import { createWebhookEndpoint, updateWebhookEndpoint } from '../../src/webhooks/operations.ts';
import { unwelcomeDomain } from './stories.ts';
import { contextOf, type Shop } from './tenants.ts';

/** The demo merchant turns away customers of one e-mail domain. */
export async function addBlockRule(env: Env, { caller }: Shop): Promise<void> {
  await createBlockRule(contextOf(env, caller), {
    name: 'Throw-away addresses',
    operator: 'OR',
    emailRegex: `@${unwelcomeDomain.replaceAll('.', '[.]')}$`,
    isPermanent: true,
  });
}

/**
 * Two webhook endpoints to look at. Nobody listens behind them, so both are off: nothing of the demo's leaves this machine, and no
 * retries fill the log. For the same reason their names are not looked up.
 */
export async function addWebhookEndpoints(env: Env, { caller }: Shop): Promise<void> {
  const context = contextOf({ ...env, webhookSender: { ...env.webhookSender, refusalOf: async () => null } }, caller);
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
