import { createHash } from 'node:crypto';
import type { TenantContext } from '../../../call/context.ts';
import { sql } from '../../../database/sql.ts';
import type { PluginAsset, Prisma } from '../../../generated/prisma/client.ts';
import { issuesMax } from '../../../graph/input/check.ts';
import { Conflict, type InputIssue } from '../../../lib/errors.ts';
import { isTraversal } from './manifest.ts';
import type { DeploymentRow } from './rows.ts';

/** Content types by file extension. No other type can be deployed, so that no browser has to sniff one. */
const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  txt: 'text/plain',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  woff: 'font/woff',
  ttf: 'font/ttf',
  otf: 'font/otf',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  vtt: 'text/vtt',
  csv: 'text/csv',
  xml: 'application/xml',
  wasm: 'application/wasm',
  pdf: 'application/pdf',
};

const aliases: Readonly<Record<string, string>> = {
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'text/xml': 'application/xml',
  'image/jpg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
};

export const contentTypeList: readonly string[] = [...new Set(Object.values(contentTypes))];

/** Returns the content type of a file: the given one, or else that of its extension. Undefined if it is not allowed. */
function contentTypeOf(path: string, given: string | null | undefined): string | undefined {
  if (given == null) return contentTypes[/\.([a-z0-9]+)$/.exec(path.toLowerCase())?.[1] ?? ''];
  const [essence = '', charset] = given
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) return undefined;
  const type = aliases[essence] ?? essence;
  return contentTypeList.includes(type) ? type : undefined;
}

/** A file of a request. */
interface InlineAsset {
  path: string;
  content: string;
  contentType?: string | null | undefined;
}

/** A file to be stored. */
export interface Asset {
  path: string;
  contentType: string;
  size: number;
  sha256: string;
  content: Buffer;
}

export const assetsMax = 300;
const pathLengthMax = 200;
/** The addresses in a page are rewritten, which makes it up to five times larger. */
const htmlBytesMax = 384 * 1024;

/** Returns the files of a request, or the issues of them. */
export function readAssets(sent: readonly InlineAsset[]): { assets: Asset[]; issues: InputIssue[] } {
  if (sent.length > assetsMax)
    return { assets: [], issues: [{ path: 'inlineAssets', message: `must contain at most ${assetsMax} items` }] };
  const issues: InputIssue[] = [];
  const assets = new Map<string, Asset>();
  for (const [index, inline] of sent.entries()) {
    const asset = readAsset(inline, assets);
    if ('message' in asset) issues.push({ path: `inlineAssets[${index}].${asset.field}`, message: asset.message });
    else assets.set(asset.path, asset);
  }
  return { assets: [...assets.values()], issues: issues.slice(0, issuesMax) };
}

interface AssetIssue {
  field: keyof InlineAsset;
  message: string;
}

function readAsset(
  { path: given, content, contentType }: InlineAsset,
  others: ReadonlyMap<string, Asset>,
): Asset | AssetIssue {
  const path = given.replace(/^\.?\//, '');
  if (path.length > pathLengthMax || !/^[A-Za-z0-9._~@+-]+(\/[A-Za-z0-9._~@+-]+)*$/.test(path) || isTraversal(path))
    return { field: 'path', message: pathMessage };
  if (others.has(path)) return { field: 'path', message: 'must be unique: another asset has this path' };
  const type = contentTypeOf(path, contentType);
  if (type === undefined) return { field: 'contentType', message: contentTypeMessage };
  if (content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content))
    return { field: 'content', message: 'must be base64 of the standard alphabet, padded' };
  const bytes = Buffer.from(content, 'base64');
  if (type === 'text/html' && bytes.length > htmlBytesMax)
    return { field: 'content', message: `must be at most ${htmlBytesMax} bytes of HTML` };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { path, contentType: type, size: bytes.length, sha256, content: bytes };
}

const pathMessage =
  `must be a relative path of at most ${pathLengthMax} characters of A-Z, a-z, 0-9, ".", "_", "~", "@", "+" and "-" ` +
  'between slashes, without "." or ".." as a part';

const extensions = Object.keys(contentTypes).map((extension) => `.${extension}`);

const contentTypeMessage =
  `must be one of ${contentTypeList.join(', ')}, ` +
  `or left out where the name ends in one of ${extensions.join(', ')}`;

/** The maximum size of the files of an account. Equal files count once. */
const accountBytesMax = 256 * 1024 * 1024;

/** Returns the files of a deployment, without their content. */
export function assetsOf(
  { services }: Pick<TenantContext, 'services'>,
  { id: deploymentId }: DeploymentRow,
): Promise<PluginAsset[]> {
  return services.prisma.pluginAsset.findMany({ where: { deploymentId }, orderBy: { path: 'asc' } });
}

/**
 * Replaces the files of a deployment. The caller holds the lock of the account (`lockPlugins`), so that no content is
 * purged that another deployment is about to use.
 */
export async function replaceAssets(
  tx: Prisma.TransactionClient,
  deployment: DeploymentRow,
  assets: readonly Asset[],
  now: Date,
): Promise<void> {
  const { id: deploymentId, partnerId, platformAccountId, mode } = deployment;
  const tenancy = { partnerId, platformAccountId, mode };
  await tx.pluginAsset.deleteMany({ where: { deploymentId, platformAccountId } });
  const blobs = await newBlobs(tx, platformAccountId, assets);
  await tx.pluginBlob.createMany({
    data: blobs.map(({ sha256, content }) => ({
      ...tenancy,
      sha256,
      content: new Uint8Array(content),
      createdAt: now,
    })),
  });
  await tx.pluginAsset.createMany({
    data: assets.map(({ content: _content, ...asset }) => ({ ...tenancy, deploymentId, ...asset })),
  });
  await purgeUnusedBlobs(tx, platformAccountId);
  await assertAccountBytes(tx, platformAccountId);
}

/** Returns one asset for each content that the account does not store yet. */
async function newBlobs(
  tx: Prisma.TransactionClient,
  platformAccountId: string,
  assets: readonly Asset[],
): Promise<Asset[]> {
  const stored = await tx.pluginBlob.findMany({
    where: { platformAccountId, sha256: { in: assets.map(({ sha256 }) => sha256) } },
    select: { sha256: true },
  });
  const hashes = new Set(stored.map(({ sha256 }) => sha256));
  const missing = assets.filter(({ sha256 }) => !hashes.has(sha256));
  return [...new Map(missing.map((asset) => [asset.sha256, asset])).values()];
}

/** Deletes the content that no deployment of the account uses. The caller holds the lock of the account. */
export async function purgeUnusedBlobs(tx: Prisma.TransactionClient, platformAccountId: string): Promise<void> {
  await tx.$executeRaw(sql`
    DELETE FROM plugin_blobs b
    WHERE b."platformAccountId" = ${platformAccountId}
      AND NOT EXISTS (
        SELECT 1
        FROM plugin_assets a
        WHERE a."platformAccountId" = b."platformAccountId" AND a.sha256 = b.sha256
      )`);
}

async function assertAccountBytes(tx: Prisma.TransactionClient, platformAccountId: string): Promise<void> {
  const [{ bytes } = { bytes: 0n }] = await tx.$queryRaw<{ bytes: bigint }[]>(sql`
    SELECT coalesce(sum(length(content)), 0)::bigint AS bytes
    FROM plugin_blobs
    WHERE "platformAccountId" = ${platformAccountId}`);
  if (bytes > accountBytesMax)
    throw new Conflict(
      'limit_reached',
      `The total size of the assets of an account is limited to ${accountBytesMax} bytes: delete a deployment first.`,
    );
}
