import { createHash } from 'node:crypto';
import { type BlobCache, blobCache } from './blob-cache.ts';
import { withData } from './page-html.ts';

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

/** The pages of plugins in this process, by the version of the plugin, of its configuration, and their address. */
export interface PageCaches {
  frames: BlobCache<PageFrame>;
  built: BlobCache<BuiltPage>;
}

/** An eighth of it holds the page of the largest HTML file. */
const bytesMax = 32 * 1024 * 1024;

export function pageCaches(): PageCaches {
  return { frames: blobCache(bytesMax), built: blobCache(bytesMax) };
}

/** A string takes up to two bytes a character. */
export function sizeOf(html: string): number {
  return 2 * html.length;
}

/** Builds and hashes a page once. One with the token of a session is built of its frame, and not kept. */
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
