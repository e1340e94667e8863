import { createHash } from 'node:crypto';
import type { Env } from '../env.ts';
import type { BlobCache } from './blob-cache.ts';
import type { JsonObject } from '../graph/builder.ts';
import { initialConfig } from './configs.ts';
import { defaultPageOf, type Page } from './manifest.ts';

/** A plugin at an address: what the statement below finds, whole and as it is at this moment. */
interface Served {
  basePath: string;
  storeId: string;
  platformAccountId: string;
  deploymentId: string;
  config: JsonObject;
  pages: Page[];
}

interface KeptAsset {
  path: string;
  contentType: string;
  sha256: string;
}

/** An answer to a browser. */
export type Answer =
  | { kind: 'none' }
  | { kind: 'redirect'; path: string }
  | { kind: 'page'; html: string }
  | { kind: 'asset'; contentType: string; sha256: string; isHashed: boolean; content: Buffer | null };

export interface Asked {
  storeId: string;
  alias: string;
  /** Below the alias, decoded; empty, or beginning with a slash. */
  path: string;
  /** The parameters `v` (a hash) and `session` (a token) of the address. */
  version: string | null;
  session: string | null;
  /** The hashes of what the browser has already. */
  known: string[];
}

/** What is at an address under `/p`. Nothing but bytes by their hash is remembered between two requests, so a new configuration is live at once, on every process. */
export async function servePlugin(
  { pool, blobs }: { pool: Env['pool']; blobs: BlobCache },
  asked: Asked,
): Promise<Answer> {
  const served = await findServed(pool, asked);
  if (!served) return { kind: 'none' };
  const root = `/p/${asked.storeId}/${asked.alias}${served.basePath === '/' ? '' : served.basePath}`;
  const below = asked.path.slice(served.basePath === '/' ? 0 : served.basePath.length);
  // Without the slash, relative addresses in the page would lead beside the plugin.
  if (below === '') return { kind: 'redirect', path: `${root}/` };
  const path = below === '/' ? '/' : below.replace(/\/$/, '');
  const page =
    served.pages.find((candidate) => candidate.path === path) ??
    (path === '/' ? defaultPageOf(served.pages) : undefined);
  const { rows: assets } = await pool.query<KeptAsset>({
    name: 'plugin-assets',
    text: assetsStatement,
    values: [
      served.deploymentId,
      page ? htmlPathsOf(page) : [below.slice(1)],
      page !== undefined || below.endsWith('.html'),
    ],
  });
  const byPath = new Map(assets.map((asset) => [asset.path, asset]));
  const asset = page
    ? htmlPathsOf(page)
        .map((candidate) => byPath.get(candidate))
        .find((candidate) => candidate?.contentType === 'text/html')
    : byPath.get(below.slice(1));
  if (!asset) return { kind: 'none' };
  const isFile = asset.contentType !== 'text/html';
  const content =
    isFile && asked.known.includes(asset.sha256)
      ? null
      : await bytesOf(pool, blobs, served.platformAccountId, asset.sha256);
  if (content === undefined) return servePlugin({ pool, blobs }, asked);
  if (isFile)
    return {
      kind: 'asset',
      contentType: asset.contentType,
      sha256: asset.sha256,
      isHashed: isHashOf(asked.version, asset.sha256),
      content,
    };
  const data = {
    config: served.config,
    page: { path: page?.path ?? `/${asset.path}`, name: page?.name ?? null },
    storeId: served.storeId,
    ...(asked.session !== null && { session: { token: asked.session } }),
  };
  return {
    kind: 'page',
    html: withData(withHashedAddresses(content?.toString('utf8') ?? '', asset.path, root, byPath), data),
  };
}

const standing = `JOIN processing_accounts a ON a.id = d."platformAccountId" AND a.status IN ('active', 'pending_operator_assignment')
JOIN partners p ON p.id = d."partnerId" AND p.status NOT IN ('suspended', 'offboarded')`;

const mountedStatement = `SELECT m."basePath", m."storeId", m."platformAccountId", d.id AS "deploymentId", i.config, d.manifest->'pages' AS pages
FROM plugin_mounts m JOIN plugin_instances i ON i.id = m."deploymentInstanceId" JOIN plugin_deployments d ON d.id = i."deploymentId" ${standing}
WHERE m."storeId" = $1 AND m.alias = $2 AND (m."basePath" = '/' OR m."basePath" = $3 OR starts_with($3, m."basePath" || '/')) ORDER BY length(m."basePath") DESC LIMIT 1`;

const previewStatement = `SELECT '/' AS "basePath", d."storeId", d."platformAccountId", d.id AS "deploymentId", d.presets, d.manifest->'pages' AS pages FROM plugin_deployments d ${standing} WHERE d."storeId" = $1 AND d.id = $2`;

async function findServed(pool: Env['pool'], { storeId, alias, path }: Asked): Promise<Served | undefined> {
  // A deployment's own id in place of an alias shows it before it is mounted. No alias can look like one.
  if (!alias.startsWith('dep_'))
    return (
      await pool.query<Served>({ name: 'plugin-mounted', text: mountedStatement, values: [storeId, alias, path] })
    ).rows[0];
  const { rows } = await pool.query<Served & { presets: JsonObject }>({
    name: 'plugin-preview',
    text: previewStatement,
    values: [storeId, alias],
  });
  return rows[0] && { ...rows[0], config: initialConfig(rows[0].presets) };
}

const assetsStatement = `SELECT a.path, a."contentType", a.sha256 FROM plugin_assets a WHERE a."deploymentId" = $1 AND ($3 OR a.path = ANY($2))`;

/** Bytes are asked for by their hash, so that never the hash of one version goes with the bytes of another. Undefined when the file was deployed over in this moment: then it is another one's turn. */
async function bytesOf(
  pool: Env['pool'],
  blobs: BlobCache,
  platformAccountId: string,
  sha256: string,
): Promise<Buffer | undefined> {
  const known = blobs.get(sha256);
  if (known) return known;
  const text = 'SELECT content FROM plugin_blobs WHERE "platformAccountId" = $1 AND sha256 = $2';
  const { rows } = await pool.query<{ content: Buffer }>({
    name: 'plugin-blob',
    text,
    values: [platformAccountId, sha256],
  });
  if (rows[0]) blobs.keep(sha256, rows[0].content);
  return rows[0]?.content;
}

/** Where the HTML of a page may be, the closest first. A plugin that draws all its pages by script has one index.html. */
function htmlPathsOf({ path }: Page): string[] {
  const name = path.slice(1);
  return [...(name === '' ? [] : [`${name}.html`, `${name}/index.html`]), 'index.html'];
}

const hashShownLength = 16;

function isHashOf(version: string | null, sha256: string): boolean {
  return version !== null && version.length >= hashShownLength && sha256.startsWith(version);
}

/** Names of the plugin's own files in the page get their hash behind them, so that a browser may keep them for ever. What is not found stays as it is and works, too. */
function withHashedAddresses(
  html: string,
  htmlPath: string,
  root: string,
  assets: ReadonlyMap<string, KeptAsset>,
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

/** The data as a block of JSON before everything else in the head. It is no script to a browser, and no text in it can end it. */
function withData(html: string, data: object): string {
  const json = JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const block = `<script type="application/json" id="plugin-data">${json}</script>`;
  const head =
    /<head(?:\s[^<>]*)?>/i.exec(html) ?? /<html(?:\s[^<>]*)?>/i.exec(html) ?? /^\s*<!doctype[^<>]*>/i.exec(html);
  const at = head ? head.index + head[0].length : 0;
  return html.slice(0, at) + block + html.slice(at);
}

/** Names what is sent, so that a browser can ask whether it is still the same. */
export function hashOf(body: string): string {
  return createHash('sha256').update(body).digest('base64url');
}
