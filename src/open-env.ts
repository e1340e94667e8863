import { clockDriven } from './clock-driven.ts';
import type { Env } from './env.ts';
import { openIdentityProvider } from './identity/open-identity-provider.ts';
import type { EmbeddedIdp } from './idp/embedded-idp.ts';
import { type Clock, platformClock } from './kit/clock.ts';
import type { Config } from './kit/config.ts';
import { openDatabase } from './kit/database.ts';
import { createGate } from './kit/gate.ts';
import type { Log } from './kit/log.ts';
import { createMetrics } from './kit/metrics.ts';
import { createMailer } from './mail/create-mailer.ts';
import type { CardProcessor } from './ports/card-processor.ts';
import { createTestProcessor } from './processors/test-processor.ts';
import { stripeWhenAsked } from './stripe/stripe-when-asked.ts';
import { parseKeyRing } from './vault/key-ring.ts';
import { createVault } from './vault/vault.ts';
import { createWebhookSender } from './webhooks/http-sender.ts';

export interface OpenedEnv {
  env: Env;
  /** The embedded identity provider, for its own pages and for the demo's people; null when it is another. */
  idp: EmbeddedIdp | null;
  close(): Promise<void>;
}

/** Builds the parts of a server upon a migrated database. Whoever opens them closes them. */
export async function openEnv(
  config: Config,
  url: string,
  { clock: given, log, processors }: { clock: Clock; log: Log } & Partial<Pick<Env, 'processors'>>,
): Promise<OpenedEnv> {
  const clock = platformClock(given);
  const database = await openDatabase({ url, poolSize: config.databasePoolSize, log });
  const { pool, prisma } = database;
  const gate = createGate(pool, config.databasePoolSize);
  const testProcessor = createTestProcessor({ database: url, clock });
  const vault = createVault({
    pool,
    keys: parseKeyRing(config.vaultKeys),
    fingerprintKey: config.fingerprintKey,
    clock,
  });
  const parts = {
    config,
    clock,
    log,
    metrics: createMetrics(pool, gate),
    pool,
    prisma,
    gate,
    vault,
    processors:
      processors ??
      new Map<string, CardProcessor>([
        ['test', testProcessor],
        [
          'stripe',
          stripeWhenAsked({ apiBase: config.stripeApiBase, timeoutMs: config.processorTimeoutMs, clock: given }),
        ],
      ]),
    mailer: createMailer(config, clock),
    webhookSender: createWebhookSender({ allowPrivate: config.webhookAllowPrivate }),
    sweepRuns: new Map(),
    clockDriven,
  };
  const closeRest = async (): Promise<void> => void (await Promise.all([testProcessor.close(), database.close()]));
  try {
    const { identityProvider, idp, close: closeProvider } = await openIdentityProvider(parts, url);
    const close = async (): Promise<void> => {
      await closeProvider();
      await closeRest();
    };
    return { env: { ...parts, identityProvider }, idp, close };
  } catch (error) {
    await closeRest();
    throw error;
  }
}
