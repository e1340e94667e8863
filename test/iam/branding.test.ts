// cspell:ignore Einladung annehmen einmal und sieben Tage lang Ihr Passwort geändert lädt wurde eingeladen läuft Tagen
import { describe, expect, test } from 'vitest';
import type { Mail } from '../../src/ports/mailer.ts';
import { logoPath, readLogo } from '../../src/theme/logo.ts';
import { dataUrlOf, jpegHeader, pngOf, webpHeader } from '../support/images.ts';
import { usePlatform } from '../support/platform.ts';
import { makePartner, makePerson, password, signedIn } from './people.ts';

const mails: Mail[] = [];
let n = 0;

const platform = await usePlatform({ identityProvider: 'embedded' });
platform.services.mailer = { kind: 'kept', send: async (mail) => void mails.push(mail) };
const superadmin = await signedIn(platform, { platformRoles: ['superadmin'] });
const { slug } = await makePartner(platform, 'acme');

const patch = (branding: object | null) => superadmin.iam('/partners-admin/update', { slug, branding });
const shownLogo = async () => (await superadmin.iam('/partners-admin/get', { slug })).body.partner.branding.logoImage;
const get = (path: string, headers: Record<string, string> = {}) => fetch(platform.url + path, { headers });

describe("a partner's logo", () => {
  const png = pngOf(64, 32);

  test.each([
    ['PNG of 16 by 16 pixels', pngOf(16, 16), 'image/png', 'png'],
    ['PNG of 32,768 bytes', pngOf(64, 64, { bytes: 32_768 }), 'image/png', 'png'],
    ['JPEG of 2,048 by 2,048 pixels', jpegHeader(2_048, 2_048), 'image/jpeg', 'jpg'],
    ['WebP of 2,048 by 16 pixels', webpHeader(2_048, 16), 'image/webp', 'webp'],
  ])('200 for a %s: it is read as a path, under which the bytes are served for ever', async (_, image, type, suffix) => {
    const { status, body } = await patch({ logoImage: dataUrlOf(image, type) });
    expect(status).toBe(200);
    const { logoImage } = body.partner.branding;
    expect(logoImage).toMatch(new RegExp(`^/brand/[0-9a-f]{64}-\\d+x\\d+\\.${suffix}$`));
    const answer = await get(logoImage);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(image);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
    });
    const etag = answer.headers.get('etag') ?? '';
    expect((await get(logoImage, { 'If-None-Match': etag, 'Cache-Control': 'max-age=0' })).status).toBe(304);
  });

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"/>');
  test.each<[string, unknown, string]>([
    ['32,769 bytes', dataUrlOf(pngOf(64, 64, { bytes: 32_769 })), 'at most 32768 bytes'],
    ['a megabyte', `data:image/png;base64,${'A'.repeat(1_000_000)}`, 'at most 32768 bytes'],
    ['15 pixels of width', dataUrlOf(pngOf(15, 16)), '16 to 2048 pixels wide and high; it is 15 × 16'],
    ['2,049 pixels of height', dataUrlOf(pngOf(16, 2_049)), 'it is 16 × 2049'],
    ['2,049 pixels of a WebP', dataUrlOf(webpHeader(2_049, 16), 'image/webp'), 'it is 2049 × 16'],
    ['an SVG', dataUrlOf(svg, 'image/svg+xml'), 'PNG, JPEG or WebP'],
    ['an SVG that says it is a PNG', dataUrlOf(svg), 'PNG, JPEG or WebP'],
    ['a JPEG that says it is a PNG', dataUrlOf(jpegHeader(64, 64)), 'declared as image/png and contains image/jpeg'],
    ['a PNG cut off in its header', dataUrlOf(png.subarray(0, 18)), 'pixels wide and high'],
    ['a JPEG without a size', dataUrlOf(jpegHeader(64, 64).subarray(0, 20), 'image/jpeg'), 'size cannot be read'],
    ['a data URL that is not base64', 'data:image/png,abc', 'as a data URL'],
    ['an address', 'https://acme.example/logo.png', 'as a data URL'],
    ['the path of no logo', `/brand/${'0'.repeat(64)}-64x64.png`, 'as a data URL'],
    ['a number', 7, 'as a data URL'],
  ])('422 names the key and the bound for %s, and the logo stays', async (_, logoImage, words) => {
    await patch({ logoImage: dataUrlOf(png) });
    const { status, body } = await patch({ logoImage, displayName: 'Changed' });
    expect(status).toBe(422);
    expect(body.message).toContain(': branding.logoImage ');
    expect(body.message).toContain(words);
    expect(await shownLogo()).toBe(logoPath({ file: fileOf(png) }));
    expect((await superadmin.iam('/partners-admin/get', { slug })).body.partner.branding.displayName).toBeUndefined();
  });

  test('what was read may be written back; another image replaces it, and null or no branding removes it', async () => {
    await patch({ logoImage: dataUrlOf(png) });
    const first = await shownLogo();
    expect((await patch({ logoImage: first, primaryColor: '#123456' })).status).toBe(200);
    expect((await get(first)).status).toBe(200);
    await patch({ logoImage: dataUrlOf(pngOf(48, 48)) });
    expect([(await get(first)).status, (await get(await shownLogo())).status]).toEqual([404, 200]);
    for (const removal of [{ logoImage: null }, null]) {
      await patch({ logoImage: dataUrlOf(png) });
      expect((await get(first)).status).toBe(200);
      expect((await patch(removal)).body.partner.branding.logoImage).toBeUndefined();
      expect((await get(first)).status).toBe(404);
    }
  });

  test('two partners with one image: either may remove its own', async () => {
    const other = await makePartner(platform, `other-${++n}`);
    const image = { branding: { logoImage: dataUrlOf(pngOf(40, 40)) } };
    for (const each of [slug, other.slug]) await superadmin.iam('/partners-admin/update', { slug: each, ...image });
    const path = await shownLogo();
    await patch({ logoImage: null });
    expect((await get(path)).status).toBe(200);
    await superadmin.iam('/partners-admin/update', { slug: other.slug, branding: { logoImage: null } });
    expect((await get(path)).status).toBe(404);
  });

  test('is set as well when a partner is created, and over GraphQL; the audit log has its path, not the image', async () => {
    const logoImage = dataUrlOf(png);
    const created = await superadmin.iam('/partners-admin/create', {
      name: 'Born',
      slug: `born-${++n}`,
      branding: { logoImage },
    });
    expect(created.body.partner.branding.logoImage).toBe(logoPath({ file: fileOf(png) }));
    const { data } = await superadmin.graphql(
      'mutation ($input: UpdatePartnerInput!) { updatePartner(input: $input) { branding } }',
      { input: { slug, branding: { logoImage } } },
    );
    expect(data.updatePartner.branding.logoImage).toBe(logoPath({ file: fileOf(png) }));
    const rows = JSON.stringify(
      await platform.services.prisma.auditRow.findMany({ select: { before: true, after: true } }),
    );
    expect([rows.includes('/brand/'), rows.includes('base64')]).toEqual([true, false]);
  });

  test.each([
    '/brand/',
    '/brand/x.png',
    `/brand/${'0'.repeat(64)}-64x64.svg`,
    `/brand/${'0'.repeat(64)}-64x64.png`,
  ])('404 for %s', async (path) => expect((await get(path)).status).toBe(404));
});

describe('mail', () => {
  const invite = async (branding: object, headers: Record<string, string> = {}): Promise<Mail | undefined> => {
    await patch({ language: null, displayName: null, logoImage: null, primaryColor: null, ...branding });
    const email = `invited-${++n}@example.com`;
    const answer = await superadmin.iam('/partners/acme/staff/invite', { email, roles: ['accountmanager'] }, headers);
    expect(answer.status).toBe(200);
    return mails.findLast(({ to }) => to === email);
  };

  test("an invitation is in the language of the partner's branding, else of the person who invites, else English", async () => {
    const german = { 'Accept-Language': 'de-AT,de;q=0.9' };
    expect((await invite({}))?.subject).toMatch(/ has invited you$/);
    expect((await invite({}, german))?.subject).toMatch(/ hat Sie eingeladen$/);
    expect((await invite({ language: 'en' }, german))?.subject).toMatch(/ has invited you$/);
    const mail = await invite({ language: 'de' });
    expect(mail?.html).toContain('<html lang="de">');
    expect(mail?.html).toContain('>Einladung annehmen</a>');
    expect(mail?.text).toContain('Der Link gilt einmal und läuft in sieben Tagen ab.');
    const { status, body } = await patch({ language: 'fr' });
    expect([status, body.message.includes('branding.language must be one of en, de')]).toEqual([422, true]);
  });

  test('text and HTML have the same content; the HTML has logo and colors, for light and dark, and loads nothing else', async () => {
    const logo = pngOf(120, 40);
    const mail = await invite({
      displayName: 'Acme\r\n<Pay>',
      primaryColor: '#f5d000',
      logoImage: dataUrlOf(logo),
      emailFooter: 'Acme & Co, Main Street',
    });
    expect(mail?.subject).toBe('Acme <Pay> has invited you');
    const url = /http\S+ticket=[\w-]+/.exec(mail?.text ?? '')?.[0] ?? 'none';
    const words = (mail?.html ?? '').replaceAll(/<style>[\s\S]*?<\/style>|<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    for (const line of ['The link works once and expires in seven days.', 'Acme &#38; Co, Main Street', url])
      expect(words).toContain(line);
    expect(mail?.text).toContain('Acme & Co, Main Street');
    // The text on the partner's bright yellow is black.
    expect(mail?.html).toMatch(/class="button"[^>]*background:#f5d000;color:#000000/);
    expect(mail?.html).toContain('@media (prefers-color-scheme: dark)');
    const sources = Array.from(mail?.html.matchAll(/(?:src|href)="([^"]+)"/g) ?? [], ([, source]) => source);
    expect([...new Set(sources)].sort()).toEqual([`${platform.url}${logoPath({ file: fileOf(logo) })}`, url].sort());
    expect(mail?.html).not.toMatch(/<script|<link|@import|url\(/);
    expect(mail?.html).toContain('alt="Acme &#60;Pay&#62;"');
  });

  test('an image more than twice as wide as high replaces the name, and one of twice the width stands beside it', async () => {
    const heading = async (width: number) => {
      const mail = await invite({ displayName: 'Acme Wide', logoImage: dataUrlOf(pngOf(width, 40)) });
      return [/alt="([^"]*)"/.exec(mail?.html ?? '')?.[1], mail?.html.includes('>Acme Wide</span>')];
    };
    expect(await heading(81)).toEqual(['Acme Wide', false]);
    expect(await heading(80)).toEqual(['', true]);
  });

  test('what a person asks for or does is written to them in the language of their browser', async () => {
    const person = await makePerson(platform);
    const post = (path: string, body: object, cookie = '') =>
      fetch(`${platform.url}/idp/${path}`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Accept-Language': 'de',
          Origin: platform.url,
          ...(cookie && { Cookie: cookie }),
        },
        body: JSON.stringify(body),
      });
    const signed = await post('sign-in/email', { email: person.email, password });
    const cookie = signed.headers.getSetCookie().map((each) => each.split(';')[0]);
    const changed = await post('account/password', { password, newPassword: `${password} 2` }, cookie.join('; '));
    expect(changed.status).toBe(200);
    expect(mails.at(-1)).toMatchObject({ to: person.email, subject: 'Ihr Passwort wurde geändert' });
    expect(mails.at(-1)?.html).toContain('<html lang="de">');
  });
});

function fileOf(image: Buffer): string {
  const read = readLogo(dataUrlOf(image));
  if ('problem' in read) throw new Error(read.problem);
  return read.file;
}
