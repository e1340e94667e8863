import type pg from 'pg';
import type { PlatformClock } from './kit/clock.ts';
import type { ClockDriven } from './kit/clock-driven.ts';
import type { Config } from './kit/config.ts';
import type { Gate } from './kit/gate.ts';
import type { Log } from './kit/log.ts';
import type { Metrics } from './kit/metrics.ts';
import type { SweepRuns } from './kit/sweeps.ts';
import type { CardProcessor } from './ports/card-processor.ts';
import type { IdentityProvider } from './ports/identity-provider.ts';
import type { Mailer } from './ports/mailer.ts';
import type { Vault } from './ports/vault.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';
import type { PrismaClient } from './generated/prisma/client.ts';

/** The parts one running server is made of. Built once at start and handed down; nothing else is global. */
export interface Env {
  config: Config;
  clock: PlatformClock;
  log: Log;
  metrics: Metrics;
  /** The one connection pool: hand-written statements use it directly, Prisma through its adapter. */
  pool: pg.Pool;
  prisma: PrismaClient;
  /** Where calls wait until there is room for their work. */
  gate: Gate;
  vault: Vault;
  /** Card processors by type: `test`, and the live ones. */
  processors: ReadonlyMap<string, CardProcessor>;
  identityProvider: IdentityProvider;
  mailer: Mailer;
  webhookSender: WebhookSender;
  /** What became of the work beside the requests, in this process. */
  sweepRuns: SweepRuns;
  /** What follows test clocks, in the order in which things due at one moment are done. */
  clockDriven: readonly ClockDriven[];
}
