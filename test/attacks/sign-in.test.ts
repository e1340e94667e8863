import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import type { Mail } from '../../src/ports/mailer.ts';
import { credentialsOf, type People, peopleOf } from '../iam/identity/people.ts';
import { usePlatform } from '../support/platform.ts';

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const hourMs = 60 * minuteMs;
/** Begins with an hour of the clock, so that every window does. */
const clock = manualClock(new Date(Math.ceil(Date.now() / hourMs) * hourMs));
const mails: Mail[] = [];

const platform = await usePlatform({ identityProvider: 'embedded', clock, env: { TRUST_PROXY: '1' } });
platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
const people: People = peopleOf(platform);

/** Ends every window of the counters. */
const nextHour = () => clock.advance(hourMs);

function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${platform.url}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const from = (address: string) => ({ 'X-Forwarded-For': address });
const signIn = async (email: string, password: string, address: string) =>
  (await post('idp/sign-in/email', { email, password }, from(address))).status;

/** The counters as this many wrong attempts of an address leave them, without the work of their hashes. */
async function noteWrong(subject: string, calls: number, windowMs: number): Promise<void> {
  const start = new Date(Math.floor(clock.now().getTime() / windowMs) * windowMs);
  await platform.services.pool.query(
    'INSERT INTO limits.windows (subject, start, calls) VALUES ($1, $2, $3) ' +
      'ON CONFLICT (subject) DO UPDATE SET start = $2, calls = $3',
    [subject, start, calls],
  );
}

describe('guessing passwords', () => {
  beforeEach(nextHour);

  test('429 at the eleventh wrong one of an address for an account, in any case of the email, for a quarter of an hour', async () => {
    const person = await people.create();
    const attempts = Array.from({ length: 11 }, (_, n) =>
      signIn(n % 2 ? person.email : person.email.toUpperCase(), 'wrong wrong', '198.51.100.1'),
    );
    expect((await Promise.all(attempts)).sort()).toEqual([...Array<number>(10).fill(401), 429]);
    const refused = await post('idp/sign-in/email', credentialsOf(person), from('198.51.100.1'));
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '900']);
    clock.advance(quarterMs - 1);
    expect(await signIn(person.email, person.password, '198.51.100.1')).toBe(429);
    clock.advance(1);
    expect(await signIn(person.email, person.password, '198.51.100.1')).toBe(200);
  });

  test('what other addresses have tried never refuses the right password: known address, new one, and the same /64 of IPv6', async () => {
    const person = await people.create();
    expect(await signIn(person.email, person.password, '192.0.2.1')).toBe(200);
    for (let n = 0; n < 11; n++) await signIn(person.email, 'wrong wrong', '2001:db8:0:1::1');
    expect(await signIn(person.email, 'wrong wrong', '2001:db8:0:1:ffff::2')).toBe(429);
    await noteWrong(`wrong/account/${person.email}`, 1_000_000, hourMs);
    for (const address of ['192.0.2.1', '203.0.113.9', '2001:db8:0:2::1'])
      expect(await signIn(person.email, person.password, address), address).toBe(200);
  });

  test('200 for the right password in a browser that has signed in before, whatever others behind its address have tried', async () => {
    const person = await people.create();
    const first = await post('idp/sign-in/email', credentialsOf(person), from('203.0.113.30'));
    const device = first.headers.getSetCookie().find((line) => line.startsWith('platform.device='));
    expect(device).toMatch(/; HttpOnly; SameSite=Lax$/);
    expect(device).toContain(`; Max-Age=${90 * 86_400};`);
    const Cookie = device?.split(';')[0] ?? '';
    await noteWrong('wrong/address/203.0.113.30', 50, quarterMs);
    await noteWrong(`wrong/203.0.113.30/${person.email}`, 10, quarterMs);
    await noteWrong('sign-in/address/203.0.113.30', 200, minuteMs);
    const status = async (email: string, password: string, cookie: string) =>
      (await post('idp/sign-in/email', { email, password }, { ...from('203.0.113.30'), Cookie: cookie })).status;
    expect(await status(person.email, person.password, '')).toBe(429);
    expect(await status(person.email.toUpperCase(), person.password, Cookie)).toBe(200);
    // It is of this account, and signed.
    const other = await people.create();
    expect(await status(other.email, other.password, Cookie)).toBe(429);
    expect(await status(person.email, person.password, `${Cookie}x`)).toBe(429);
    expect(await status(person.email, person.password, `platform.device=x${Cookie.split('=')[1]}`)).toBe(429);
    // It guesses no more than an address.
    for (let n = 0; n < 10; n++) expect(await status(person.email, 'wrong wrong', Cookie)).toBe(401);
    expect(await status(person.email, person.password, Cookie)).toBe(429);
    clock.advance(quarterMs);
    expect(await status(person.email, person.password, Cookie)).toBe(200);
  });

  test('429 at the twenty-first attempt of such a browser in a minute, right ones included, and not for its address', async () => {
    const person = await people.create();
    const address = from('203.0.113.31');
    const first = await post('idp/sign-in/email', credentialsOf(person), address);
    const device = first.headers.getSetCookie().find((line) => line.startsWith('platform.device='));
    const Cookie = device?.split(';')[0] ?? '';
    const attempt = async () => (await post('idp/sign-in/email', credentialsOf(person), { ...address, Cookie })).status;
    await noteWrong(`sign-in/device/${/=([^.]+)/.exec(Cookie)?.[1]}`, 19, minuteMs);
    for (const expected of [200, 429]) expect(await attempt()).toBe(expected);
    expect(await signIn(person.email, person.password, '203.0.113.31')).toBe(200);
    clock.advance(minuteMs - 1);
    expect(await attempt()).toBe(429);
    clock.advance(1);
    expect(await attempt()).toBe(200);
  });

  test('429 at the 201st attempt of an address in a minute, right ones included, and 200 after it', async () => {
    const person = await people.create();
    await noteWrong('sign-in/address/198.51.100.30', 199, minuteMs);
    for (const expected of [200, 429])
      expect(await signIn(person.email, person.password, '198.51.100.30')).toBe(expected);
    expect(await signIn(person.email, person.password, '198.51.100.31')).toBe(200);
    clock.advance(minuteMs - 1);
    expect(await signIn(person.email, person.password, '198.51.100.30')).toBe(429);
    clock.advance(1);
    expect(await signIn(person.email, person.password, '198.51.100.30')).toBe(200);
  });

  test('an account under attack slows down: three wrong ones of an address, and it is still open to every other', async () => {
    const person = await people.create();
    await noteWrong(`wrong/account/${person.email}`, 99, hourMs);
    expect(await signIn(person.email, 'wrong wrong', '198.51.100.2')).toBe(401);
    for (const expected of [401, 401, 429])
      expect(await signIn(person.email, 'wrong wrong', '198.51.100.2')).toBe(expected);
    // The right one is not counted, also as the last of three.
    for (const expected of [401, 401]) expect(await signIn(person.email, 'wrong wrong', '203.0.113.3')).toBe(expected);
    for (let n = 0; n < 2; n++) expect(await signIn(person.email, person.password, '203.0.113.3')).toBe(200);
  });

  test('429 at the fifty-first wrong one of an address for any accounts, without the work of a hash', async () => {
    const person = await people.create();
    await noteWrong('wrong/address/198.51.100.3', 49, quarterMs);
    expect(await signIn('unknown@example.com', 'wrong wrong', '198.51.100.3')).toBe(401);
    expect(await signIn('someone@example.com', 'wrong wrong', '198.51.100.3')).toBe(429);
    expect(await signIn(person.email, person.password, '198.51.100.3')).toBe(429);
    expect(await signIn(person.email, person.password, '198.51.100.4')).toBe(200);
  });

  test('right passwords are not counted as wrong ones: an office signs in behind one address', async () => {
    const person = await people.create();
    await noteWrong('wrong/address/203.0.113.7', 49, quarterMs);
    for (let n = 0; n < 3; n++) expect(await signIn(person.email, person.password, '203.0.113.7')).toBe(200);
    for (const expected of [401, 429])
      expect(await signIn('unknown@example.com', 'wrong wrong', '203.0.113.7')).toBe(expected);
  });

  test('a second session does not allow to guess the password: 429 at the eleventh wrong one', async () => {
    const person = await people.create();
    const { cookie } = await people.signIn(person);
    await noteWrong(`wrong/198.51.100.5/session/${person.id.toLowerCase()}`, 9, quarterMs);
    const form = { password: 'wrong wrong', newPassword: 'another password' };
    for (const expected of [400, 429])
      expect((await post('idp/account/password', form, { Cookie: cookie, ...from('198.51.100.5') })).status).toBe(
        expected,
      );
    expect(await signIn(person.email, person.password, '198.51.100.5')).toBe(200);
  });
});

describe('finding out who has an account', () => {
  beforeEach(nextHour);

  test('signing in, asking for a new password and the code page answer the same for everybody', async () => {
    const person = await people.create();
    const seen = async (response: Promise<Response>) => {
      const { status, headers } = await response;
      return { status, body: await (await response).text(), cookies: headers.getSetCookie() };
    };
    const wrong = (email: string) => seen(post('idp/sign-in/email', { email, password: 'wrong wrong' }));
    expect(await wrong(person.email)).toEqual(await wrong('unknown@example.com'));
    const requested = (email: string) => seen(post('idp/forgot-password', { email }));
    expect(await requested(person.email)).toEqual(await requested('unknown@example.com'));
    // Also past the bound of the account, and with a word that is no address.
    for (let n = 0; n < 4; n++) expect(await requested(person.email)).toEqual(await requested('no address'));
  });

  test('the answer to a request for a new password does not wait for the mail', async () => {
    const person = await people.create();
    const { mailer } = platform.services;
    let isSent: () => void = () => {};
    const sent = new Promise<void>((resolve) => (isSent = resolve));
    platform.services.mailer = { kind: 'smtp', send: () => sent };
    expect((await post('idp/forgot-password', { email: person.email })).status).toBe(200);
    isSent();
    platform.services.mailer = mailer;
  });
});

describe('mail bombing', () => {
  beforeEach(nextHour);

  test('five mails an hour to an account from any number of addresses; each link works', async () => {
    const person = await people.create();
    const sentTo = () => mails.filter(({ to }) => to === person.email);
    for (let n = 1; n <= 7; n++) {
      expect((await post('idp/forgot-password', { email: person.email }, from(`198.51.100.${n}`))).status).toBe(200);
      await expect.poll(() => sentTo().length).toBe(Math.min(n, 5));
    }
    const tokens = sentTo().map(({ text }) => /token=([\w-]+)/.exec(text)?.[1] ?? '');
    for (const token of tokens)
      expect((await fetch(`${platform.url}/idp/reset-password?token=${token}`)).status).toBe(200);
    clock.advance(hourMs);
    await post('idp/forgot-password', { email: person.email });
    await expect.poll(() => sentTo().length).toBe(6);
  });

  test('429 at the twenty-first request of an address in an hour, whichever accounts it names', async () => {
    const ask = async (email: string, address: string) =>
      (await post('idp/forgot-password', { email }, from(address))).status;
    for (let n = 0; n < 20; n++) expect(await ask(`unknown${n}@example.com`, '198.51.100.9')).toBe(200);
    expect(await ask('unknown@example.com', '198.51.100.9')).toBe(429);
    expect(await ask('unknown@example.com', '198.51.100.10')).toBe(200);
  });
});

describe('other sites', () => {
  let person: Awaited<ReturnType<People['create']>>;
  let Cookie: string;
  beforeAll(async () => {
    nextHour();
    person = await people.create();
    Cookie = (await people.signIn(person)).cookie;
  });

  const forms = [
    'idp/sign-in/email',
    'idp/sign-in/code',
    'idp/sign-out',
    'idp/forgot-password',
    'idp/reset-password',
    'idp/accept',
    'idp/account/password',
    'idp/account/second-factor',
    'idp/account/second-factor/confirm',
    'idp/account/second-factor/remove',
    'idp/account/backup-codes',
    'idp/account/sessions/end',
    'join',
  ];

  test.each(forms)('POST /%s: 403 from another origin or none of a frame, and 415 as a plain form', async (path) => {
    for (const Origin of ['https://evil.example.com', 'null', `${platform.url}.evil.example.com`])
      expect((await post(path, person, { Cookie, Origin })).status, Origin).toBe(403);
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'])
      expect((await post(path, person, { Cookie, 'Content-Type': type })).status, type).toBe(415);
    expect(await platform.idp.listSessions(person.id)).toHaveLength(1);
  });

  test.each([
    'idp/sign-in',
    'idp/sign-in-code',
    'idp/forgot-password',
    'idp/reset-password',
    'idp/accept',
    'idp/account',
    'join',
  ])('GET /%s: no other page frames it, its forms are sent here, and it is not stored', async (path) => {
    const { headers } = await fetch(`${platform.url}/${path}`, { headers: path === 'join' ? {} : { Cookie } });
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'none'"])
      expect(policy).toContain(rule);
    // A page without a script allows none.
    expect(/script-src ([^;]*)/.exec(policy)?.[1] ?? "'self'").toBe("'self'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('the page of the account shows what a browser calls itself as text', async () => {
    const agent = { 'User-Agent': '<script>alert(1)</script>' };
    const { headers } = await post('idp/sign-in/email', credentialsOf(person), agent);
    const own = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const page = await (await fetch(`${platform.url}/idp/account`, { headers: { Cookie: own } })).text();
    expect(page).toContain('&#60;script&#62;alert(1)');
    expect(page).not.toContain('<script>alert');
  });

  test('the code page leads to a path of this server only', async () => {
    const then = async (redirect: string) =>
      /data-then="([^"]*)"/.exec(
        await (await fetch(`${platform.url}/idp/sign-in-code?redirect=${encodeURIComponent(redirect)}`)).text(),
      )?.[1];
    expect(await then('/join')).toBe('/join');
    for (const elsewhere of ['https://evil.example.com/', '//evil.example.com/', '/\\evil.example.com', 'javascript:1'])
      expect(await then(elsewhere)).toBe('../console/');
  });
});
