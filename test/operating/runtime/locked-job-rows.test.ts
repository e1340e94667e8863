import pg from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import { manualClock } from '../../../src/lib/clock.ts';
import { newId } from '../../../src/lib/ids.ts';
import { jobsOf } from '../../../src/registry.ts';
import type { Services } from '../../../src/services.ts';
import { makePartner, makePerson } from '../../iam/people.ts';
import { usePlatform } from '../../support/platform.ts';
import { type SeededAccount, seedPartner } from '../../support/seed.ts';

const clock = manualClock(new Date());
const long = new Date(Date.now() - 400 * 86_400_000);

const platform = await usePlatform({ clock, identityProvider: 'embedded' });
const partner = await seedPartner(platform);
const partnerId = partner.id;
const account = await partner.account();
const processorId = (await account.api.ok('/processors/list', {})).items[0].id;
const locker: pg.Client = new pg.Client({ connectionString: platform.databaseUrl });
await locker.connect();
afterEach(() => locker.query('ROLLBACK'));
afterAll(async () => {
  await locker?.end();
});

function run(name: string, services: Services = platform.services): Promise<unknown> {
  const job = jobsOf(services).find((each) => each.name === name);
  if (!job) throw new Error(`There is no job ${name}.`);
  return job.run(new AbortController().signal);
}

/** Rows that a job removes, which differ in the column `id`. */
interface Removed {
  job: string;
  table: string;
  id: string;
  values(id: string): Record<string, unknown>;
}

const ofAccount = () => ({ partnerId, platformAccountId: account.id, mode: 'test' });
const removed: Removed[] = [
  {
    job: 'purge-old-rows',
    table: 'limits.presented_numbers',
    id: 'bin',
    values: (bin) => ({ platformAccountId: account.id, day: long, bin, last4: '4242', hashes: [] }),
  },
  {
    job: 'purge-old-rows',
    table: 'card_testing_alerts',
    id: 'id',
    values: (id) => ({
      ...ofAccount(),
      id,
      day: long,
      bin: id,
      last4: '4242',
      refusals: 1,
      createdAt: long,
      updatedAt: long,
    }),
  },
  {
    job: 'purge-old-rows',
    table: 'processor_events',
    id: '"eventId"',
    values: (eventId) => ({ processorId, eventId, receivedAt: long }),
  },
  {
    job: 'purge-old-rows',
    table: 'unapplied_events',
    id: 'id',
    values: (id) => ({
      ...ofAccount(),
      id,
      processorId,
      eventId: id,
      type: 'x',
      status: 'rejected',
      reason: 'malformed',
      receivedAt: long,
      updatedAt: long,
    }),
  },
  {
    job: 'purge-old-rows',
    table: 'client_sessions',
    id: 'id',
    values: (id) => ({
      ...ofAccount(),
      id,
      storeId: account.storeId,
      origins: ['https://example.com'],
      secretHash: id,
      expiresAt: long,
      createdAt: long,
    }),
  },
  {
    job: 'purge-old-rows',
    table: 'limits.card_attempts',
    id: 'id',
    values: (id) => ({ id, sessionId: id, storeId: id, network: id, state: 'ended', at: long }),
  },
  {
    job: 'purge-old-rows',
    table: 'limits.windows',
    id: 'subject',
    values: (subject) => ({ subject, start: long, calls: 1 }),
  },
  {
    job: 'purge-old-rows',
    table: 'limits.field_calls',
    id: 'subject',
    values: (subject) => ({ subject, calls: [long] }),
  },
  {
    job: 'purge-old-rows',
    table: 'connect_attempts',
    id: 'id',
    values: (id) => ({
      ...ofAccount(),
      id,
      stateHash: id,
      processorId,
      verifier: id,
      isFromOnboarding: false,
      actorKind: 'sub_key',
      actorId: id,
      createdAt: long,
      expiresAt: long,
    }),
  },
  {
    job: 'purge-old-rows',
    table: 'idp_processed_events',
    id: 'id',
    values: (id) => ({ id, type: 'x', at: long }),
  },
  {
    job: 'purge-old-rows',
    table: 'ended_sessions',
    id: '"sessionId"',
    values: (sessionId) => ({ sessionId, userId: sessionId, at: long }),
  },
  {
    job: 'purge-unclaimed-cards',
    table: 'tokens',
    id: 'id',
    values: (id) => ({ ...ofAccount(), id, cardId: id, card: {}, expiresAt: long, usedAt: long, createdAt: long }),
  },
  {
    job: 'purge-old-rows',
    table: 'idempotency_records',
    id: 'key',
    values: (key) => ({ owner: 'x', operation: 'x', key, requestHash: 'x', answer: '{}', createdAt: long }),
  },
];

async function insert({ table, values }: Removed, id: string): Promise<void> {
  const row = values(id);
  const names = Object.keys(row).map((name) => `"${name}"`);
  await locker.query(
    `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((_name, at) => `$${at + 1}`).join(', ')})`,
    Object.values(row),
  );
}

test.for(removed)('$job removes the other rows of $table while one is locked', async (old) => {
  const left = async () =>
    (
      await platform.services.pool.query(`SELECT ${old.id} AS id FROM ${old.table} WHERE ${old.id} = ANY($1)`, [
        ['locked', 'other'],
      ])
    ).rows.map(({ id }) => id);
  await insert(old, 'locked');
  await insert(old, 'other');
  await locker.query('BEGIN');
  await locker.query(`SELECT FROM ${old.table} WHERE ${old.id} = 'locked' FOR UPDATE`);
  await run(old.job);
  expect(await left()).toEqual(['locked']);
  await locker.query('ROLLBACK');
  await run(old.job);
  expect(await left()).toEqual([]);
});

/** Locks rows until the job has done those of others, and ends it. */
async function expectOthersDone(job: string, lock: string, values: unknown[], isDone: () => Promise<boolean>) {
  await locker.query('BEGIN');
  expect((await locker.query(lock, values)).rowCount).toBeGreaterThan(0);
  expect(await isDone()).toBe(false);
  const running = run(job);
  await expect.poll(isDone).toBe(true);
  await locker.query('ROLLBACK');
  await running;
}

test('end-expired-invitations ends those of a partner while rows of another are locked', async () => {
  const { prisma } = platform.services;
  const invitations = async (slug: string, number: number) => {
    const partner = await makePartner(platform, slug);
    for (let n = 0; n < number; n++) {
      const email = `${slug}-${n}@example.com`;
      const facts = { email, emailLower: email, roles: ['accountmanager'], status: 'pending', invitedAt: clock.now() };
      await prisma.partnerMembership.create({
        data: { id: newId('mem_', clock.now()), partnerId: partner.id, ...facts },
      });
    }
    clock.advance(1);
    return partner.id;
  };
  const held = await invitations('held', 6);
  const other = await invitations('other', 1);
  clock.advance(8 * 86_400_000);
  await expectOthersDone(
    'end-expired-invitations',
    'SELECT FROM partner_memberships WHERE "partnerId" = $1 FOR UPDATE',
    [held],
    async () => (await prisma.partnerMembership.count({ where: { partnerId: other, status: 'pending' } })) === 0,
  );
});

test('expire-refund-requests ends those of an account while rows of another are locked', async () => {
  const { prisma } = platform.services;
  const neighbor = await (await seedPartner(platform)).account();
  const requests = async (of: SeededAccount, number: number) => {
    for (let n = 0; n < number; n++) {
      const { payment } = await of.charge();
      const now = clock.now();
      const {
        partnerId: owner,
        platformAccountId,
        mode,
      } = await prisma.payment.findUniqueOrThrow({ where: { id: String(payment['id']) } });
      const facts = {
        amount: 100,
        currency: 'USD',
        cancelSubscription: false,
        reason: 'asked',
        requestedBy: 'user_x',
        requestedByEmail: 'x@example.com',
      };
      await prisma.refundRequest.create({
        data: {
          id: newId('rreq_', now),
          partnerId: owner,
          platformAccountId,
          mode,
          paymentId: String(payment['id']),
          ...facts,
          expiresAt: now,
          createdAt: now,
          updatedAt: now,
        },
      });
      clock.advance(1);
    }
  };
  await requests(account, 6);
  await requests(neighbor, 1);
  await expectOthersDone(
    'expire-refund-requests',
    'SELECT FROM refund_requests WHERE "platformAccountId" = $1 FOR UPDATE',
    [account.id],
    async () =>
      (await prisma.refundRequest.count({ where: { platformAccountId: neighbor.id, status: 'pending' } })) === 0,
  );
});

test('repair-identity-mirror repairs the other people and organizations while one of each is locked', async () => {
  const { prisma, pool } = platform.services;
  const people = [await makePerson(platform), await makePerson(platform)];
  const shops = [
    await platform.idp.createOrganization({ name: 'One' }),
    await platform.idp.createOrganization({ name: 'Other' }),
  ];
  await platform.idp.flush();
  await pool.query(
    `UPDATE iam_users SET "idpUpdatedAt" = $1, "platformRoles" = '{hubadmin}' WHERE "idpUserId" = ANY($2)`,
    [long, people.map(({ id }) => id)],
  );
  await pool.query(`UPDATE organizations SET name = 'Old' WHERE "organizationId" = ANY($1)`, [
    shops.map(({ id }) => id),
  ]);
  clock.advance(3_600_000);
  await locker.query('BEGIN');
  await locker.query('SELECT FROM iam_users WHERE "idpUserId" = $1 FOR UPDATE', [people[0]?.id]);
  await locker.query('SELECT FROM organizations WHERE "organizationId" = $1 FOR UPDATE', [shops[0]?.id]);
  const namesLeft = async () => [
    await prisma.iamUser.count({ where: { platformRoles: { has: 'hubadmin' } } }),
    await prisma.organization.count({ where: { name: 'Old' } }),
  ];
  await run('repair-identity-mirror');
  expect(await namesLeft()).toEqual([1, 1]);
  await locker.query('ROLLBACK');
  await run('repair-identity-mirror');
  expect(await namesLeft()).toEqual([0, 0]);
});
