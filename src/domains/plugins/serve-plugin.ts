import type { Language } from '../../look/languages.ts';
import type { Services } from '../../services.ts';
import type { BlobCache } from './blob-cache.ts';
import { defaultPageOf, type ManifestPage } from './manifest.ts';
import { buildPage, type PageCaches, sizeOf } from './page-cache.ts';
import { isHashOf, withHashedAddresses } from './page-html.ts';
import { contentOf, findAssets, findServedPlugin, type ServedPlugin, type StoredAsset } from './served-plugin.ts';

/** The answer to a browser. */
export type Answer =
  | { kind: 'none' }
  | { kind: 'redirect'; path: string }
  | { kind: 'page'; html: string; hash: string }
  | { kind: 'asset'; contentType: string; sha256: string; isHashed: boolean; content: Buffer | null };

export interface Asked {
  storeId: string;
  alias: string;
  /** The path below the alias, decoded: empty, or beginning with a slash. */
  path: string;
  /** The query parameters `v` (a hash) and `session` (a token). */
  version: string | null;
  session: string | null;
  /** The language in which the platform speaks to the visitor. */
  locale: Language;
  /** The hashes of the content that the browser has cached. */
  known: string[];
}

/**
 * Returns the page or file at an address under `/p`. Files are cached by their hash, and pages by the versions of the
 * plugin and its configuration, which are read every time: a new one is live at once in every process.
 */
export async function servePlugin(
  cached: { pool: Services['pool']; blobs: BlobCache; pages: PageCaches },
  asked: Asked,
): Promise<Answer> {
  const { pool, blobs, pages } = cached;
  const served = await findServedPlugin(pool, asked);
  if (!served) return { kind: 'none' };
  const { storeId, platformAccountId, deploymentId, config } = served;
  const basePath = served.basePath === '/' ? '' : served.basePath;
  const root = `/p/${asked.storeId}/${asked.alias}${basePath}`;
  const below = asked.path.slice(basePath.length);
  // Without the slash, relative addresses in the page would resolve outside the plugin.
  if (below === '') return { kind: 'redirect', path: `${root}/` };
  const page = pageAt(served, below);
  const key = JSON.stringify([served.version, root, page?.path ?? below]);
  const data = { config, storeId, locale: asked.locale, session: asked.session };
  const frame = pages.frames.get(key);
  if (frame) return { kind: 'page', ...buildPage(pages, key, frame, data) };
  const paths = page ? htmlPathsOf(page) : [below.slice(1)];
  const assets = await findAssets(pool, deploymentId, { paths, all: page !== undefined || below.endsWith('.html') });
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  const asset = page ? htmlOf(paths, byPath) : byPath.get(below.slice(1));
  if (!asset) return { kind: 'none' };
  const { contentType, sha256 } = asset;
  const isFile = contentType !== 'text/html';
  const isKnown = isFile && asked.known.includes(sha256);
  const content = isKnown ? null : await contentOf(pool, blobs, platformAccountId, sha256);
  // The version was overwritten between the two statements; the next attempt reads the new one.
  if (content === undefined) return servePlugin(cached, asked);
  if (isFile) return { kind: 'asset', contentType, sha256, isHashed: isHashOf(asked.version, sha256), content };
  const html = withHashedAddresses(content?.toString('utf8') ?? '', asset.path, root, byPath);
  const shown = { path: page?.path ?? `/${asset.path}`, name: page?.name ?? null };
  const made = { html, page: shown, length: sizeOf(html) };
  pages.frames.keep(key, made);
  return { kind: 'page', ...buildPage(pages, key, made, data) };
}

function pageAt({ pages }: ServedPlugin, below: string): ManifestPage | undefined {
  const path = below === '/' ? '/' : below.replace(/\/$/, '');
  return pages.find((page) => page.path === path) ?? (path === '/' ? defaultPageOf(pages) : undefined);
}

/**
 * Returns where the HTML of a page may be, in order of preference. A plugin that renders its pages by script has only
 * index.html.
 */
function htmlPathsOf({ path }: ManifestPage): string[] {
  const name = path.slice(1);
  return [...(name === '' ? [] : [`${name}.html`, `${name}/index.html`]), 'index.html'];
}

function htmlOf(paths: readonly string[], assets: ReadonlyMap<string, StoredAsset>): StoredAsset | undefined {
  return paths.map((path) => assets.get(path)).find((asset) => asset?.contentType === 'text/html');
}
