import { createHash } from 'node:crypto';
import type { StoredAsset } from './serve-plugin.ts';

/** The length of the hash in an address. */
const hashShownLength = 16;

/** Whether the parameter `v` of an address names this content, so that the answer never changes. */
export function isHashOf(version: string | null, sha256: string): boolean {
  return version !== null && version.length >= hashShownLength && sha256.startsWith(version);
}

/**
 * Adds the hash of a file to its addresses in a page, so that browsers can cache the file permanently. An address that
 * names no file of the plugin is left unchanged.
 */
export function withHashedAddresses(
  html: string,
  htmlPath: string,
  root: string,
  assets: ReadonlyMap<string, StoredAsset>,
): string {
  return html.replace(
    /(<(?:script|link|img|source|video|audio)\b[^<>]*?\s(?:src|href)=)(?:"([^"<>]*)"|'([^'<>]*)')/gi,
    (whole, before: string, double?: string, single?: string) => {
      const url = URL.parse(double ?? single ?? '', `http://plugin/${htmlPath}`);
      const asset =
        url?.origin === 'http://plugin' && url.search === '' ? assets.get(url.pathname.slice(1)) : undefined;
      return asset ? `${before}"${root}/${asset.path}?v=${asset.sha256.slice(0, hashShownLength)}"` : whole;
    },
  );
}

/**
 * Inserts data as a JSON block at the start of the head. Browsers do not run it, and no string in it can end the block.
 */
function withData(html: string, data: object): string {
  const json = JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const block = `<script type="application/json" id="plugin-data">${json}</script>`;
  const head =
    /<head(?:\s[^<>]*)?>/i.exec(html) ?? /<html(?:\s[^<>]*)?>/i.exec(html) ?? /^\s*<!doctype[^<>]*>/i.exec(html);
  const position = head ? head.index + head[0].length : 0;
  return html.slice(0, position) + block + html.slice(position);
}

/** Content by its key. The key changes with the content, so only access to it is checked on every request. */
export interface BlobCache<Content extends { length: number } = Buffer> {
  get(key: string): Content | undefined;
  keep(key: string, content: Content): void;
}

/** A least-recently-used cache of at most `bytesMax` in this process. Content above an eighth of that is not cached. */
export function blobCache<Content extends { length: number } = Buffer>(
  bytesMax = 32 * 1024 * 1024,
): BlobCache<Content> {
  const blobs = new Map<string, Content>();
  let bytes = 0;
  return {
    get(key) {
      const content = blobs.get(key);
      if (content) {
        blobs.delete(key);
        blobs.set(key, content);
      }
      return content;
    },
    keep(key, content) {
      if (content.length > bytesMax / 8 || blobs.has(key)) return;
      blobs.set(key, content);
      bytes += content.length;
      for (const [oldest, { length }] of blobs) {
        if (bytes <= bytesMax) return;
        blobs.delete(oldest);
        bytes -= length;
      }
    },
  };
}

/** A page with the addresses of its files, and without the data of a visit. */
interface PageFrame {
  html: string;
  /** As the data of the page names it. */
  page: { path: string; name: string | null };
  length: number;
}

/** A page as it is sent, with its ETag. */
export interface BuiltPage {
  html: string;
  hash: string;
  length: number;
}

/**
 * The cached pages of plugins in this process, by the version of the plugin, the version of its configuration, and
 * their address.
 */
export interface PageCaches {
  frames: BlobCache<PageFrame>;
  built: BlobCache<BuiltPage>;
}

/** An eighth of it is enough for the page of the largest HTML file. */
const bytesMax = 32 * 1024 * 1024;

export function pageCaches(): PageCaches {
  return { frames: blobCache(bytesMax), built: blobCache(bytesMax) };
}

/** A string takes up to two bytes a character. */
export function sizeOf(html: string): number {
  return 2 * html.length;
}

/** Builds and hashes a page once. A page with the token of a session is built from its frame, and not cached. */
export function buildPage(
  { built }: PageCaches,
  key: string,
  { html: frame, page }: PageFrame,
  { session, ...data }: { config: object; storeId: string; locale: string; session: string | null },
): BuiltPage {
  const builtKey = `${data.locale} ${key}`;
  const known = session === null ? built.get(builtKey) : undefined;
  if (known) return known;
  const html = withData(frame, {
    config: data.config,
    page,
    storeId: data.storeId,
    locale: data.locale,
    ...(session !== null && { session: { token: session } }),
  });
  const made = { html, hash: createHash('sha256').update(html).digest('base64url'), length: sizeOf(html) };
  if (session === null) built.keep(builtKey, made);
  return made;
}
