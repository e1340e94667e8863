import type { Env } from '../src/env.ts';
import { seedDemoUsers } from '../src/iam/demo-users.ts';
import type { EmbeddedIdp } from '../src/idp/embedded-idp.ts';
import type { TravellingClock } from '../src/kit/clock.ts';
import { type Demo, writeDemo } from '../src/kit/demo.ts';
import { addCascade } from './seed/cascade.ts';
import { charge } from './seed/charges.ts';
import { addDisputes } from './seed/disputes.ts';
import { addFunnel, visitFunnel } from './seed/funnel.ts';
import { seedKyb } from './seed/kyb.ts';
import { addPlugin } from './seed/plugin.ts';
import { addBlockRule, addWebhookEndpoints } from './seed/rules-and-webhooks.ts';
import { addSubscriptions } from './seed/subscriptions.ts';
import { openTenants } from './seed/tenants.ts';

const dayMs = 86_400_000;

/**
 * The demo tenants: ninety days of business, made through the operations a client would use, each at its own moment. So events,
 * counters and the test processor's books agree with it as they would with real traffic. Nobody in it has a name.
 */
export async function seedDemo(env: Env, { at }: Pick<TravellingClock, 'at'>, idp: EmbeddedIdp | null): Promise<Demo> {
  const now = env.clock.now();
  const began = new Date(now.getTime() - 90 * dayMs);
  const opened = new Date(now.getTime() - 15 * dayMs);
  const { demo: tenants, shops } = await at(began, () => openTenants(env));
  const [shop] = shops;
  if (!shop) throw new Error('The demo has a shop.');
  await at(began, () => addBlockRule(env, shop));
  await charge(env, at, shops, { began, now });
  await addCascade(env, at, shop, now);
  await addDisputes(env, at, shop, now);
  await addSubscriptions(env, at, shop, { began, now });
  const plugin = await at(opened, () => addPlugin(env, shop));
  const funnel = await at(opened, () => addFunnel(env, shop, plugin));
  await visitFunnel(env, at, shop, funnel.id, now);
  await seedKyb(env, at, shops, now);
  await at(now, () => addWebhookEndpoints(env, shop));
  const [first, second] = tenants.partners;
  if (!first || !second) throw new Error('The demo has two partners.');
  // People of a hosted provider are not ours to make.
  const people = idp ? await seedDemoUsers(env, idp, [first, second]) : { users: [], organizations: [] };
  const demo = { ...tenants, plugin, funnel, ...people };
  writeDemo(env.config, demo);
  return demo;
}
