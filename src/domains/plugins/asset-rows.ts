import { sql } from '../../database/sql.ts';
import type { PluginAsset, Prisma } from '../../generated/prisma/client.ts';
import type { KeyContext } from '../../graph/context.ts';
import { Conflict } from '../../kit/errors.ts';
import type { DeploymentRow } from './deployment-rows.ts';
import type { Asset } from './read-assets.ts';

/** The bound of the files of an account. Equal files count once. */
const accountBytesMax = 256 * 1024 * 1024;

/** Returns the files of a deployment, without their content. */
export function assetsOf(
  { services }: Pick<KeyContext, 'services'>,
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
      `The assets of an account may take ${accountBytesMax} bytes in all: delete a deployment first.`,
    );
}
