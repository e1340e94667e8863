import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { DataServer } from './data-server.ts';

const root = join(import.meta.dirname, '..', '..');
export const main = join(root, 'src', 'main.ts');

/** What `npm start` passes to Node: options and environment variables. */
export function startCommand(): { nodeArguments: string[]; variables: Record<string, string> } {
  // a file of this repository
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } };
  const [set = '', run = ''] = scripts.start.split(' exec node ');
  return {
    nodeArguments: run.split(' ').slice(0, -1),
    variables: Object.fromEntries(set.split(' ').map((each) => each.split('='))),
  };
}

export function serverEnv({ url, secrets, platformDir }: DataServer): Record<string, string> {
  return {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: '10',
    VAULT_KEYS: secrets.vaultKeys,
    FINGERPRINT_KEY: secrets.fingerprintKey,
    IDP_SECRET: secrets.idpSecret,
    IDP_EMBEDDED_IN_PRODUCTION: 'yes',
    PLATFORM_DIR: platformDir,
  };
}

/** Buckets in the order in which the checks of keys lock them, so that they never wait for each other. */
export async function fillLimits(pool: pg.Pool): Promise<void> {
  await pool.query(
    `UPDATE limits.buckets b
      SET tokens = b.burst
      FROM (SELECT owner FROM limits.buckets ORDER BY owner FOR UPDATE) o
      WHERE o.owner = b.owner;
    UPDATE limits.windows SET calls = 0;
    DELETE FROM limits.field_calls`,
  );
}
