import { createBlockRule } from '../../src/domains/block-rules/change-rule.ts';
import type { Services } from '../../src/services.ts';
import { unwelcomeDomain } from './stories.ts';
import { contextOf, type Shop } from './tenants.ts';

/** The demo merchant blocks customers of one email domain. */
export async function addBlockRule(services: Services, { key }: Shop): Promise<void> {
  await createBlockRule(contextOf(services, key), {
    name: 'Throw-away addresses',
    operator: 'OR',
    emailRegex: `@${unwelcomeDomain.replaceAll('.', '[.]')}$`,
    isPermanent: true,
  });
}
