import { beforeEach, expect, test } from 'vitest';
import { manualClock } from '../../src/lib/clock.ts';
import type { Mail } from '../../src/ports/mailer.ts';
import { makePartner, makePerson, type SignedIn, signedIn } from '../iam/people.ts';
import { usePlatform } from '../support/platform.ts';

const hourMs = 3_600_000;
const clock = manualClock(new Date());
let mails: Mail[] = [];
const platform = await usePlatform({ identityProvider: 'embedded', clock });
platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });

let n = 0;
let slug: string;
let admin: SignedIn;
beforeEach(async () => {
  slug = `mail-${++n}`;
  await makePartner(platform, slug);
  admin = await signedIn(platform, { platformRoles: ['partneradmin'], whitelabelOwnership: slug });
  mails = [];
});

const act = (who: SignedIn, action: 'invite' | 'resend-invitation', body: object, of = slug) =>
  who.iam(`/partners/${of}/staff/${action}`, body);
const invite = (who: SignedIn, email: string, of = slug, role = 'accountmanager') =>
  act(who, 'invite', { email, roles: [role] }, of);
const sentTo = (email: string) => mails.filter(({ to }) => to === email);
const linkOf = (mail: Mail | undefined) => /https?:\S+accept\S+/.exec(mail?.text ?? '')?.[0] ?? '';

test('429 at the sixth invitation to an address in an hour, also from another sender: nothing has changed, and the last link works', async () => {
  const email = `target${n}@example.com`;
  expect((await invite(admin, email)).status).toBe(200);
  for (let sent = 2; sent <= 5; sent++) {
    clock.advance(60_000);
    expect((await act(admin, 'resend-invitation', { email: email.toUpperCase() })).status).toBe(200);
  }
  const row = () => platform.services.prisma.partnerMembership.findFirstOrThrow({ where: { emailLower: email } });
  const before = await row();
  const other = await makePartner(platform, `beside-${n}`);
  for (const refused of [
    await act(admin, 'resend-invitation', { email }),
    await act(superadmin, 'resend-invitation', { email }),
    await invite(superadmin, email, other.slug),
  ]) {
    expect(refused).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } });
    expect(refused.headers.get('retry-after')).toBe(String(56 * 60));
    expect(refused.body.message).toContain('5 invitations an hour');
  }
  expect(await row()).toEqual(before);
  expect(sentTo(email)).toHaveLength(5);
  expect((await fetch(linkOf(sentTo(email).at(-1)))).status).toBe(200);
  clock.advance(56 * 60_000 - 1);
  expect((await act(admin, 'resend-invitation', { email })).status).toBe(429);
  clock.advance(1);
  expect((await act(admin, 'resend-invitation', { email })).status).toBe(200);
});

test('429 for five of ten invitations to an address that are sent at once', async () => {
  const email = `raced${n}@example.com`;
  expect((await invite(admin, email)).status).toBe(200);
  const answers = await Promise.all(Array.from({ length: 9 }, () => act(admin, 'resend-invitation', { email })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, ...Array<number>(5).fill(429)]);
  expect(sentTo(email)).toHaveLength(5);
});

test('429 at the fifty-first invitation of a partner in 24 hours, and none of another partner', async () => {
  await platform.services.pool.query(
    `INSERT INTO limits.field_calls (subject, calls) VALUES ($1, array_fill($2::timestamptz, ARRAY[49]))`,
    [`mail/invitation/of/${slug}`, clock.now()],
  );
  clock.advance(23 * hourMs);
  expect((await invite(admin, `fifty${n}@example.com`)).status).toBe(200);
  const refused = await invite(superadmin, `more${n}@example.com`);
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('3600');
  expect(refused.body.message).toContain('50 invitations in 24 hours');
  expect(sentTo(`more${n}@example.com`)).toEqual([]);
  const other = await makePartner(platform, `beside-${n}`);
  expect((await invite(superadmin, `more${n}@example.com`, other.slug)).status).toBe(200);
  clock.advance(hourMs);
  expect((await invite(admin, `after${n}@example.com`)).status).toBe(200);
});

test('200 for every change, and five notices of a kind an hour about a partner: the fifth says so, other partners have their own', async () => {
  const superadmins = await makePerson(platform, { platformRoles: ['superadmin'] });
  for (let made = 1; made <= 7; made++)
    expect((await invite(admin, `admin${n}-${made}@example.com`, slug, 'partneradmin')).status).toBe(200);
  for (const { email } of [admin, superadmins]) {
    const notices = sentTo(email);
    expect(notices).toHaveLength(5);
    expect(notices.map(({ text }) => text.includes('No more emails of this kind are sent'))).toEqual([
      ...Array<boolean>(4).fill(false),
      true,
    ]);
  }
  for (let made = 1; made <= 7; made++) expect(sentTo(`admin${n}-${made}@example.com`)).toHaveLength(1);
  const other = await makePartner(platform, `beside-${n}`);
  expect((await invite(superadmin, `admin${n}-8@example.com`, other.slug, 'partneradmin')).status).toBe(200);
  expect(sentTo(superadmins.email)).toHaveLength(6);
});

test('fifty notices of a kind in 24 hours about a partner: the fiftieth says so, the fifty-first is not sent, and one is after them', async () => {
  await platform.services.pool.query(
    `INSERT INTO limits.field_calls (subject, calls) VALUES ($1, array_fill($2::timestamptz, ARRAY[49]))`,
    [`mail/notice/admin/day/${slug}`, clock.now()],
  );
  const notices = async (email: string) => {
    expect((await invite(admin, email, slug, 'partneradmin')).status).toBe(200);
    return sentTo(admin.email).map(({ text }) => text.includes('No more emails of this kind are sent'));
  };
  clock.advance(24 * hourMs - 1);
  expect(await notices(`daily${n}-1@example.com`)).toEqual([true]);
  expect(await notices(`daily${n}-2@example.com`)).toEqual([true]);
  clock.advance(1);
  expect(await notices(`daily${n}-3@example.com`)).toEqual([true, false]);
});
