import type { EmbeddedIdp } from '../src/adapters/embedded-idp/embedded-idp.ts';
import type { TravelingClock } from '../src/lib/clock.ts';
import { seedDemoUsers } from '../src/local/demo.ts';
import type { Services } from '../src/services.ts';
import { type Demo, writeDemo } from '../src/settings/demo-credentials.ts';
import { addBlockRule } from './seed/block-rule.ts';
import { addCascade } from './seed/cascade.ts';
import { playLostAnswers, playStories, storiesOf } from './seed/charges.ts';
import { addDisputes } from './seed/disputes.ts';
import { addFunnel, visitFunnel } from './seed/funnel.ts';
import { seedKyb } from './seed/kyb.ts';
import { addPlugin } from './seed/plugin.ts';
import { addSubscriptions } from './seed/subscriptions.ts';
import { openTenants } from './seed/tenants.ts';
import { addWebhooks, testCards } from './seed/webhooks.ts';

const dayMs = 86_400_000;

/**
 * The demo tenants: ninety days of business, created through the operations a client would use, each at its own time.
 * Events, counters and the test processor's records are therefore consistent, as with real traffic. The names of its
 * customers are invented. `tell` is called after each of them.
 */
export async function seedDemo(
  services: Services,
  { at }: Pick<TravelingClock, 'at'>,
  idp: EmbeddedIdp | null,
  tell: (customers: number, of: number) => void,
): Promise<Demo> {
  const now = services.clock.now();
  const began = new Date(now.getTime() - 90 * dayMs);
  const opened = new Date(now.getTime() - 15 * dayMs);
  const { demo: tenants, shops } = await at(began, () => openTenants(services));
  const [shop] = shops;
  const [first, second] = tenants.partners;
  if (!shop || !first || !second) throw new Error('The demo has a shop and two partners.');
  await at(began, () => addBlockRule(services, shop));
  const plugin = await at(opened, () => addPlugin(services, shop));
  const funnel = await at(opened, () => addFunnel(services, shop, plugin));
  const stories = storiesOf(shops, { began, now });
  let customers = 0;
  // Side by side: each of them mostly waits for the database.
  const [people] = await Promise.all([
    // The users of a hosted provider are not created by the platform.
    idp ? seedDemoUsers(services, idp, [first, second]) : { users: [], organizations: [] },
    playStories(services, at, stories, () => tell(++customers, stories.length)),
    addCascade(services, at, shop, now),
    addSubscriptions(services, at, shop, { began, now }),
    visitFunnel(services, at, shop, funnel.id, now),
    seedKyb(services, at, shops, now),
  ]);
  await playLostAnswers(services, at, stories, now);
  await addDisputes(services, at, shop, now);
  await at(now, () => addWebhooks(services, shop));
  await at(now, () => testCards(services, shop));
  const demo = { ...tenants, plugin, funnel, ...people };
  writeDemo(services.config, demo);
  return demo;
}
