import { createHash } from 'node:crypto';
import type { Prisma } from '../generated/prisma/client.ts';
import { issuesMax } from '../graph/input.ts';
import { type InputIssue, Conflict } from '../kit/errors.ts';
import { isTraversal } from './manifest.ts';

/** A file as it was sent. */
export interface InlineAsset {
  path: string;
  content: string;
  contentType?: string | null | undefined;
}

/** A file as it is kept. */
export interface Asset {
  path: string;
  contentType: string;
  size: number;
  sha256: string;
  content: Buffer;
}

export const assetsMax = 300;
/** Of all the files an account has, each counted once. */
const accountBytesMax = 256 * 1024 * 1024;
const pathLengthMax = 200;

/** What is served, by the ending of the name. Nothing else can be deployed: a browser must not be led to guess. */
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
};
const otherNames: Readonly<Record<string, string>> = {
  'application/javascript': 'text/javascript',
  'application/x-javascript': 'text/javascript',
  'image/jpg': 'image/jpeg',
  'image/vnd.microsoft.icon': 'image/x-icon',
};
export const contentTypeList: readonly string[] = [...new Set(Object.values(contentTypes))];

/** The files of a request, or everything that is wrong with them. */
export function readAssets(sent: readonly InlineAsset[]): { assets: Asset[]; issues: InputIssue[] } {
  if (sent.length > assetsMax)
    return { assets: [], issues: [{ path: 'inlineAssets', message: `must have at most ${assetsMax} entries` }] };
  const issues: InputIssue[] = [];
  const assets = new Map<string, Asset>();
  sent.forEach(({ path: given, content, contentType }, index) => {
    const refuse = (field: string, message: string): void =>
      void issues.push({ path: `inlineAssets[${index}].${field}`, message });
    const path = given.replace(/^\.?\//, '');
    if (path.length > pathLengthMax || !/^[A-Za-z0-9._~@+-]+(\/[A-Za-z0-9._~@+-]+)*$/.test(path) || isTraversal(path)) {
      return refuse(
        'path',
        `must be a relative path of at most ${pathLengthMax} characters of A-Z, a-z, 0-9, ".", "_", "~", "@", "+" and "-" between slashes, without "." or ".." as a part`,
      );
    }
    if (assets.has(path)) return refuse('path', 'is the path of another asset, too');
    const type = typeOf(path, contentType);
    if (type === undefined)
      return refuse(
        'contentType',
        `must be one of ${contentTypeList.join(', ')}, or left out where the name ends in one of ${Object.keys(
          contentTypes,
        )
          .map((ending) => `.${ending}`)
          .join(', ')}`,
      );
    if (content.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(content))
      return refuse('content', 'must be base64 of the standard alphabet, padded');
    const bytes = Buffer.from(content, 'base64');
    assets.set(path, {
      path,
      contentType: type,
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      content: bytes,
    });
  });
  return { assets: [...assets.values()], issues: issues.slice(0, issuesMax) };
}

function typeOf(path: string, given: string | null | undefined): string | undefined {
  if (given == null) return contentTypes[/\.([a-z0-9]+)$/.exec(path.toLowerCase())?.[1] ?? ''];
  const [essence = '', charset] = given
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (charset !== undefined && !/^charset="?utf-8"?$/.test(charset)) return undefined;
  const type = otherNames[essence] ?? essence;
  return contentTypeList.includes(type) ? type : undefined;
}

type Tenancy = { partnerId: string; platformAccountId: string; mode: string };

/** Makes these the files of the deployment. The caller holds the account's lock, so that no blob goes while another deployment takes it up. */
export async function replaceAssets(
  tx: Prisma.TransactionClient,
  deploymentId: string,
  tenancy: Tenancy,
  assets: readonly Asset[],
  now: Date,
): Promise<void> {
  const { partnerId, platformAccountId, mode } = tenancy;
  await tx.pluginAsset.deleteMany({ where: { deploymentId, platformAccountId } });
  const kept = new Set(
    (
      await tx.pluginBlob.findMany({
        where: { platformAccountId, sha256: { in: assets.map(({ sha256 }) => sha256) } },
        select: { sha256: true },
      })
    ).map(({ sha256 }) => sha256),
  );
  const fresh = new Map(assets.filter(({ sha256 }) => !kept.has(sha256)).map((asset) => [asset.sha256, asset]));
  await tx.pluginBlob.createMany({
    data: [...fresh.values()].map(({ sha256, content }) => ({
      platformAccountId,
      partnerId,
      mode,
      sha256,
      content: new Uint8Array(content),
      createdAt: now,
    })),
  });
  await tx.pluginAsset.createMany({
    data: assets.map(({ content: _bytes, ...asset }) => ({
      deploymentId,
      platformAccountId,
      partnerId,
      mode,
      ...asset,
    })),
  });
  await forgetBlobs(tx, platformAccountId);
  const [{ bytes } = { bytes: 0n }] = await tx.$queryRaw<
    { bytes: bigint }[]
  >`SELECT coalesce(sum(length(content)), 0)::bigint AS bytes FROM plugin_blobs WHERE "platformAccountId" = ${platformAccountId}`;
  if (bytes > accountBytesMax)
    throw new Conflict(
      'limit_reached',
      `The assets of an account may take ${accountBytesMax} bytes in all: delete a deployment first.`,
    );
}

/** Lets go of bytes that no deployment has any more. Under the account's lock, as above. */
export async function forgetBlobs(tx: Prisma.TransactionClient, platformAccountId: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM plugin_blobs b WHERE b."platformAccountId" = ${platformAccountId} AND NOT EXISTS (SELECT 1 FROM plugin_assets a WHERE a."platformAccountId" = b."platformAccountId" AND a.sha256 = b.sha256)`;
}
