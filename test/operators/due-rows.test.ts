import { describe, expect, test } from 'vitest';
import { recordBackup } from '../../src/database/last-backup.ts';
import { startJobs } from '../../src/jobs/jobs.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { readDueRows } from '../../src/operators/jobs/due-rows.ts';
import { jobsOf } from '../../src/registry.ts';
import { signedIn } from '../iam/people.ts';
import { asOwner } from '../support/database.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';
import { priceOf } from '../support/subscriptions.ts';

/** Jobs that have no rows with a time since which they are due, each with the reason. */
const withoutDueRows: Readonly<Record<string, string>> = {
  'aggregate-key-uses': 'It copies the uses of the last minute, and a run makes up for the one before.',
  'anchor-audit-log': 'It writes the head of the log wherever that is.',
  'deliver-test-disputes': 'The notices of the test processor, which plays a system outside of the platform.',
  'fail-test-refunds': 'The notices of the test processor, which plays a system outside of the platform.',
  'measure-webhooks': 'It measures.',
  'purge-expired-cvcs': 'The cards are in the database of the vault, which may be another one.',
  'purge-expired-sessions': 'The sessions are those of the identity provider. An expired one is valid no longer.',
  'purge-old-rows': 'Retention, by the age of many tables: no row is waited for.',
  'release-future-deliveries': 'It corrects times that a wrong clock wrote.',
  'remove-old-webhook-deliveries': 'Retention: no row is waited for.',
  'repair-identity-mirror': 'It compares all people with the identity provider.',
  'rewrap-cards': 'A rotation of keys, whose progress `platform keys check` shows.',
  'rewrap-kyb-values': 'A rotation of keys, whose progress `platform keys check` shows.',
  'rewrap-processor-secrets': 'A rotation of keys, whose progress `platform keys check` shows.',
  'rewrap-signing-secrets': 'A rotation of keys, whose progress `platform keys check` shows.',
  'sum-figures': 'Days and not rows. What is not summed yet is summed when it is read.',
};

const clock = manualClock(new Date('2026-01-31T10:00:00.000Z'));
const platform = await usePlatform({ clock });
const partner = await seedPartner(platform);
const account = await partner.account();
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** The values of a metric, by the job in its label, or by its name. */
async function valuesOf(metric: string): Promise<Record<string, number>> {
  const text = await platform.services.metrics.text();
  const lines = text.matchAll(new RegExp(`^(${metric})(?:\\{job="([^"]+)"\\})? (\\S+)$`, 'gm'));
  return Object.fromEntries([...lines].map(([, name = '', job, value]) => [job ?? name, Number(value)]));
}
const delays = () => valuesOf('platform_job_oldest_due_seconds');

describe('what is due for each job', () => {
  test('every job of the registry is measured, or has no due rows for a reason', async () => {
    const measured = (await readDueRows(platform.services.pool, clock.now(), null)).map(({ job }) => job);
    expect(measured.filter((job) => job in withoutDueRows)).toEqual([]);
    const jobs = jobsOf(platform.services).map(({ name }) => name);
    expect([...measured, ...Object.keys(withoutDueRows)].sort()).toEqual(jobs.sort());
  });

  test('the metric is 0 for each job without due rows', async () => {
    const measured = await readDueRows(platform.services.pool, clock.now(), null);
    expect(await delays()).toEqual(Object.fromEntries(measured.map(({ job }) => [job, 0])));
  });

  test('the metric and the graph have the time since which the oldest row is due, by the rule of its job', async () => {
    await account.api.ok('/webhooks', { url: 'https://shop.example.com/hook', eventTypes: ['payment/succeeded'] });
    const { id: paymentInstrumentId, customerId } = await account.instrument();
    await account.api.ok('/subscriptions/create', { customerId, paymentInstrumentId, priceId: await priceOf(account) });
    await account.charge('tok_visa', { mode: 'auth' });
    clock.advance(10_000);
    await account.charge('4000000000003220');
    const deleted = await account.instrument();
    await account.api.call(`/payment-instruments/${deleted.id}`, undefined, { method: 'DELETE' });
    await account.api.ok('/payment-instruments/tokenize', {
      storeId: account.storeId,
      cardNumber: '4242424242424242',
      expMonth: 12,
      expYear: 2030,
      cvc: '123',
    });
    const { prisma } = platform.services;
    const now = clock.now();
    await prisma.pendingCompensation.create({
      data: { organizationId: 'org_1', partnerSlug: null, dueAt: now, createdAt: now },
    });
    const processor = await prisma.processor.findFirstOrThrow({ where: { platformAccountId: account.id } });
    const [email, emailLower] = ['new@example.com', 'new@example.com'];
    await prisma.partnerMembership.create({
      data: { id: 'mem_1', partnerId: partner.id, email, emailLower, status: 'pending', invitedAt: now },
    });
    await prisma.unappliedEvent.create({
      data: {
        id: 'uev_1',
        processorId: processor.id,
        eventId: 'evt_1',
        partnerId: partner.id,
        platformAccountId: account.id,
        mode: 'test',
        type: 'charge.updated',
        status: 'waiting',
        reason: 'too_early',
        notices: [],
        retryAt: new Date(now.getTime() + minute * 1_000),
        receivedAt: now,
        updatedAt: now,
      },
    });
    clock.advance(40 * day * 1_000);
    // What was ten seconds earlier was the delivery, the authorization and the subscription.
    const expected = {
      'deliver-webhooks': 40 * day + 10,
      // Holds end after seven days, challenges after half an hour.
      'expire-authorizations': 33 * day + 10,
      'expire-challenges': 40 * day - 30 * minute,
      // A renewal is announced three days before it, at the end of February.
      'renew-subscriptions': 15 * day + 10,
      'erase-deleted-cards': 40 * day - hour,
      // A token is valid for half an hour, and its card kept for an hour more.
      'purge-unclaimed-cards': 40 * day - 1.5 * hour,
      'retry-waiting-events': 40 * day - minute,
      'end-expired-invitations': 33 * day,
      'run-pending-compensations': 40 * day,
    };
    expect(await delays()).toMatchObject(expected);
    const names = Object.keys(expected);
    const jobs = startJobs(
      [...names, 'measure-webhooks'].map((name) => ({ name, everyMs: 3_600_000, run: async () => {} })),
      platform.services,
    );
    await jobs.stop();
    const staff = await signedIn(platform, { platformRoles: ['hubadmin'], whitelabelOwnership: null });
    const { data } = await staff.graphql('query ($mode: Mode) { jobs(mode: $mode) { name oldestDueAt backlog } }', {});
    const due = (data.jobs as { name: string; oldestDueAt: string | null }[]).map(({ name, oldestDueAt }) => [
      name,
      oldestDueAt === null ? null : (clock.now().getTime() - Date.parse(oldestDueAt)) / 1_000,
    ]);
    expect(Object.fromEntries(due)).toEqual({ ...expected, 'measure-webhooks': null });
    const live = await readDueRows(platform.services.pool, clock.now(), 'live');
    const ofNoMode = ['end-expired-invitations', 'run-pending-compensations'];
    expect(live.filter(({ oldestDueAt }) => oldestDueAt !== null).map(({ job }) => job)).toEqual(ofNoMode);
  });
});

test('the age of the last backup is absent without one, and counts from the newest one recorded', async () => {
  const { services } = platform;
  const name = 'platform_backup_age_seconds';
  expect(await valuesOf(name)).toEqual({});
  const takenAt = clock.now();
  expect(await recordBackup(services.pool, takenAt)).toBe(true);
  clock.advance(90_000);
  expect(await valuesOf(name)).toEqual({ [name]: 90 });
  expect(await recordBackup(services.pool, new Date(takenAt.getTime() - 1_000))).toBe(true);
  expect(await valuesOf(name)).toEqual({ [name]: 90 });
  await asOwner(platform, 'DELETE FROM operating.last_backup');
  expect(await valuesOf(name)).toEqual({});
});
