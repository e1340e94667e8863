import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { setWaits } from '../../src/database/waits.ts';
import { runPendingCompensations } from '../../src/iam/partners/pending-compensations.ts';
import { manualClock } from '../../src/lib/clock.ts';
import { type IdentityProvider, IdpError } from '../../src/ports/identity-provider.ts';
import type { Answer } from '../support/client.ts';
import { usePlatform } from '../support/platform.ts';
import { disableRateLimits } from '../support/rates.ts';
import { seedPartner } from '../support/seed.ts';
import { makePartner, makePerson, signedIn } from './people.ts';

/** Above it, one connection each would leave none to others. */
const poolSize = 10;
/** Of these connections, those of transactions in which the provider may be asked for one person. */
const askingMax = 2;
/** Longer than any test. */
const longMs = 120_000;
const clock = manualClock(new Date());

let count = 0;

const platform = await usePlatform({ clock, env: { DATABASE_POOL_SIZE: String(poolSize) } });
const { pool, admissionControl } = platform.services;
await disableRateLimits(platform);
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
const account = await (await seedPartner(platform)).account();
const provider: IdentityProvider = platform.services.identityProvider;
beforeEach(async () => {
  setWaits(pool, {});
  platform.services.identityProvider = provider;
  await platform.services.prisma.pendingCompensation.deleteMany();
});

/** Makes the provider silent, but for the check of sessions. */
function silence(isSilent: (name: string, id: unknown) => boolean = (name) => name !== 'verifySession') {
  const requested: string[] = [];
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  platform.services.identityProvider = new Proxy(provider, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      return (...given: unknown[]) => {
        if (!isSilent(String(name), given[0])) return Reflect.apply(own, target, given);
        requested.push(String(name));
        return ended.promise;
      };
    },
  });
  const end = () => ended.reject(new IdpError('UNAVAILABLE', 'no answer in time'));
  onTestFinished(end);
  return { requested, end };
}

async function idleInTransaction(): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'platform' AND state LIKE 'idle in transaction%'`,
  );
  return rows[0]?.n ?? 0;
}

/** Every change of people in which the provider is asked. */
const changes: Record<string, () => Promise<() => Promise<Answer | { errors?: unknown[] }>>> = {
  async inviteStaff() {
    const { slug } = await makePartner(platform, `invite-${++count}`);
    const body = { email: `invited${count}@example.com`, roles: ['accountmanager'] };
    return () => superadmin.iam(`/partners/${slug}/staff/invite`, body);
  },
  async resendStaffInvitation() {
    const { slug } = await makePartner(platform, `resend-${++count}`);
    const email = `resent${count}@example.com`;
    await superadmin.iam(`/partners/${slug}/staff/invite`, { email, roles: ['accountmanager'] });
    return () => superadmin.iam(`/partners/${slug}/staff/resend-invitation`, { email });
  },
  async setStaffRoles() {
    const { slug } = await makePartner(platform, `roles-${++count}`);
    const { id } = await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: slug });
    return () => superadmin.iam(`/partners/${slug}/staff/set-roles`, { userId: id, roles: ['partneradmin'] });
  },
  async revokeStaff() {
    const { slug } = await makePartner(platform, `revoke-${++count}`);
    const { id } = await makePerson(platform, { platformRoles: ['accountmanager'], whitelabelOwnership: slug });
    return () => superadmin.iam(`/partners/${slug}/staff/revoke`, { userId: id });
  },
  async setInternalUserRoles() {
    const { id: userId } = await makePerson(platform);
    return () => superadmin.iam('/internal-users/set-roles', { userId, roles: ['hubadmin'] });
  },
  async setUserPartnerScope() {
    const { slug: partnerSlug } = await makePartner(platform, `scope-${++count}`);
    const { id: userId } = await makePerson(platform);
    return () => superadmin.iam('/internal-users/set-partner-scope', { userId, partnerSlug });
  },
  async archivePartner() {
    const { id, slug } = await makePartner(platform, `archived-${++count}`);
    const body = { email: `archived${count}@example.com`, roles: ['accountmanager'] };
    await superadmin.iam(`/partners/${slug}/staff/invite`, body);
    return () => superadmin.iam('/partners-admin/archive', { id });
  },
  async updatePartner() {
    const { slug } = await makePartner(platform, `updated-${++count}`);
    const body = { email: `updated${count}@example.com`, roles: ['accountmanager'] };
    await superadmin.iam(`/partners/${slug}/staff/invite`, body);
    return () => superadmin.iam('/partners-admin/update', { slug, status: 'offboarded' });
  },
  async assignOrganizationToPartner() {
    const organizationId = await organization();
    const { slug: partnerSlug } = await makePartner(platform, `assigned-${++count}`);
    return () => superadmin.iam('/orgs/assign-to-partner', { organizationId, partnerSlug });
  },
  async endMyOtherSessions() {
    return () => superadmin.graphql('mutation { endMyOtherSessions { endedCount } }');
  },
  async resetSecondFactor() {
    const { id: userId } = await makePerson(platform);
    const document = 'mutation ($userId: ID!) { resetSecondFactor(userId: $userId, reason: "lost") { userId } }';
    return () => superadmin.graphql(document, { userId });
  },
};

async function organization(): Promise<string> {
  const { id } = await platform.idp.createOrganization({ name: `Shop ${++count}` });
  await platform.idp.flush();
  return id;
}

/** The status of an answer, and whether its error says that nothing was done. */
function errorOf(answer: Answer | { errors?: unknown[] }): unknown {
  const isRest = 'body' in answer;
  const [error] = (isRest ? [] : answer.errors) as { message: string; extensions: { code: string } }[];
  const { code, message } = isRest ? answer.body : { code: error?.extensions.code, message: error?.message };
  return [code, String(message).includes('No changes were made') ? 'none' : 'unknown'];
}

test('a silent identity provider takes few connections: charges and other changes of people go on, the rest is 503 with effect none', async () => {
  const makeReady = async () => {
    const calls = [];
    for (const prepare of Object.values(changes)) calls.push(await prepare());
    return calls;
  };
  const [waiting, refused] = [await makeReady(), await makeReady()];
  const other = await makePartner(platform, `other-${++count}`);
  expect(waiting.length).toBeGreaterThan(poolSize);
  const { requested, end } = silence();
  const answers: unknown[] = [];
  const send = (calls: typeof waiting) =>
    Promise.all(calls.map((call) => call().then((answer) => void answers.push(errorOf(answer)))));
  setWaits(pool, { providerPlaceMs: longMs });
  const all = send(waiting);
  await expect.poll(() => [requested.length, admissionControl.inWork]).toEqual([askingMax, waiting.length]);
  const charges = await Promise.all(Array.from({ length: poolSize }, () => account.charge()));
  expect(charges.map(({ payment }) => payment['status'])).toEqual(charges.map(() => 'succeeded'));
  const renamed = await superadmin.iam('/partners-admin/update', { slug: other.slug, name: 'Renamed' });
  expect(renamed.status).toBe(200);
  await expect.poll(idleInTransaction).toBe(askingMax);
  expect(answers).toEqual([]);
  setWaits(pool, { providerPlaceMs: 500 });
  await send(refused);
  expect(answers).toEqual(refused.map(() => ['SERVICE_UNAVAILABLE', 'none']));
  expect(requested).toHaveLength(askingMax);
  end();
  await all;
});

test('what waits for a row that a change at a silent provider holds takes no connection of others', async () => {
  const { slug } = await makePartner(platform, `held-${++count}`);
  setWaits(pool, { lockMs: longMs });
  const { requested, end } = silence();
  const invite = superadmin.iam(`/partners/${slug}/staff/invite`, {
    email: 'held@example.com',
    roles: ['accountmanager'],
  });
  await expect.poll(() => requested.length).toBe(1);
  const rename = () => superadmin.iam('/partners-admin/update', { slug, name: 'Renamed' });
  const renamed: number[] = [];
  const all = Promise.all(
    Array.from({ length: 2 * poolSize }, () => rename().then(({ status }) => void renamed.push(status))),
  );
  const charges = await Promise.all(Array.from({ length: poolSize }, () => account.charge()));
  expect(charges.map(({ payment }) => payment['status'])).toEqual(charges.map(() => 'succeeded'));
  expect(renamed).toEqual([]);
  end();
  expect((await invite).status).toBe(503);
  await all;
  expect(renamed).toEqual(Array(2 * poolSize).fill(200));
});

test('503 with effect none for a change of a person whose row stays locked, 200 with that error over GraphQL; 200 when it is free', async () => {
  const { id, slug } = await makePartner(platform, `locked-${++count}`);
  const rename = () => superadmin.iam('/partners-admin/update', { slug, name: 'Renamed' });
  setWaits(pool, { lockMs: 300 });
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM partners WHERE id = $1 FOR UPDATE', [id]);
    const refused = await rename();
    expect([refused.status, errorOf(refused)]).toEqual([503, ['SERVICE_UNAVAILABLE', 'none']]);
    // Over GraphQL it is an error of a field, whose status is 200.
    const field = await fetch(`${platform.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Cookie: superadmin.cookie },
      body: JSON.stringify({ query: `mutation { updatePartner(input: { id: "${id}", name: "Renamed" }) { id } }` }),
    });
    const { errors } = (await field.json()) as { errors: { extensions: object }[] };
    expect([field.status, field.headers.get('retry-after'), errors[0]?.extensions]).toEqual([
      200,
      expect.stringMatching(/^\d+$/),
      { code: 'SERVICE_UNAVAILABLE', data: { retryAfter: expect.any(Number), effect: 'none' } },
    ]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  expect((await rename()).status).toBe(200);
});

describe('the job that reverts tags', () => {
  const later = (ms: number) => clock.advance(ms);
  const left = async () =>
    (await platform.services.prisma.pendingCompensation.findMany()).map(({ organizationId }) => organizationId);

  /** Organizations whose changes of the tag were cut off after the provider had made them, oldest first. */
  async function cutOff(number: number): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < number; n++) {
      const organizationId = await organization();
      ids.push(organizationId);
      const at = clock.now();
      await platform.services.prisma.pendingCompensation.create({ data: { organizationId, dueAt: at, createdAt: at } });
      later(1);
    }
    return ids;
  }

  test('has no transaction open while the provider is silent about one, and reverts the others', async () => {
    const [silent, ...others] = await cutOff(8);
    const { requested, end } = silence((name, id) => name === 'setOrganizationPartner' && id === silent);
    const run = runPendingCompensations(platform.services);
    await expect.poll(left).toEqual([silent]);
    expect(requested).toEqual(['setOrganizationPartner']);
    // Messages about the other organizations are applied in transactions of their own.
    await expect.poll(idleInTransaction).toBe(0);
    const { slug: partnerSlug } = await makePartner(platform, `meanwhile-${++count}`);
    const assign = () => superadmin.iam('/orgs/assign-to-partner', { organizationId: silent, partnerSlug });
    expect(errorOf(await assign())).toEqual(['SERVICE_UNAVAILABLE', 'none']);
    end();
    expect([await run, await left()]).toEqual([others.length, [silent]]);
    platform.services.identityProvider = provider;
    expect((await assign()).status).toBe(200);
    expect(await left()).toEqual([]);
  });

  test('takes a revert again after the process that had it died, and no earlier', async () => {
    const [died] = await cutOff(1);
    const { end } = silence();
    const dying = runPendingCompensations(platform.services);
    await expect
      .poll(async () => (await platform.services.prisma.pendingCompensation.findFirst())?.revertingUntil)
      .toEqual(expect.any(Date));
    platform.services.identityProvider = provider;
    expect([await runPendingCompensations(platform.services), await left()]).toEqual([0, [died]]);
    later(60_001);
    expect([await runPendingCompensations(platform.services), await left()]).toEqual([1, []]);
    end();
    await dying;
    expect(await left()).toEqual([]);
  });
});
