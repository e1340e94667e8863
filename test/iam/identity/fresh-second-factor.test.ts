import { beforeEach, describe, expect, test } from 'vitest';
import { freshSecondFactorName } from '../../../src/graph/fresh-second-factor.ts';
import { manualClock } from '../../../src/lib/clock.ts';
import { schema } from '../../../src/schema.ts';
import { clientOf } from '../../support/client.ts';
import { usePlatform } from '../../support/platform.ts';
import { limitRefunds } from '../../support/refund-limit.ts';
import { seedPartner } from '../../support/seed.ts';
import { totpOf } from '../../support/totp.ts';
import { callIam } from '../people.ts';
import { credentialsOf, peopleOf } from './people.ts';

const minuteMs = 60_000;
const clock = manualClock(new Date());
const platform = await usePlatform({
  identityProvider: 'embedded',
  clock,
  env: { IDP_REQUIRE_SECOND_FACTOR: 'yes' },
});
const people = peopleOf(platform);
const partner = await seedPartner(platform);
const account = await partner.account();
/** Attempts are counted by the hour at most: one test does not use up those of the next. */
beforeEach(() => clock.advance(60 * minuteMs));

const tooOld = 'second_factor_too_old';
const next = (setupKey: string) => totpOf(setupKey, 'next');

async function post(path: string, body: object, cookie = '', headers = {}) {
  const response = await fetch(`${platform.url}/idp/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Cookie: cookie, ...headers },
    body: JSON.stringify(body),
  });
  const kept = response.headers.getSetCookie().filter((line) => !line.includes('Max-Age=0'));
  const given = (await response.json()) as Record<string, any>; // the answer of the endpoint under test
  return { status: response.status, body: given, cookie: kept.map((line) => line.split(';')[0]).join('; ') };
}

/** A user who has just set up a second factor. */
const enrolled = (access: Parameters<typeof people.enroll>[0] = { platformRoles: ['superadmin'] }) =>
  people.enroll(access);

type Credentials = Record<string, string>;

const setLimit = `mutation ($amount: Amount!) {
  setRefundLimit(mode: live, currency: "CHF", amount: $amount, reason: "new rule") { amount }
}`;

/** The reason of the refusal of a mutation; null if it was done. */
async function refusal(headers: Credentials, query = setLimit, variables: Record<string, unknown> = { amount: 900 }) {
  const { errors } = await clientOf(platform).graphql(query, variables, headers);
  return errors ? (errors[0].extensions.data.reason as string) : null;
}

const bearerOf = async (cookie: string): Promise<Credentials> => ({
  Authorization: `Bearer ${await people.token(cookie)}`,
});

describe('what gives the most power', () => {
  test('200 up to ten minutes after the code of the set-up, 403 second_factor_too_old after them, by cookie and by token', async () => {
    const { cookie } = await enrolled();
    // With two cookies the engine of the provider decides.
    const [here, twice, token] = [{ Cookie: cookie }, { Cookie: `${cookie}; ${cookie}` }, await bearerOf(cookie)];
    clock.advance(10 * minuteMs);
    for (const headers of [here, twice, token]) expect(await refusal(headers)).toBeNull();
    clock.advance(1);
    for (const headers of [here, twice, token, await bearerOf(cookie)]) expect(await refusal(headers)).toBe(tooOld);
    const { errors } = await clientOf(platform).graphql(setLimit, { amount: 800 }, here);
    expect(errors[0]).toMatchObject({ extensions: { code: 'FORBIDDEN', data: { reason: tooOld } } });
    expect(errors[0].message).toContain(`${platform.url}/idp/second-factor`);
  });

  test('a sign-in with a code counts for ten minutes, and a sign-in with a backup code, too', async () => {
    const { setupKey, backupCodes, ...person } = await enrolled();
    for (const code of [next(setupKey), backupCodes[0]]) {
      clock.advance(20 * minuteMs);
      const challenge = await post('sign-in/email', credentialsOf(person));
      const { cookie } = await post('sign-in/code', { code }, challenge.cookie);
      expect(await refusal({ Cookie: cookie })).toBeNull();
      clock.advance(10 * minuteMs + 1);
      expect(await refusal({ Cookie: cookie })).toBe(tooOld);
    }
  });

  test('a code at /idp/second-factor renews the time for the session and its next tokens, and for no other session', async () => {
    const { setupKey, backupCodes, cookie, ...person } = await enrolled();
    const challenge = await post('sign-in/email', credentialsOf(person));
    const other = await post('sign-in/code', { code: backupCodes[0] }, challenge.cookie);
    clock.advance(11 * minuteMs);
    const old = await bearerOf(cookie);
    expect(await refusal({ Cookie: cookie })).toBe(tooOld);
    const page = await fetch(`${platform.url}/idp/second-factor?redirect=/join`, { headers: { Cookie: cookie } });
    expect([page.status, (await page.text()).includes('data-then="/join"')]).toEqual([200, true]);
    const code = next(setupKey);
    expect(await post('second-factor', { code }, cookie)).toMatchObject({ status: 200, body: { verified: true } });
    expect(await refusal({ Cookie: cookie })).toBeNull();
    expect(await refusal(await bearerOf(cookie))).toBeNull();
    expect(await refusal({ Cookie: other.cookie })).toBe(tooOld);
    // A token tells what was true when it was issued.
    expect(await refusal(old)).toBe(tooOld);
    clock.advance(11 * minuteMs);
    expect((await post('second-factor', { code }, cookie)).status).toBe(401);
    expect(await refusal({ Cookie: cookie })).toBe(tooOld);
    expect((await post('second-factor', { code: backupCodes[0] }, cookie)).status).toBe(401);
    expect((await post('second-factor', { code: backupCodes[1] }, cookie)).status).toBe(200);
    expect(await refusal({ Cookie: cookie })).toBeNull();
  });

  test('a wrong code is 401, 429 after ten of an address, and after ten in a row no code of the account is taken for 15 minutes', async () => {
    const { setupKey, backupCodes, cookie } = await enrolled();
    clock.advance(11 * minuteMs);
    for (let wrong = 0; wrong < 10; wrong++)
      expect((await post('second-factor', { code: `00000${wrong}` }, cookie)).status).toBe(401);
    expect((await post('second-factor', { code: next(setupKey) }, cookie)).status).toBe(429);
    expect(await refusal({ Cookie: cookie })).toBe(tooOld);
    clock.advance(16 * minuteMs);
    for (const code of [next(setupKey), backupCodes[0]])
      expect((await post('second-factor', { code }, cookie)).status).toBe(401);
    await platform.services.pool.query(`UPDATE idp."twoFactor" SET "lockedUntil" = now() - interval '1 second'`);
    clock.advance(16 * minuteMs);
    expect((await post('second-factor', { code: next(setupKey) }, cookie)).status).toBe(200);
  });

  test('a code is taken from the pages of the platform and with a session only: 403 and 401', async () => {
    const { setupKey, cookie } = await enrolled();
    const code = next(setupKey);
    const foreign = await post('second-factor', { code }, cookie, { Origin: 'https://evil.example.com' });
    expect([foreign.status, foreign.body['data'].reason]).toEqual([403, 'origin_not_allowed']);
    expect((await post('second-factor', { code })).status).toBe(401);
    expect((await post('second-factor', {}, cookie)).status).toBe(400);
    const page = await fetch(`${platform.url}/idp/second-factor`, { redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([303, expect.stringMatching(/^sign-in\?redirect=/)]);
  });

  test('the second factor is removed, and backup codes are replaced, with a fresh one only: 403 with the password alone', async () => {
    const { setupKey, cookie, password } = await enrolled();
    clock.advance(11 * minuteMs);
    for (const path of ['account/second-factor/remove', 'account/backup-codes']) {
      const { status, body } = await post(path, { password }, cookie);
      expect([status, body['data'].reason], path).toEqual([403, tooOld]);
    }
    expect((await post('second-factor', { code: next(setupKey) }, cookie)).status).toBe(200);
    for (const path of ['account/backup-codes', 'account/second-factor/remove'])
      expect((await post(path, { password }, cookie)).status, path).toBe(200);
  });

  test('403 second_factor_required for a partneradmin without one, who may do everything else; 200 with one', async () => {
    const makeKey = `mutation ($partnerSlug: Slug!) {
      createPartnerKey(partnerSlug: $partnerSlug, input: { label: "a key", mode: test }) { __typename }
    }`;
    const access = { platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug };
    const person = await people.create(access);
    const { cookie } = await people.signIn(person);
    const act = (headers: Credentials, query = makeKey) => refusal(headers, query, { partnerSlug: partner.slug });
    for (const headers of [{ Cookie: cookie }, await bearerOf(cookie)])
      expect(await act(headers)).toBe('second_factor_required');
    expect(await act({ Cookie: cookie }, '{ me { email } }')).toBeNull();
    const page = await fetch(`${platform.url}/idp/second-factor`, { headers: { Cookie: cookie }, redirect: 'manual' });
    expect(page.headers.get('location')).toBe('account');
    expect((await post('second-factor', { code: '123456' }, cookie)).status).toBe(401);
    expect(await act({ Cookie: (await enrolled(access)).cookie })).toBeNull();
  });

  test('the fields that declare it, read from the schema, are these; the scopes refuse first', async () => {
    const fields = Object.values(schema.getMutationType()?.getFields() ?? {});
    const declared = fields.filter(({ extensions }) => extensions[freshSecondFactorName]);
    expect(declared.map(({ name }) => name).sort()).toEqual([
      'approvePartnerKeyRequest',
      'approveRefundRequest',
      'createPartner',
      'createPartnerKey',
      'inviteStaff',
      'issuePartnerKey',
      'resetSecondFactor',
      'revealKyb',
      'setInternalUserRoles',
      'setRefundLimit',
      'setStaffRoles',
      'setUserPartnerScope',
    ]);
    for (const { description } of declared) expect(description).toContain(tooOld);
    const { cookie } = await enrolled({ platformRoles: ['hubadmin'] });
    clock.advance(11 * minuteMs);
    expect(await refusal({ Cookie: cookie })).toBe('caller_lacks_role');
  });

  test('a refusal changes nothing and is audited as denied; the same Idempotency-Key works after a code, and its answer stays', async () => {
    const { setupKey, cookie, id } = await enrolled();
    const headers = { Cookie: cookie, 'Idempotency-Key': crypto.randomUUID() };
    const limits = () => platform.services.prisma.refundLimit.count({ where: { currency: 'NOK' } });
    const act = () => refusal(headers, setLimit.replace('CHF', 'NOK'), { amount: 700 });
    clock.advance(11 * minuteMs);
    expect(await act()).toBe(tooOld);
    expect(await limits()).toBe(0);
    expect((await post('second-factor', { code: next(setupKey) }, cookie)).status).toBe(200);
    expect(await act()).toBeNull();
    clock.advance(11 * minuteMs);
    expect(await act()).toBeNull();
    const rows = await platform.services.prisma.auditRow.findMany({
      where: { actorId: id, action: 'setRefundLimit' },
      orderBy: { outcome: 'desc' },
    });
    expect(rows.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['denied', tooOld],
      ['allowed', null],
    ]);
  });
});

describe('refunds by people', () => {
  const refund = `mutation ($id: ID!, $amount: Amount!) {
    refundPayment(input: { paymentId: $id, amount: $amount }, reason: "was late") {
      ... on RefundedPayment { refund { amount } }
      ... on RefundRequest { id }
    }
  }`;
  const approve =
    'mutation ($id: ID!) { approveRefundRequest(requestId: $id, reason: "saw it") { refund { amount } } }';

  test('below the limit 200 whatever the age; at the limit a request, and its approval, are 403 second_factor_too_old, until a code', async () => {
    await limitRefunds(platform.services, 500);
    const { payment } = await account.charge();
    const id = payment['id'];
    const [asker, other] = [await enrolled({ platformRoles: ['hubadmin'] }), await enrolled()];
    clock.advance(11 * minuteMs);
    const headers = { Cookie: asker.cookie, 'Idempotency-Key': crypto.randomUUID() };
    expect(await refusal({ Cookie: asker.cookie }, refund, { id, amount: 100 })).toBeNull();
    expect(await refusal(headers, refund, { id, amount: 500 })).toBe(tooOld);
    expect(await platform.services.prisma.refundRequest.count({ where: { paymentId: String(id) } })).toBe(0);
    await post('second-factor', { code: next(asker.setupKey) }, asker.cookie);
    const ask = () => clientOf(platform).graphql(refund, { id, amount: 500 }, headers);
    const { data } = await ask();
    clock.advance(11 * minuteMs);
    expect((await ask()).data).toEqual(data);
    const request = { id: data.refundPayment.id };
    const key = { Cookie: other.cookie, 'Idempotency-Key': crypto.randomUUID() };
    expect(await refusal(key, approve, request)).toBe(tooOld);
    await post('second-factor', { code: next(other.setupKey) }, other.cookie);
    expect(await refusal(key, approve, request)).toBeNull();
    clock.advance(11 * minuteMs);
    expect(await refusal(key, approve, request)).toBeNull();
    const refusals = await platform.services.prisma.auditRow.findMany({
      where: { actorId: other.id, outcome: 'denied' },
    });
    expect(refusals.map(({ action, reason }) => [action, reason])).toEqual([['approveRefundRequest', tooOld]]);
  });
});

test('over IAM REST: 403 for the change and 200 {ok: false, reason} of its probe, which are allowed again after a code', async () => {
  const { setupKey, cookie } = await enrolled();
  const target = await people.create({ platformRoles: ['accountmanager'] });
  const [change, probe] = [
    { userId: target.id, roles: ['hubadmin'] },
    { targetUserId: target.id, requestedRoles: ['hubadmin'] },
  ];
  const iam = async (path: string, body: object) => {
    const { status, body: answer } = await callIam(platform, path, body, { Cookie: cookie });
    return [status, status === 403 ? answer.message.split(':')[0] : answer];
  };
  const staff = (action: string) => iam('/permissions/manage-partner-staff', { partnerSlug: partner.slug, action });
  const refused = { ok: false, reason: tooOld };
  clock.advance(11 * minuteMs);
  expect(await iam('/internal-users/set-roles', change)).toEqual([403, tooOld]);
  expect(await iam('/permissions/assign-role', probe)).toEqual([200, refused]);
  expect(await staff('invite')).toEqual([200, refused]);
  expect(await staff('set-roles')).toEqual([200, refused]);
  for (const action of ['revoke', 'delete', 'resend-invitation'])
    expect(await staff(action), action).toEqual([200, { ok: true }]);
  const unknown = { ...probe, targetUserId: 'user_unknown' };
  expect(await iam('/permissions/assign-role', unknown)).toEqual([200, { ok: false, reason: 'target_not_found' }]);
  await post('second-factor', { code: next(setupKey) }, cookie);
  expect(await iam('/permissions/assign-role', probe)).toEqual([200, { ok: true }]);
  expect(await staff('invite')).toEqual([200, { ok: true }]);
  expect((await iam('/internal-users/set-roles', change))[0]).toBe(200);
});

test('422 for a wrong shape before the second factor is looked at, and 403 of the factor before the policy on the target', async () => {
  const { setupKey, cookie } = await enrolled({ platformRoles: ['partneradmin'], whitelabelOwnership: partner.slug });
  const { slug } = await seedPartner(platform);
  const invite = async (roles: unknown) => {
    const body = { email: 'invited@example.com', roles };
    const answer = await callIam(platform, `/partners/${slug}/staff/invite`, body, { Cookie: cookie });
    return [answer.status, /second_factor_too_old|other_partner/.exec(answer.body.message)?.[0]];
  };
  clock.advance(11 * minuteMs);
  expect(await invite(7)).toEqual([422, undefined]);
  expect(await invite(['accountmanager'])).toEqual([403, tooOld]);
  await post('second-factor', { code: next(setupKey) }, cookie);
  expect(await invite(['accountmanager'])).toEqual([403, 'other_partner']);
});
