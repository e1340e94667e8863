import { hashSecret } from '../../src/auth/secret.ts';
import { queryRow, sql } from '../../src/database/sql.ts';
import { type Demo, loadDemo } from '../../src/runtime/demo-credentials.ts';
import type { Services } from '../../src/services.ts';

/**
 * The demo's credentials if they are those of this database: the file outlives a database that was deleted or replaced.
 * Never on a server that others reach.
 */
export async function presentDemo({ config, pool }: Pick<Services, 'config' | 'pool'>): Promise<Demo | undefined> {
  const demo = config.isLocal ? await loadDemo(config) : undefined;
  if (!demo) return undefined;
  const secretHash = hashSecret(demo.accounts.test.subKey);
  const key = await queryRow(
    pool,
    sql`SELECT 1 FROM api_keys WHERE "secretHash" = ${secretHash} AND status = 'active'`,
  );
  return key === undefined ? undefined : demo;
}
