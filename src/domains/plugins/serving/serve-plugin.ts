import { queryRow, queryRows, type Sql, sql } from '../../../database/sql.ts';
import type { JsonObject } from '../../../graph/builder.ts';
import type { Services } from '../../../services.ts';
import type { Language } from '../../../theme/words.ts';
import { defaultPageOf, type ManifestPage } from '../deployments/manifest.ts';
import { defaultConfig } from '../instances/configure.ts';
import { type BlobCache, buildPage, isHashOf, type PageCaches, sizeOf, withHashedAddresses } from './pages.ts';

type Pool = Services['pool'];

/** A plugin at an address, read in one statement. */
interface ServedPlugin {
  /** Changes with everything that determines the pages: deployments that overwrite it, and every configuration. */
  version: string;
  basePath: string;
  storeId: string;
  platformAccountId: string;
  deploymentId: string;
  config: JsonObject;
  pages: ManifestPage[];
}

export interface StoredAsset {
  path: string;
  contentType: string;
  sha256: string;
}

/** Finds the plugin that serves a path: the mount with the longest base path, or a deployment in place of the alias. */
function findServedPlugin(
  pool: Pool,
  { storeId, alias, path }: { storeId: string; alias: string; path: string },
): Promise<ServedPlugin | undefined> {
  // The id of a deployment shows it before it is mounted. An alias cannot contain "_".
  return alias.startsWith('dep_') ? findDeployment(pool, storeId, alias) : findMount(pool, storeId, alias, path);
}

/**
 * The condition of active owners: nothing is served for an account that is not active or a partner that is suspended or
 * offboarded.
 */
const activeOwners: Sql = sql`
  JOIN processing_accounts a
    ON a.id = d."platformAccountId" AND a.status IN ('active', 'pending_operator_assignment')
  JOIN partners p
    ON p.id = d."partnerId" AND p.status NOT IN ('suspended', 'offboarded')`;

function findMount(pool: Pool, storeId: string, alias: string, path: string): Promise<ServedPlugin | undefined> {
  return queryRow<ServedPlugin>(
    pool,
    sql`
      SELECT
        concat_ws(':', d.id, d.sequence, i.id, i."configVersion") AS version,
        m."basePath",
        m."storeId",
        m."platformAccountId",
        d.id AS "deploymentId",
        i.config,
        d.manifest->'pages' AS pages
      FROM plugin_mounts m
      JOIN plugin_instances i ON i.id = m."deploymentInstanceId"
      JOIN plugin_deployments d ON d.id = i."deploymentId"
      ${activeOwners}
      WHERE m."storeId" = ${storeId}
        AND m.alias = ${alias}
        AND (m."basePath" = '/' OR m."basePath" = ${path} OR starts_with(${path}, m."basePath" || '/'))
      ORDER BY length(m."basePath") DESC
      LIMIT 1`,
  );
}

async function findDeployment(pool: Pool, storeId: string, deploymentId: string): Promise<ServedPlugin | undefined> {
  const row = await queryRow<Omit<ServedPlugin, 'config'> & { presets: JsonObject }>(
    pool,
    sql`
      SELECT
        concat_ws(':', d.id, d.sequence) AS version,
        '/' AS "basePath",
        d."storeId",
        d."platformAccountId",
        d.id AS "deploymentId",
        d.presets,
        d.manifest->'pages' AS pages
      FROM plugin_deployments d
      ${activeOwners}
      WHERE d."storeId" = ${storeId} AND d.id = ${deploymentId}`,
  );
  return row && { ...row, config: defaultConfig(row.presets) };
}

/** Returns the files of a deployment with these paths, or all of them. */
function findAssets(
  pool: Pool,
  deploymentId: string,
  { paths, all }: { paths: readonly string[]; all: boolean },
): Promise<StoredAsset[]> {
  return queryRows<StoredAsset>(
    pool,
    sql`
      SELECT a.path, a."contentType", a.sha256
      FROM plugin_assets a
      WHERE a."deploymentId" = ${deploymentId} AND (${all} OR a.path = ANY(${paths}))`,
  );
}

/**
 * Reads content by its hash, so that the hash of one version is never sent with the content of another. Undefined if
 * the file was overwritten in the meantime.
 */
async function contentOf(
  pool: Pool,
  blobs: BlobCache,
  platformAccountId: string,
  sha256: string,
): Promise<Buffer | undefined> {
  const cached = blobs.get(sha256);
  if (cached) return cached;
  const row = await queryRow<{ content: Buffer }>(
    pool,
    sql`
      SELECT content
      FROM plugin_blobs
      WHERE "platformAccountId" = ${platformAccountId} AND sha256 = ${sha256}`,
  );
  if (row) blobs.keep(sha256, row.content);
  return row?.content;
}

/** The answer to a browser. */
export type Answer =
  | { kind: 'none' }
  | { kind: 'redirect'; path: string }
  | { kind: 'page'; html: string; hash: string }
  | { kind: 'asset'; contentType: string; sha256: string; isHashed: boolean; content: Buffer | null };

export interface Requested {
  storeId: string;
  alias: string;
  /** The path below the alias, decoded: empty, or beginning with a slash. */
  path: string;
  /** The query parameters `v` (a hash) and `session` (a token). */
  version: string | null;
  session: string | null;
  /** The language of the platform's texts for the visitor. */
  locale: Language;
  /** Whether the browser has cached the content with this hash. */
  isKnown(hash: string): boolean;
}

/**
 * Returns the page or file at an address under `/p`. Files are cached by their hash, and pages by the versions of the
 * plugin and its configuration, which are read every time, so that a new one is live immediately in every process.
 */
export async function servePlugin(
  cached: { pool: Services['pool']; blobs: BlobCache; pages: PageCaches },
  requested: Requested,
): Promise<Answer> {
  const { pool, blobs, pages } = cached;
  const served = await findServedPlugin(pool, requested);
  if (!served) return { kind: 'none' };
  const { storeId, platformAccountId, deploymentId, config } = served;
  const basePath = served.basePath === '/' ? '' : served.basePath;
  const root = `/p/${requested.storeId}/${requested.alias}${basePath}`;
  const below = requested.path.slice(basePath.length);
  // Without the slash, relative addresses in the page would resolve outside the plugin.
  if (below === '') return { kind: 'redirect', path: `${root}/` };
  const page = pageAt(served, below);
  const key = JSON.stringify([served.version, root, page?.path ?? below]);
  const data = { config, storeId, locale: requested.locale, session: requested.session };
  const frame = pages.frames.get(key);
  if (frame) return { kind: 'page', ...buildPage(pages, key, frame, data) };
  const paths = page ? htmlPathsOf(page) : [below.slice(1)];
  const assets = await findAssets(pool, deploymentId, { paths, all: page !== undefined || below.endsWith('.html') });
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  const asset = page ? htmlOf(paths, byPath) : byPath.get(below.slice(1));
  if (!asset) return { kind: 'none' };
  const { contentType, sha256 } = asset;
  const isFile = contentType !== 'text/html';
  const content = isFile && requested.isKnown(sha256) ? null : await contentOf(pool, blobs, platformAccountId, sha256);
  // The version was overwritten between the two statements; the next attempt reads the new one.
  if (content === undefined) return servePlugin(cached, requested);
  if (isFile) return { kind: 'asset', contentType, sha256, isHashed: isHashOf(requested.version, sha256), content };
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
 * Returns the possible paths of the HTML of a page, in order of preference. A plugin that renders its pages by script
 * has only index.html.
 */
function htmlPathsOf({ path }: ManifestPage): string[] {
  const name = path.slice(1);
  return [...(name === '' ? [] : [`${name}.html`, `${name}/index.html`]), 'index.html'];
}

function htmlOf(paths: readonly string[], assets: ReadonlyMap<string, StoredAsset>): StoredAsset | undefined {
  return paths.map((path) => assets.get(path)).find((asset) => asset?.contentType === 'text/html');
}
