import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { authenticate } from '../../src/auth/authenticate.ts';
import { type Plan, plans, rateHeaders, retryAfterS } from '../../src/auth/buckets.ts';
import { newSecret } from '../../src/auth/secret.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { DomainError } from '../../src/lib/errors.ts';
import { clientOf } from '../support/client.ts';
import { asOwner } from '../support/database.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { startTestPlatform, type TestPlatform, usePlatform } from '../support/platform.ts';
import { type SeededPartner, seedPartner } from '../support/seed.ts';

interface Known {
  secret: string;
  /** The owner of the bucket. Null: the key is not valid and takes no token. */
  owner: string | null;
  plan: Plan;
  /** The status of a call that gets a token. */
  status: 200 | 403;
}

const clock = manualClock(new Date('2030-05-01T10:00:00.000Z'));
const inside = '10.1.2.3';
const outside = '192.0.2.1';

const platform = await usePlatform({ clock });
const second = await startTestPlatform({ clock, databaseUrl: platform.databaseUrl });
const partner = await seedPartner(platform);
const first = await partner.account();
const other = await partner.account();
const offboarded = await seedPartner(platform);
const suspended = await seedPartner(platform);
await platform.services.pool.query(`UPDATE processing_accounts SET plan = 'standard' WHERE id = $1`, [first.id]);
const mint = async (more: object = {}): Promise<{ id: string; secret: string }> =>
  partner.api.ok(`/accounts/${first.id}/api-keys`, { label: 'together', ...more });
const standard = { owner: first.id, plan: 'standard', status: 200 } as const;
const ofPartner = ({ id }: SeededPartner) => ({ owner: `${id}:test`, plan: 'premium', status: 200 }) as const;
const revoked = await mint();
const expired = await mint({ expiresAt: new Date(clock.now().getTime() + 1_000).toISOString() });
const expiring = await mint({ expiresAt: new Date(clock.now().getTime() + 2_000).toISOString() });
await partner.api.ok(`/api-keys/${revoked.id}/revoke`, {});
await platform.services.pool.query(
  `UPDATE partners SET status = CASE WHEN id = $1 THEN 'offboarded' ELSE 'suspended' END WHERE id = ANY($2)`,
  [offboarded.id, [offboarded.id, suspended.id]],
);
clock.advance(1_000);
const known: Known[] = [
  { secret: first.subKey, ...standard },
  { secret: (await mint()).secret, ...standard },
  { secret: expiring.secret, ...standard },
  { secret: (await mint({ allowedIps: ['10.0.0.0/8'] })).secret, ...standard },
  { secret: (await mint({ allowedIps: ['203.0.113.0/24'] })).secret, ...standard, status: 403 },
  { secret: other.subKey, owner: other.id, plan: 'premium', status: 200 },
  { secret: partner.partnerKey, ...ofPartner(partner) },
  { secret: suspended.partnerKey, ...ofPartner(suspended) },
  { secret: offboarded.partnerKey, ...ofPartner(offboarded), status: 403 },
  ...[revoked.secret, expired.secret, newSecret('sub', 'test').secret, 'tp_sk_test_short'].map(
    (secret) => ({ secret, owner: null, plan: 'standard', status: 200 }) as const,
  ),
];
const owners: string[] = [...new Set(known.flatMap(({ owner }) => owner ?? []))];
beforeEach(fillBuckets);
afterAll(async () => {
  await second?.close();
});

/** A bucket that is not there is full. */
async function fillBuckets(): Promise<void> {
  await platform.services.pool.query('DELETE FROM limits.buckets WHERE owner = ANY($1)', [owners]);
}

interface Seen {
  status: number;
  headers: object;
  retryAfter: number | undefined;
}

/** What a caller sees of a check. */
async function seen({ services }: TestPlatform, secret: string, ip = inside): Promise<Seen> {
  try {
    const { headers } = await authenticate(services, { authorization: `Bearer ${secret}`, ip });
    return { status: 200, headers, retryAfter: undefined };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { 'Retry-After': retryAfter, ...headers } = error.headers;
    return { status: error.status, headers, retryAfter: retryAfter === undefined ? undefined : Number(retryAfter) };
  }
}

/** The same by the rules of contract 6, with the buckets as they were left by the calls before. */
function expected(tokens: Map<string, number>, { owner, plan, status }: Known): Seen {
  if (owner === null) return { status: 401, headers: { 'WWW-Authenticate': 'Bearer' }, retryAfter: undefined };
  const before = tokens.get(owner) ?? plans[plan].burst;
  const after = before >= 1 ? before - 1 : before;
  tokens.set(owner, after);
  const limited = before < 1;
  return {
    status: limited ? 429 : status,
    headers: rateHeaders(plan, after),
    retryAfter: limited ? retryAfterS(plan, after) : undefined,
  };
}

async function setTokens(tokens: ReadonlyMap<string, number>): Promise<void> {
  await platform.services.pool.query(
    `INSERT INTO limits.buckets (owner, tokens, at, rate, burst, allowed)
      SELECT owner, tokens, $3, 500, 750, true
      FROM unnest($1::text[], $2::float8[]) b(owner, tokens)
      ON CONFLICT (owner) DO UPDATE SET tokens = excluded.tokens, at = excluded.at`,
    [[...tokens.keys()], [...tokens.values()], clock.now()],
  );
}

async function storedTokens(): Promise<Map<string, number>> {
  const { rows } = await platform.services.pool.query<{ owner: string; tokens: number }>(
    'SELECT owner, tokens FROM limits.buckets WHERE owner = ANY($1)',
    [owners],
  );
  return new Map(rows.map(({ owner, tokens }) => [owner, tokens]));
}

/** Counts what the platform asks its database while something runs. */
async function statementsOf(run: () => Promise<unknown>): Promise<number> {
  const { pool } = platform.services;
  let statements = 0;
  const count = (): void => void statements++;
  pool.on('acquire', count);
  await run();
  pool.off('acquire', count);
  return statements;
}

test('every check of a batch is answered as if it had come by itself, in the order of arrival', async () => {
  const call = fc.nat({ max: known.length - 1 });
  const level = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.double({ min: 0, max: 12, noNaN: true }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(call, { minLength: 1, maxLength: 40 }),
      fc.array(fc.option(level), { minLength: owners.length, maxLength: owners.length }),
      async (calls, levels) => {
        await fillBuckets();
        const tokens = new Map(owners.flatMap((owner, at) => (levels[at] == null ? [] : [[owner, levels[at]]])));
        await setTokens(tokens);
        const requested = calls.flatMap((at) => known[at] ?? []);
        const answers = requested.map((key) => seen(platform, key.secret));
        const wanted = requested.map((key) => expected(tokens, key));
        expect(await Promise.all(answers)).toEqual(wanted);
        expect(await storedTokens()).toEqual(tokens);
      },
    ),
    { numRuns: 60 },
  );
});

test('checks that arrive while one is under way are one statement, the unknown included, and one alone does not wait', async () => {
  const release = await lockBucket(other.id);
  expect(await statementsOf(() => seen(platform, first.subKey))).toBe(1);
  const alone = seen(platform, other.subKey);
  await untilWaiting(platform);
  const later = known.map(({ secret }) => seen(platform, secret, outside));
  const statements = statementsOf(() => Promise.all(later));
  await release();
  expect([(await alone).status, await statements]).toEqual([200, 1]);
});

test('401 for a key that is revoked while the check before is under way', async () => {
  const { id, secret } = await partner.api.ok(`/accounts/${first.id}/api-keys`, { label: 'short-lived' });
  const release = await lockBucket(other.id);
  const before = seen(platform, other.subKey);
  await untilWaiting(platform);
  await clientOf(second, partner.partnerKey).ok(`/api-keys/${id}/revoke`, {});
  const after = seen(platform, secret);
  await release();
  expect([(await before).status, (await after).status]).toEqual([200, 401]);
});

test('lastUsedAt of every key of a batch is the time of the batch', async () => {
  clock.advance(5_000);
  const keys = [first.subKey, other.subKey, partner.partnerKey];
  await Promise.all(keys.map((secret) => seen(platform, secret)));
  const { rows } = await platform.services.pool.query(`SELECT count(*)::int AS n FROM limits.key_uses WHERE at = $1`, [
    clock.now(),
  ]);
  expect(rows).toEqual([{ n: keys.length }]);
});

test('two processes that check keys of the same owners grant what the buckets hold, and neither fails', async () => {
  const held = new Map(owners.map((owner, at) => [owner, 20 + at]));
  await setTokens(held);
  const valid = known.filter(({ owner, status }) => owner !== null && status === 200);
  const rounds = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? valid : valid.toReversed()));
  const answers = await Promise.all(
    [platform, second].flatMap((server, at) =>
      rounds
        .flatMap((keys) => (at === 0 ? keys : keys.toReversed()))
        .map(async (key) => ({ key, ...(await seen(server, key.secret)) })),
    ),
  );
  for (const owner of new Set(valid.map((key) => key.owner ?? ''))) {
    const granted = answers.filter(({ key, status }) => key.owner === owner && status === 200);
    expect(granted.length, owner).toBe(held.get(owner));
  }
});

test('200 for auth/test of several accounts at once, each with its own stores', async () => {
  const accounts = [first, other, first, await partner.account()];
  const answers = await Promise.all(accounts.map(({ api }) => api.ok('/auth/test')));
  expect(answers.map(({ platformAccountId, storeIds }) => ({ platformAccountId, storeIds }))).toEqual(
    accounts.map(({ id, storeId }) => ({ platformAccountId: id, storeIds: [storeId] })),
  );
});

test('a check that the database fails does not fail the others of its batch', async () => {
  await whileFailing("NEW.owner = 'OTHER'", 'P0001', async () => {
    const answers = await Promise.allSettled([first, other, first].map(({ subKey }) => seen(platform, subKey)));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

test('a batch that the database rolls back because of a deadlock runs again, and takes its tokens once', async () => {
  await setTokens(new Map([[first.id, 10]]));
  await whileFailing("nextval('limits.failures') = 1", '40P01', async () => {
    const answers = await Promise.all([first, first].map(({ subKey }) => seen(platform, subKey)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });
  expect((await storedTokens()).get(first.id)).toBe(8);
});

/** Holds the bucket of an owner as a check of another process does, until the returned function is called. */
async function lockBucket(owner: string): Promise<() => Promise<void>> {
  await setTokens(new Map([[owner, 100]]));
  const client = await second.services.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM limits.buckets WHERE owner = $1 FOR UPDATE', [owner]);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

/** Lets the database fail statements that write a bucket for which the condition holds. */
async function whileFailing(condition: string, code: string, run: () => Promise<void>): Promise<void> {
  await asOwner(
    platform,
    `CREATE SEQUENCE limits.failures;
    GRANT USAGE ON limits.failures TO PUBLIC;
    CREATE FUNCTION limits.fail() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF ${condition.replace('OTHER', other.id)} THEN RAISE EXCEPTION 'failed' USING ERRCODE = '${code}'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER fails BEFORE INSERT OR UPDATE ON limits.buckets FOR EACH ROW EXECUTE FUNCTION limits.fail();`,
  );
  await run();
  await asOwner(platform, 'DROP FUNCTION limits.fail() CASCADE; DROP SEQUENCE limits.failures');
}
