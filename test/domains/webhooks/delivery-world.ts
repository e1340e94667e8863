import { afterAll, beforeAll, beforeEach } from 'vitest';
import { deliverWebhooks } from '../../../src/domains/webhooks/deliveries/jobs.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';
import { type Answering, type Receiver, startReceiver } from '../../support/receiver.ts';
import { type SeededAccount, type SeededPartner, seedPartner } from '../../support/seed.ts';

const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A platform whose clock the tests of a file set, with an account of each test and receivers of its webhooks. */
export function deliveryWorld() {
  const clock = manualClock(new Date());
  let platform: TestPlatform;
  let partner: SeededPartner;
  let account: SeededAccount;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    platform = await startTestPlatform({ clock, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
    partner = await seedPartner(platform);
  });
  beforeEach(async () => {
    account = await partner.account();
  });
  afterAll(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await platform?.close();
  });

  async function receiver(answer?: Answering): Promise<Receiver> {
    const made = await startReceiver(answer);
    receivers.push(made);
    return made;
  }

  const endpoint = (url: string, more: object = {}) =>
    account.api.ok('/webhooks', { url, eventTypes: ['customer/created', 'customer/updated'], ...more });
  const deliveriesOf = async (webhookId: string, more: object = {}) =>
    (await account.api.ok(`/webhooks/${webhookId}/deliveries/list`, { pageSize: 100, ...more })).items;
  const customer = (email = `${Math.random()}@example.com`) => account.api.ok('/customers/create', { email });
  const deliver = () => deliverWebhooks(platform.services);

  /** Advances to each next attempt and attempts it, until no delivery is open. */
  async function followSchedule(webhookId: string): Promise<void> {
    for (;;) {
      await deliver();
      const open = await platform.services.prisma.webhookDelivery.findMany({
        where: { endpointId: webhookId, nextAttemptAt: { not: null } },
        orderBy: { nextAttemptAt: 'asc' },
      });
      if (open.length === 0) return;
      // On an ordered endpoint, a delivery that is already due waits for the one before it.
      const next = open.find(({ nextAttemptAt }) => nextAttemptAt && nextAttemptAt > clock.now());
      if (!next?.nextAttemptAt) throw new Error('Something is due and is not sent.');
      clock.set(next.nextAttemptAt);
    }
  }

  return {
    get platform() {
      return platform;
    },
    get partner() {
      return partner;
    },
    get account() {
      return account;
    },
    clock,
    receiver,
    endpoint,
    deliveriesOf,
    customer,
    deliver,
    followSchedule,
  };
}
