// cspell:ignore Passwort vergessen Fjoin Seite nicht gefunden
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { languageFor } from '../../../rest/engine/reader.ts';
import { contrast, paletteOf } from '../../../src/theme/brand.ts';
import de from '../../../src/theme/texts/de.json' with { type: 'json' };
import en from '../../../src/theme/texts/en.json' with { type: 'json' };
import { languageNamed } from '../../../src/theme/words.ts';
import { startTestPlatform, type TestPlatform } from '../../support/platform.ts';

const root = join(import.meta.dirname, '../../..');
const sources = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', 'src', 'rest', 'prisma'],
  {
    cwd: root,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => /\.(ts|js)$/.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

describe('the catalogs', () => {
  const marksOf = (text: string) => (text.match(/\{\{\w+\}\}|<[^>]+>/g) ?? []).sort();

  test('every text exists in every language, with the same placeholders and markup, and none is empty', () => {
    expect(Object.keys(de)).toEqual(Object.keys(en));
    for (const [key, text] of Object.entries(en)) {
      const other = de[key as keyof typeof en];
      expect([key, marksOf(other), other.trim() !== '']).toEqual([key, marksOf(text), true]);
    }
  });

  test('no text is unused', () => {
    const isUsed = (key: string) =>
      sources.includes(`'${key}'`) || (key.endsWith('.text') && sources.includes(`'${key.slice(0, -5)}'`));
    expect(Object.keys(en).filter((key) => !isUsed(key))).toEqual([]);
  });
});

describe('the language of a page', () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform({ identityProvider: 'embedded' });
  });
  afterAll(() => platform?.close());

  const open = async (path: string, headers: Record<string, string> = {}) => {
    const page = await fetch(platform.url + path, { headers: { Accept: 'text/html', ...headers } });
    const html = await page.text();
    return { page, html, language: /<html lang="(\w+)">/.exec(html)?.[1] };
  };

  test('is that of ?lang=, then the remembered one, then the best of Accept-Language, then English', async () => {
    expect((await open('/idp/sign-in')).language).toBe('en');
    const { page, html } = await open('/idp/sign-in', { 'Accept-Language': 'fr, de-AT;q=0.8, en;q=0.5' });
    expect([page.headers.get('Content-Language'), page.headers.get('Vary')]).toEqual([
      'de',
      'Accept, Accept-Language, Cookie',
    ]);
    expect(html).toContain('Passwort vergessen?');
    const requested = await open('/idp/sign-in?redirect=%2Fjoin&lang=en', { 'Accept-Language': 'de' });
    expect([requested.language, requested.page.headers.getSetCookie()[0]]).toEqual([
      'en',
      'lang=en; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
    ]);
    // The other language keeps what else stands in the address.
    expect(requested.html).toContain('href="?redirect=%2Fjoin&#38;lang=de"');
    expect((await open('/idp/sign-in', { Cookie: 'lang=de', 'Accept-Language': 'en' })).language).toBe('de');
    for (const strange of ['?lang=fr', '?lang=%22%3E', '?lang=constructor', '?lang='])
      expect([strange, (await open(`/idp/sign-in${strange}`, { 'Accept-Language': 'de' })).language]).toEqual([
        strange,
        'de',
      ]);
  });

  test('is that of errors too; what the API says of them stays English', async () => {
    const gone = await open('/checkout/funnels/fun_gone', { 'Accept-Language': 'de' });
    expect([gone.page.status, gone.language, gone.html.includes('Seite nicht gefunden')]).toEqual([404, 'de', true]);
    const json = await fetch(`${platform.url}/nothing`, { headers: { 'Accept-Language': 'de' } });
    expect((await json.json()).message).toBe('Path not found.');
  });

  test('the style, the script and the mark are kept forever, with a hash in their address and an ETag', async () => {
    const { html } = await open('/idp/sign-in');
    const urls = [...html.matchAll(/"\.\.\/(assets\/[^"]+)"/g)].map(([, url = '']) => url);
    expect([...new Set(urls.map((url) => /\w+$/.exec(url)?.[0]))].sort()).toEqual(['css', 'js', 'svg']);
    for (const url of urls) {
      const file = await fetch(`${platform.url}/${url}`);
      expect([file.status, file.headers.get('Cache-Control'), file.headers.get('ETag')]).toEqual([
        200,
        'public, max-age=31536000, immutable',
        expect.stringMatching(/^"[0-9a-f]{16}-\w+"$/),
      ]);
    }
    expect(html).not.toMatch(/<script>|<style>|style=/);
  });
});

test('weights decide between the languages of a browser, and what is no language is passed over', () => {
  const languageOf = (accepted: string) => languageFor({ headers: { 'accept-language': accepted } });
  expect(['en;q=0.1, de;q=0.2', 'de;q=0, *', 'fr', 'x;q=y, '].map(languageOf)).toEqual(['de', 'en', 'en', 'en']);
  expect(languageFor({ headers: {} })).toBe('en');
  expect([languageNamed('DE-at'), languageNamed('deutsch'), languageNamed(['de']), languageNamed('')]).toEqual([
    'de',
    undefined,
    undefined,
    undefined,
  ]);
});

test('every color of a partner becomes one that can be read, on the light and the dark screen', () => {
  const byte = fc.integer({ min: 0, max: 255 }).map((value) => value.toString(16).padStart(2, '0'));
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte), (bytes) => {
      const palette = paletteOf(`#${bytes.join('')}`);
      if (!palette) return false;
      const { accent, onAccent, link } = palette;
      const grounds = [
        contrast(link.light, '#f4f5f8'),
        contrast(link.light, '#ffffff'),
        contrast(link.dark, '#191d24'),
      ];
      return [contrast(accent, onAccent), ...grounds].every((found) => found >= 4.5);
    }),
  );
  expect(['#12345', '#1234567', 'red', '#fff;}', '#ffff'].map(paletteOf)).toEqual(Array(5).fill(undefined));
});
