import { queryRow, queryRows, type Sql, sql } from '../../database/sql.ts';
import type { JsonObject } from '../../graph/builder.ts';
import type { Services } from '../../services.ts';
import type { BlobCache } from './blob-cache.ts';
import type { ManifestPage } from './manifest.ts';
import { defaultConfig } from './select-config.ts';

type Pool = Services['pool'];

/** A plugin at an address, read in one statement. */
export interface ServedPlugin {
  /** Changes with everything that the pages are made of: overwriting, and every configuration. */
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
export function findServedPlugin(
  pool: Pool,
  { storeId, alias, path }: { storeId: string; alias: string; path: string },
): Promise<ServedPlugin | undefined> {
  // The identifier of a deployment shows it before it is mounted. An alias cannot contain "_".
  return alias.startsWith('dep_') ? findDeployment(pool, storeId, alias) : findMount(pool, storeId, alias, path);
}

/** Nothing is served for an account that is not active or a partner that is suspended or offboarded. */
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
export function findAssets(
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
export async function contentOf(
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
