import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inTransaction } from '../../src/database/transaction.ts';
import { markUserDeleted, upsertUser } from '../../src/iam/public.ts';
import type { IdpUser } from '../../src/ports/identity-provider.ts';
import { asOwner } from '../support/database.ts';
import { usePlatform } from '../support/platform.ts';
import { makePartner, signedIn } from './people.ts';

const platform = await usePlatform();
const hub = await signedIn(platform, { platformRoles: ['hubadmin'] });
const slugs: string[] = [
  (await makePartner(platform, 'first-one')).slug,
  (await makePartner(platform, 'second-one')).slug,
];

const scopes = () => [undefined, '__internal__', ...slugs];

/** The totals as the API answers them, and as the rows are counted. */
async function totals(): Promise<[answered: number[], counted: number[]]> {
  const answered: number[] = [];
  const counted: number[] = [];
  for (const partnerScope of scopes()) {
    const { status, body } = await hub.iam('/users/list', { partnerScope, limit: 1 });
    expect(status).toBe(200);
    answered.push(body.total);
    const { rows } = await asOwner<{ n: number }>(
      platform,
      `SELECT count(*)::int AS n
        FROM iam_users
        WHERE "deletedAt" IS NULL AND CASE
          WHEN $1::text IS NULL THEN true
          WHEN $1 = '__internal__' THEN "whitelabelOwnership" IS NULL AND "platformRoles" <> '{}'
          ELSE "whitelabelOwnership" = $1
        END`,
      [partnerScope ?? null],
    );
    counted.push(rows[0]?.n ?? -1);
  }
  return [answered, counted];
}

async function expectExact(): Promise<number[]> {
  const [answered, counted] = await totals();
  expect(answered).toEqual(counted);
  return answered;
}

const latest = { second: 0 };

function userOf(n: number, access: Pick<IdpUser, 'platformRoles' | 'whitelabelOwnership'>): IdpUser {
  const at = new Date(Date.UTC(2026, 0, 1) + 1000 * ++latest.second);
  const email = `counted${n}@example.com`;
  return { id: `user_counted${n}`, email, emailVerified: true, banned: false, createdAt: at, updatedAt: at, ...access };
}

/** What a person may be: staff of no partner, internal staff, or of a partner, with roles or without. */
const accesses = fc.record({
  platformRoles: fc.constantFrom([], ['hubadmin'], ['accountmanager', 'hubadmin']),
  whitelabelOwnership: fc.constantFrom(null, 0, 1),
});
const changes = fc.array(fc.record({ n: fc.nat(9), deletes: fc.boolean(), access: accesses }), { maxLength: 40 });

test('totals of users are exact in every scope after people are added, changed and deleted by calls at once', async () => {
  const { prisma } = platform.services;
  await fc.assert(
    fc.asyncProperty(changes, async (made) => {
      await Promise.all(
        made.map(({ n, deletes, access: { platformRoles, whitelabelOwnership: of } }) => {
          const user = userOf(n, { platformRoles, whitelabelOwnership: of === null ? null : (slugs[of] ?? null) });
          // An id comes back only after the reset below, as a deleted user stays deleted.
          return deletes ? markUserDeleted(prisma, user.id, user.updatedAt) : upsertUser(prisma, user);
        }),
      );
      await expectExact();
      await asOwner(platform, `DELETE FROM iam_users WHERE "idpUserId" LIKE 'user_counted%'`);
      await expectExact();
    }),
    { numRuns: 15 },
  );
});

test('one statement that changes many people changes the totals by their number', async () => {
  const [all = 0, internal = 0, first = 0, second = 0] = await expectExact();
  await asOwner(
    platform,
    `INSERT INTO iam_users ("idpUserId", email, "emailLower", "platformRoles", "whitelabelOwnership", "idpUpdatedAt",
      "createdAt", "updatedAt")
    SELECT 'user_many' || n, '', '', CASE WHEN n % 5 = 0 THEN ARRAY['hubadmin'] ELSE '{}' END,
      CASE WHEN n % 2 = 0 THEN '${slugs[0]}' END, now() + interval '1 day', now(), now()
    FROM generate_series(1, 100) n`,
  );
  expect(await expectExact()).toEqual([all + 100, internal + 10, first + 50, second]);
  await asOwner(
    platform,
    `UPDATE iam_users SET "whitelabelOwnership" = '${slugs[1]}'
    WHERE "idpUserId" LIKE 'user_many%' AND "whitelabelOwnership" IS NOT NULL`,
  );
  expect(await expectExact()).toEqual([all + 100, internal + 10, first, second + 50]);
  await asOwner(platform, `DELETE FROM iam_users WHERE "idpUserId" LIKE 'user_many%'`);
  expect(await expectExact()).toEqual([all, internal, first, second]);
});

test('a change that is rolled back is not counted', async () => {
  const before = await expectExact();
  await expect(
    inTransaction(platform.services.pool, async (client) => {
      await client.query(
        `INSERT INTO iam_users ("idpUserId", email, "emailLower", "idpUpdatedAt", "createdAt", "updatedAt")
        VALUES ('user_undone', '', '', now(), now(), now())`,
      );
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  expect(await expectExact()).toEqual(before);
});

test("the server's role reads the counts and cannot write them", async () => {
  const { pool } = platform.services;
  await pool.query('SELECT n FROM counters.user_counts');
  await expect(pool.query('UPDATE counters.user_counts SET n = 0')).rejects.toThrow(/permission denied/);
});
