import { beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../../src/lib/clock.ts';
import type { Mail } from '../../../src/ports/mailer.ts';
import { clientOf } from '../../support/client.ts';
import { asOwner } from '../../support/database.ts';
import { usePlatform } from '../../support/platform.ts';
import { seedPartner } from '../../support/seed.ts';
import { keyBytes, totpOf } from '../../support/totp.ts';
import { credentialsOf, type People, peopleOf } from './people.ts';

const quarterMs = 900_000;
const clock = manualClock(new Date());

const mails: Mail[] = [];

const platform = await usePlatform({
  identityProvider: 'embedded',
  clock,
  env: { IDP_REQUIRE_SECOND_FACTOR: 'yes' },
});
platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
const people: People = peopleOf(platform);
/** Attempts are counted by the hour at most: one test does not use up those of the next. */
beforeEach(() => clock.advance(4 * quarterMs));

interface Reply {
  status: number;
  // the answer of the endpoint under test
  body: any;
  setCookies: string[];
  cookie: string;
}

async function post(path: string, body: object, cookie = ''): Promise<Reply> {
  const response = await fetch(`${platform.url}/idp/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'User-Agent': 'test browser', Cookie: cookie },
    body: JSON.stringify(body),
  });
  const setCookies = response.headers.getSetCookie();
  const kept = setCookies.filter((line) => !line.includes('Max-Age=0')).map((line) => line.split(';')[0] ?? '');
  return { status: response.status, body: await response.json(), setCookies, cookie: kept.join('; ') };
}

const me = async (headers: Record<string, string>) =>
  (await clientOf(platform).graphql('{ me { email } }', {}, headers)).data;
const isOpen = async (headers: Record<string, string>) => (await me(headers))?.me != null;
const isSignedIn = (cookie: string) => isOpen({ Cookie: cookie });

const codeOf = (uri: string, at: 'present' | 'next') => totpOf(new URL(uri).searchParams.get('secret') ?? '', at);

async function linkTo(email: string): Promise<string> {
  await expect.poll(() => mails.some(({ to, text }) => to === email && text.includes('token='))).toBe(true);
  const { text = '' } = mails.findLast((mail) => mail.to === email && mail.text.includes('token=')) ?? {};
  return /token=([\w-]+)/.exec(text)?.[1] ?? '';
}

describe('a new password', () => {
  test('200 with the present one: every other session is 401 at once, by cookie and by token', async () => {
    const person = await people.create();
    const [here, there] = [await people.signIn(person), await people.signIn(person)];
    const token = await people.token(there.cookie);
    const form = { password: person.password, newPassword: 'another password' };
    const changed = await post('account/password', form, here.cookie);
    expect(changed.status).toBe(200);
    expect(await isSignedIn(there.cookie)).toBe(false);
    expect(await isOpen({ Authorization: `Bearer ${token}` })).toBe(false);
    // The session itself gets another cookie: one that was planted or read before is worth nothing.
    expect(await isSignedIn(here.cookie)).toBe(false);
    expect(await isSignedIn(changed.cookie)).toBe(true);
    expect((await post('sign-in/email', credentialsOf(person))).status).toBe(401);
    await people.signIn({ email: person.email, password: 'another password' });
    expect(mails.at(-1)).toMatchObject({ to: person.email, subject: 'Your password was changed' });
  });

  test('400 for a wrong present one, a new one of nine characters, and 401 without a session', async () => {
    const person = await people.create();
    const { cookie } = await people.signIn(person);
    const attempt = async (form: object, as = cookie) => {
      const { status, body } = await post('account/password', form, as);
      return [status, body.data.issues?.[0].path];
    };
    expect(await attempt({ password: 'wrong wrong', newPassword: '1234567890' })).toEqual([400, 'password']);
    expect(await attempt({ password: person.password, newPassword: '123456789' })).toEqual([400, 'newPassword']);
    expect(await attempt({ password: person.password, newPassword: '1234567890' }, '')).toEqual([401, undefined]);
    expect(await isSignedIn(cookie)).toBe(true);
  });

  test('by mail: the link works once, ends every session and every other link', async () => {
    const person = await people.create();
    const { cookie } = await people.signIn(person);
    const token = await people.token(cookie);
    const requested = await post('forgot-password', { email: person.email.toUpperCase() });
    expect([requested.status, requested.body]).toEqual([200, { requested: true }]);
    const first = await linkTo(person.email);
    const count = mails.length;
    await post('forgot-password', { email: person.email });
    await expect.poll(() => mails.length).toBe(count + 1);
    const second = await linkTo(person.email);
    expect(second).not.toBe(first);
    expect((await fetch(`${platform.url}/idp/reset-password?token=${second}`)).status).toBe(200);
    expect((await post('reset-password', { token: second, password: '123456789' })).status).toBe(400);
    expect((await post('reset-password', { token: second, password: 'chosen by mail' })).status).toBe(200);
    const gone = { status: 410, body: { code: 'GONE' } };
    for (const used of [second, first, 'A'.repeat(24)]) {
      expect(await post('reset-password', { token: used, password: 'chosen again' })).toMatchObject(gone);
      expect((await fetch(`${platform.url}/idp/reset-password?token=${used}`)).status).toBe(410);
    }
    expect(await isSignedIn(cookie)).toBe(false);
    expect(await isOpen({ Authorization: `Bearer ${token}` })).toBe(false);
    expect((await post('sign-in/email', credentialsOf(person))).status).toBe(401);
    await people.signIn({ email: person.email, password: 'chosen by mail' });
  });

  test('410 once the hour of the link is over, and of ten uses at once one counts', async () => {
    const [late, eager] = [await people.create(), await people.create()];
    for (const { email } of [late, eager]) await post('forgot-password', { email });
    const token = await linkTo(late.email);
    const { rowCount } = await platform.services.pool.query(
      `UPDATE idp.verification SET "expiresAt" = now() WHERE value = $1`,
      [late.id],
    );
    expect(rowCount).toBe(1);
    expect((await post('reset-password', { token, password: 'too late now' })).status).toBe(410);
    await people.signIn(late);
    const race = await linkTo(eager.email);
    const tries = Array.from({ length: 10 }, (_, n) =>
      post('reset-password', { token: race, password: `a password ${n}` }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 410)).toHaveLength(9);
  });

  test('a link changes the password of its person only, and none is stored or logged as it is', async () => {
    const [person, other] = [await people.create(), await people.create()];
    await post('forgot-password', { email: person.email });
    const token = await linkTo(person.email);
    const { rows } = await platform.services.pool.query('SELECT * FROM idp.verification');
    expect(JSON.stringify(rows)).not.toContain(token);
    const form = { token, password: 'a new password' };
    const { cookie } = await people.signIn(other);
    for (const more of [{ email: other.email }, { userId: other.id }])
      expect((await post('reset-password', { ...form, ...more }, cookie)).status).toBe(400);
    expect((await post('reset-password', form, cookie)).status).toBe(200);
    await people.signIn(other);
    await people.signIn({ email: person.email, password: 'a new password' });
    expect(platform.logged.join('\n')).not.toContain(token);
  });

  test('a person who was removed since cannot use the link', async () => {
    const person = await people.create();
    await post('forgot-password', { email: person.email });
    const token = await linkTo(person.email);
    await platform.idp.deleteUser(person.id);
    expect((await post('reset-password', { token, password: 'a new password' })).status).toBe(410);
  });
});

/** Sets up a second factor, and returns what the person has noted of it. */
async function enroll(person: { email: string; password: string }, cookie: string) {
  const made = await post('account/second-factor', { password: person.password }, cookie);
  expect(made.status).toBe(200);
  const used = codeOf(made.body.uri, 'present');
  const confirmed = await post('account/second-factor/confirm', { code: used }, cookie);
  expect(confirmed.status).toBe(200);
  return { ...made.body, used, cookie: confirmed.cookie } as {
    uri: string;
    setupKey: string;
    backupCodes: string[];
    used: string;
    cookie: string;
  };
}

describe('a second factor', () => {
  test('a superadmin without one may set it up and nothing else: 403 second_factor_required', async () => {
    const person = await people.create({ platformRoles: ['superadmin'] });
    const signedIn = await post('sign-in/email', credentialsOf(person));
    expect(signedIn.body.redirectUrl).toBe('account');
    const headers = { Cookie: signedIn.cookie };
    const refused = { code: 'FORBIDDEN', data: { reason: 'second_factor_required' } };
    expect((await clientOf(platform).graphql('{ me { email } }', {}, headers)).errors[0].extensions).toMatchObject(
      refused,
    );
    const bearer = { Authorization: `Bearer ${await people.token(signedIn.cookie)}` };
    expect((await clientOf(platform).graphql('{ me { email } }', {}, bearer)).errors[0].extensions).toMatchObject(
      refused,
    );
    const iam = await fetch(`${platform.url}/api/v1/iam/partners-admin/list`, { method: 'POST', headers, body: '{}' });
    expect([iam.status, (await iam.text()).includes(`${platform.url}/idp/account`)]).toEqual([403, true]);
    const probe = await fetch(`${platform.url}/api/v1/iam/permissions/assign-role`, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect([probe.status, await probe.json()]).toEqual([200, { ok: false, reason: 'second_factor_required' }]);
    const join = await fetch(`${platform.url}/join`, { headers, redirect: 'manual' });
    expect([join.status, join.headers.get('location')]).toEqual([303, 'idp/account']);
    const page = await fetch(`${platform.url}/idp/account`, { headers });
    expect(await page.text()).toContain('Your role requires two-factor authentication');
    const { cookie } = await enroll(person, signedIn.cookie);
    expect(await isSignedIn(cookie)).toBe(true);
    expect(await isSignedIn(signedIn.cookie)).toBe(false);
  });

  test.each([
    ['hubadmin', null, false],
    ['platformpaymentAdmin', null, false],
    ['accountmanager', null, true],
    ['partneradmin', 'acme', true],
  ])('%s (partner %s) may work without one: %s', async (role, whitelabelOwnership, allowed) => {
    const person = await people.create({ platformRoles: [role], whitelabelOwnership });
    expect(await isSignedIn((await people.signIn(person)).cookie)).toBe(allowed);
  });

  test('asked for after the password: no session before it, and a code is taken once', async () => {
    const person = await people.create();
    const before = await people.signIn(person);
    const factor = await enroll(person, (await people.signIn(person)).cookie);
    expect(await isSignedIn(before.cookie)).toBe(false);
    const first = await post('sign-in/email', { ...credentialsOf(person), redirect: '/join' });
    expect([first.status, first.body]).toEqual([
      200,
      { needsCode: true, redirectUrl: `sign-in-code?redirect=${encodeURIComponent('/join')}` },
    ]);
    expect(first.cookie).not.toContain('session_token');
    expect(await isSignedIn(first.cookie)).toBe(false);
    expect((await fetch(`${platform.url}/idp/token`, { headers: { Cookie: first.cookie } })).status).toBe(401);
    // The code of the enrollment was read by another user: it was used.
    expect((await post('sign-in/code', { code: factor.used }, first.cookie)).status).toBe(401);
    const again = await post('sign-in/email', credentialsOf(person));
    const next = codeOf(factor.uri, 'next');
    const second = await post('sign-in/code', { code: next }, again.cookie);
    expect(second.status).toBe(200);
    expect(await isSignedIn(second.cookie)).toBe(true);
    const replay = await post('sign-in/email', credentialsOf(person));
    expect((await post('sign-in/code', { code: next }, replay.cookie)).status).toBe(401);
    expect((await post('sign-in/code', { code: next }, again.cookie)).status).toBe(401);
    const setCookie = second.setCookies.find((line) => line.includes('session_token')) ?? '';
    expect(setCookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(first.setCookies.find((line) => line.includes('two_factor='))).toMatch(/; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test('a backup code works once; new ones replace the others; wrong ones are 401', async () => {
    const person = await people.create();
    const factor = await enroll(person, (await people.signIn(person)).cookie);
    expect(factor.backupCodes).toHaveLength(10);
    const [first = '', second = ''] = factor.backupCodes;
    const use = async (code: string) =>
      (await post('sign-in/code', { code }, (await post('sign-in/email', credentialsOf(person))).cookie)).status;
    expect(await use(first)).toBe(200);
    expect(await use(first)).toBe(401);
    expect(await use('AAAAA-AAAAA')).toBe(401);
    expect((await post('account/backup-codes', { password: 'wrong wrong' }, factor.cookie)).status).toBe(400);
    const renewed = await post('account/backup-codes', { password: person.password }, factor.cookie);
    expect(await use(second)).toBe(401);
    expect(await use(renewed.body.backupCodes[0])).toBe(200);
  });

  test('codes cannot be guessed: a challenge takes five, and the account refuses after ten, with a right one too', async () => {
    const person = await people.create();
    const factor = await enroll(person, (await people.signIn(person)).cookie);
    const guess = async (code: string, cookie: string) => (await post('sign-in/code', { code }, cookie)).status;
    for (let challenge = 0; challenge < 2; challenge++) {
      clock.advance(quarterMs);
      const { cookie } = await post('sign-in/email', credentialsOf(person));
      for (const code of ['000000', '111111', '222222', '333333', '444444'])
        expect(await guess(code, cookie)).toBe(401);
      expect(await guess(codeOf(factor.uri, 'next'), cookie)).toBe(401);
    }
    clock.advance(quarterMs);
    const { cookie } = await post('sign-in/email', credentialsOf(person));
    expect(await guess(codeOf(factor.uri, 'next'), cookie)).toBe(401);
    // The password was known to an attacker. Its owner chooses another, and the codes are taken again.
    await post('forgot-password', { email: person.email });
    await post('reset-password', { token: await linkTo(person.email), password: 'chosen by mail' });
    const again = await post('sign-in/email', { email: person.email, password: 'chosen by mail' });
    expect(await guess(codeOf(factor.uri, 'next'), again.cookie)).toBe(200);
  });

  test('a session of one person with the challenge of another gets the session of the challenge', async () => {
    const [thief, owner] = [await people.create(), await people.create()];
    const factor = await enroll(owner, (await people.signIn(owner)).cookie);
    const stolen = await enroll(thief, (await people.signIn(thief)).cookie);
    const challenge = await post('sign-in/email', credentialsOf(owner));
    const mixed = `${stolen.cookie}; ${challenge.cookie}`;
    expect((await post('sign-in/code', { code: codeOf(stolen.uri, 'next') }, mixed)).status).toBe(401);
    const right = await post('sign-in/code', { code: codeOf(factor.uri, 'next') }, mixed);
    expect(right.body.user.id).toBe(owner.id);
  });

  test('its secret and its codes are encrypted, and in no log, mirror, message or audit row', async () => {
    const person = await people.create({ platformRoles: ['superadmin'] });
    const { setupKey, backupCodes, cookie } = await enroll(person, (await people.signIn(person)).cookie);
    await platform.idp.flush();
    const secret = keyBytes(setupKey).toString();
    const stored = await platform.services.pool.query('SELECT * FROM idp."twoFactor" WHERE "userId" = $1', [person.id]);
    const audit = await platform.services.prisma.auditRow.findMany();
    const mirror = await platform.services.prisma.iamUser.findMany();
    const everything = JSON.stringify([stored.rows, audit, mirror, platform.logged]);
    for (const hidden of [secret, setupKey, ...backupCodes]) expect(everything).not.toContain(hidden);
    expect(await isSignedIn(cookie)).toBe(true);
  });

  test('removed with the password; 409 to set up a second one', async () => {
    const person = await people.create();
    const factor = await enroll(person, (await people.signIn(person)).cookie);
    expect((await post('account/second-factor', { password: person.password }, factor.cookie)).status).toBe(409);
    expect((await post('account/second-factor/remove', { password: 'wrong wrong' }, factor.cookie)).status).toBe(400);
    expect((await post('account/second-factor/remove', { password: person.password }, factor.cookie)).status).toBe(200);
    await people.signIn(person);
  });

  test('a superadmin resets it with a reason, audited; the sessions of the person are 401 at once', async () => {
    const person = await people.create();
    const factor = await enroll(person, (await people.signIn(person)).cookie);
    const token = await people.token(factor.cookie);
    const boss = await people.create({ platformRoles: ['superadmin'] });
    const { cookie: Cookie } = await enroll(boss, (await people.signIn(boss)).cookie);
    const reset = (userId: string, reason: string, cookie = Cookie) =>
      clientOf(platform).graphql(
        'mutation ($userId: ID!, $reason: ShortText!) { resetSecondFactor(userId: $userId, reason: $reason) { userId ' +
          '} }',
        { userId, reason },
        { Cookie: cookie },
      );
    const errorOf = async (answer: ReturnType<typeof reset>) => (await answer).errors?.[0].extensions.code;
    expect(await errorOf(reset(person.id, ' '))).toBe('INPUT_PARSE_ERROR');
    expect(await errorOf(reset(boss.id, 'lost my phone'))).toBe('FORBIDDEN');
    expect(await errorOf(reset('user_unknown', 'x'))).toBe('NOT_FOUND');
    expect(await errorOf(reset(person.id, 'x', factor.cookie))).toBe('FORBIDDEN');
    expect((await reset(person.id, 'lost the phone, called back')).data.resetSecondFactor.userId).toBe(person.id);
    expect(await isSignedIn(factor.cookie)).toBe(false);
    expect(await isOpen({ Authorization: `Bearer ${token}` })).toBe(false);
    expect(await isSignedIn((await people.signIn(person)).cookie)).toBe(true);
    expect(await errorOf(reset(person.id, 'again'))).toBe('CONFLICT');
    const rows = await platform.services.prisma.auditRow.findMany({
      where: { action: 'resetSecondFactor', target: person.id, outcome: 'allowed' },
      select: { actorId: true, reason: true },
    });
    expect(rows).toEqual([{ actorId: boss.id, reason: 'lost the phone, called back' }]);
  });
});

describe('sessions', () => {
  const list = '{ me { sessions { id isPresent userAgent ipAddress expiresAt } } }';

  test('are listed and ended by their person: 401 at once, by cookie and by token; 404 for those of others', async () => {
    const [person, other] = [await people.create(), await people.create()];
    const [here, there] = [
      await post('sign-in/email', credentialsOf(person)),
      await post('sign-in/email', credentialsOf(person)),
    ];
    const foreign = await post('sign-in/email', credentialsOf(other));
    const token = await people.token(there.cookie);
    const ask = (query: string, variables = {}) =>
      clientOf(platform).graphql(query, variables, { Cookie: here.cookie });
    const { sessions } = (await ask(list)).data.me;
    expect(sessions).toMatchObject([
      { isPresent: false, userAgent: 'test browser', ipAddress: '127.0.0.1' },
      { isPresent: true },
    ]);
    const end = 'mutation ($id: ID!) { endMySession(id: $id) { id } }';
    const theirs = (await platform.idp.listSessions(other.id))[0]?.id;
    expect((await ask(end, { id: theirs })).errors[0].extensions.code).toBe('NOT_FOUND');
    expect(await isSignedIn(foreign.cookie)).toBe(true);
    expect((await ask(end, { id: sessions[0].id })).data.endMySession.id).toBe(sessions[0].id);
    expect(await isSignedIn(there.cookie)).toBe(false);
    expect(await isOpen({ Authorization: `Bearer ${token}` })).toBe(false);
    const third = await post('sign-in/email', credentialsOf(person));
    expect((await ask('mutation { endMyOtherSessions { endedCount } }')).data.endMyOtherSessions.endedCount).toBe(1);
    expect([await isSignedIn(third.cookie), await isSignedIn(here.cookie)]).toEqual([false, true]);
    const fourth = await post('sign-in/email', credentialsOf(person));
    const [newest] = await platform.idp.listSessions(person.id);
    expect((await post('account/sessions/end', { sessionId: theirs }, here.cookie)).body.endedCount).toBe(0);
    expect((await post('account/sessions/end', { sessionId: newest?.id }, here.cookie)).body.endedCount).toBe(1);
    expect([await isSignedIn(fourth.cookie), await isSignedIn(foreign.cookie)]).toEqual([false, true]);
  });

  test('null with 401 for an API key, which reads the rest of itself', async () => {
    const partner = await seedPartner(platform);
    for (const { graphql } of [partner.api, (await partner.account()).api]) {
      const { data, errors } = await graphql('{ me { partnerId sessions { id } } }');
      expect(data.me).toEqual({ partnerId: partner.id, sessions: null });
      expect(errors).toMatchObject([{ path: ['me', 'sessions'], extensions: { code: 'NOT_AUTHORIZED' } }]);
    }
  });

  test('a planted cookie does not become a session: sign-in makes another one', async () => {
    const [person, attacker] = [await people.create(), await people.create()];
    const planted = await people.signIn(attacker);
    const signedIn = await post('sign-in/email', credentialsOf(person), planted.cookie);
    expect(signedIn.cookie).not.toBe(planted.cookie);
    expect((await me({ Cookie: planted.cookie })).me.email).toBe(attacker.email);
    expect((await me({ Cookie: signedIn.cookie })).me.email).toBe(person.email);
  });

  test('401 for the sessions of a person who was removed or banned', async () => {
    const [removed, banned] = [await people.create(), await people.create()];
    const cookies = [(await people.signIn(removed)).cookie, (await people.signIn(banned)).cookie];
    await platform.idp.deleteUser(removed.id);
    await platform.idp.setBanned(banned.id, true);
    await platform.idp.flush();
    for (const cookie of cookies) expect(await isSignedIn(cookie)).toBe(false);
    for (const person of [removed, banned])
      expect((await post('sign-in/email', credentialsOf(person))).status).toBe(401);
  });
});

test('sessions and links that have expired are purged by the job, and no others', async () => {
  const person = await people.create();
  const [here, there] = [await people.signIn(person), await people.signIn(person)];
  await asOwner(
    platform,
    `UPDATE idp.session SET "expiresAt" = now() - interval '1 second'
     WHERE id = (SELECT id FROM idp.session WHERE "userId" = $1 ORDER BY "createdAt" DESC LIMIT 1)`,
    [person.id],
  );
  await platform.services.identityProvider.purgeExpired?.();
  const { rows } = await asOwner(platform, 'SELECT 1 FROM idp.session WHERE "userId" = $1', [person.id]);
  expect(rows).toHaveLength(1);
  expect([await isSignedIn(here.cookie), await isSignedIn(there.cookie)]).toEqual([true, false]);
});
