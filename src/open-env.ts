import type { Env } from './env.ts';
import type { Clock } from './kit/clock.ts';
import type { Config } from './kit/config.ts';
import { openDatabase } from './kit/database.ts';
import type { Log } from './kit/log.ts';
import { createMetrics } from './kit/metrics.ts';
import { createTestProcessor } from './processors/test-processor.ts';
import { parseKeyRing } from './vault/key-ring.ts';
import { createVault } from './vault/vault.ts';
import { createWebhookSender } from './webhooks/http-sender.ts';

/** Builds the parts of a server upon a migrated database. Whoever opens them closes them. */
export async function openEnv(config: Config, url: string, { clock, log, processors }: { clock: Clock; log: Log } & Partial<Pick<Env, 'processors'>>): Promise<{ env: Env; close(): Promise<void> }> {
  const database = await openDatabase({ url, poolSize: config.databasePoolSize, log });
  const { pool, prisma } = database;
  const testProcessor = createTestProcessor({ database: url, clock });
  const vault = createVault({ pool, keys: parseKeyRing(config.vaultKeys), fingerprintKey: config.fingerprintKey, clock });
  return {
    env: { config, clock, log, metrics: createMetrics(pool), pool, prisma, vault, processors: processors ?? new Map([['test', testProcessor]]), webhookSender: createWebhookSender({ allowPrivate: config.webhookAllowPrivate }) },
    async close() {
      await Promise.all([testProcessor.close(), database.close()]);
    },
  };
}
