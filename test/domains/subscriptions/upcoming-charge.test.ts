import { beforeAll, describe, expect, test } from 'vitest';
import { type SignedIn, signedIn } from '../../iam/people.ts';
import { seedPartner } from '../../support/seed.ts';
import { chargesOf, priceOf } from '../../support/subscriptions.ts';
import { subscriptionWorld } from './world.ts';

const world = subscriptionWorld();
const { ok, pass, subscribe } = world;
let hub: SignedIn;

beforeAll(async () => {
  hub = await signedIn(world.platform, { platformRoles: ['hubadmin'] });
});

async function upcoming(subscriptionId: string, person = hub) {
  const { data, errors } = await person.graphql(
    'query ($id: ID!) { subscription(subscriptionId: $id) { upcomingCharge { dueAt amount currency isRetry deferredReason } } }',
    { id: subscriptionId },
  );
  return errors ? errors[0].extensions.code : data.subscription.upcomingCharge;
}

/** The amount that the platform announces, and then charges. */
async function announcedAndCharged(id: string, days: number): Promise<[number, number]> {
  const { amount } = await upcoming(id);
  await pass(days);
  const payments = await chargesOf(world.platform, id);
  return [amount, Number.parseInt(payments.at(-1) ?? '', 10)];
}

describe('the upcoming charge of a subscription', () => {
  test('is what is charged then: with what is carried over, a change that is scheduled, and again after a decline', async () => {
    const carried = await subscribe();
    await pass(10);
    await ok('update', { subscriptionId: carried.id, quantity: 3 });
    const [announced, charged] = await announcedAndCharged(carried.id, 25);
    expect(announced).toBeGreaterThan(3000);
    expect(charged).toBe(announced);

    const changes = await subscribe();
    const yearly = await priceOf(world.account, { amount: 9000, interval: 'year' });
    await ok('update', { subscriptionId: changes.id, priceId: yearly, prorate: false });
    expect(await announcedAndCharged(changes.id, 32)).toEqual([9000, 9000]);

    const declined = await subscribe('4000000000000341', { quantity: 2 });
    expect(await upcoming(declined.id)).toMatchObject({ amount: 2000, currency: 'USD', isRetry: false });
    await pass(32);
    expect(await upcoming(declined.id)).toMatchObject({ amount: 2000, isRetry: true, deferredReason: null });
    expect(await announcedAndCharged(declined.id, 2)).toEqual([2000, 2000]);
  });

  test('is null where none is scheduled', async () => {
    const { id: subscriptionId } = await subscribe();
    expect(await upcoming(subscriptionId)).not.toBeNull();
    await ok('pause', { subscriptionId });
    expect(await upcoming(subscriptionId)).toBeNull();
    await ok('resume', { subscriptionId });
    await ok('cancel', { subscriptionId, cancelAtPeriodEnd: true });
    expect(await upcoming(subscriptionId)).toBeNull();
  });

  test('says why it would not be made while the account or its partner may not charge', async () => {
    const { id } = await subscribe();
    const { prisma } = world.platform.services;
    const account = (status: string) =>
      prisma.processingAccount.update({ where: { id: world.account.id }, data: { status } });
    await account('suspended');
    expect((await upcoming(id)).deferredReason).toBe('account_suspended');
    await account('active');
    await prisma.partner.update({ where: { id: world.partner.id }, data: { status: 'suspended' } });
    expect((await upcoming(id)).deferredReason).toBe('partner_suspended');
    await prisma.partner.update({ where: { id: world.partner.id }, data: { status: 'active' } });
    expect((await upcoming(id)).deferredReason).toBeNull();
  });

  test('404 for the people of another partner, 403 for partnerstaff', async () => {
    const { id } = await subscribe();
    const { slug } = await seedPartner(world.platform);
    const person = (platformRoles: string[], whitelabelOwnership: string) =>
      signedIn(world.platform, { platformRoles, whitelabelOwnership });
    expect(await upcoming(id, await person(['partneradmin'], slug))).toBe('NOT_FOUND');
    expect(await upcoming(id, await person(['accountmanager'], world.partner.slug))).toMatchObject({ amount: 1000 });
    expect(await upcoming(id, await person(['partnerstaff'], world.partner.slug))).toBe('FORBIDDEN');
  });
});
