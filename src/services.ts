import type pg from 'pg';
import type { EmbeddedIdp } from './adapters/embedded-idp/embedded-idp.ts';
import { createMailer } from './adapters/mail/mailer.ts';
import { stripeOnDemand } from './adapters/stripe/lazy-stripe.ts';
import { createTestProcessor } from './adapters/test-processor/test-processor.ts';
import { createVault } from './adapters/vault/vault.ts';
import { createWebhookSender } from './adapters/webhook-http/http-sender.ts';
import { createKeyChecks, type KeyChecks } from './auth/key-checks.ts';
import { openDatabase } from './database/database.ts';
import { directUrlOf, sessionSettings } from './database/pool.ts';
import { openReplica, type Replica, type ReplicaOptions } from './database/replica.ts';
import { openServerClock } from './database/server-clock.ts';
import { tenantQueue } from './database/tenant-queue.ts';
import {
  assertPlace,
  openVaultDatabase,
  placeIn,
  type VaultDatabase,
  vaultInMainDatabase,
} from './database/vault/vault-database.ts';
import type { ClockDriven } from './domain.ts';
import {
  type ChargeStatements,
  chargeStatements,
  type ModificationStatements,
  modificationStatements,
  type PaymentFollower,
} from './domains/payments/public.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import type { JobRuns } from './jobs/jobs.ts';
import { type AuditKeys, openAuditKeys } from './keys/audit-keys.ts';
import { wrongKeysOfCards } from './keys/checks.ts';
import { parseKeyRing } from './keys/key-ring.ts';
import { type Clock, type ClockCheck, type PlatformClock, platformClock, uncheckedClock } from './lib/clock.ts';
import { type AdmissionControl, createAdmissionControl } from './limits/admission.ts';
import { type BodyMemory, createBodyMemory } from './limits/body-memory.ts';
import { createOutages, type Log, type Outages } from './observability/log.ts';
import { createMetrics, type Metrics } from './observability/metrics.ts';
import { createTracing, type Tracing, traceStatements } from './observability/tracing.ts';
import { measuredDatabase } from './operating/measured-database.ts';
import { openIdentityProvider } from './operating/open-identity-provider.ts';
import type { CardProcessor } from './ports/card-processor.ts';
import type { IdentityProvider } from './ports/identity-provider.ts';
import type { Mailer } from './ports/mailer.ts';
import type { Vault } from './ports/vault.ts';
import type { WebhookSender } from './ports/webhook-sender.ts';
import { clockDriven, paymentFollowers } from './registry.ts';
import type { Config } from './settings/config.ts';
import { receiversPath } from './settings/demo-receivers.ts';

/** What a server opens once and passes to every operation. Nothing else is global. */
export interface Services {
  config: Config;
  clock: PlatformClock;
  /** The comparison of this server's clock with the database's. */
  clockCheck: ClockCheck;
  log: Log;
  metrics: Metrics;
  tracing: Tracing;
  /** Records failures because something that the platform needs was unavailable. */
  outages: Outages;
  /** The connection pool of the primary: SQL statements use it directly, Prisma through its adapter. */
  pool: pg.Pool;
  prisma: PrismaClient;
  /** The standby for reads that may be slightly out of date; null if there is none. */
  replica: Replica | null;
  /** The database that has the cards, for the vault and for its verification and metrics. */
  vaultDatabase: VaultDatabase;
  /** Checks API keys; those that arrive together are batched in one statement. */
  keyChecks: KeyChecks;
  /** Shared by the charges of this process. */
  chargeStatements: ChargeStatements;
  /** Shared by the captures, voids and refunds of this process. */
  modificationStatements: ModificationStatements;
  /** Limits the requests in progress and queues the others. */
  admissionControl: AdmissionControl;
  /** Limits the memory for the bodies of requests. */
  bodyMemory: BodyMemory;
  vault: Vault;
  /** The keys of the audit log. */
  auditKeys: AuditKeys;
  /** Card processors by type: `test`, and the live ones. */
  processors: ReadonlyMap<string, CardProcessor>;
  identityProvider: IdentityProvider;
  mailer: Mailer;
  webhookSender: WebhookSender;
  /** The runs of the jobs in this process. */
  jobRuns: JobRuns;
  /**
   * Handlers of work on test clocks. Of work that is due at the same time, the first handler in this list runs first.
   */
  clockDriven: readonly ClockDriven[];
  /** The domains that change with the rows of others. */
  paymentFollowers: readonly PaymentFollower[];
}

export interface OpenedServices {
  services: Services;
  /** The embedded identity provider, for its own pages and the demo's users; null with another provider. */
  idp: EmbeddedIdp | null;
  close(): Promise<void>;
}

/** The options of `openServices`. */
export interface Opening {
  log: Log;
  /** Replaces the clocks of this server and the database in a test. Without it the two are compared. */
  clock?: Clock | undefined;
  /** Replaces the clock of this server, which is compared with the database's: milliseconds since 1970. */
  ownClock?: (() => number) | undefined;
  processors?: Services['processors'] | undefined;
}

/** Opens the services on a migrated database. The caller closes them. */
export async function openServices(
  config: Config,
  databaseUrl: string,
  { clock: given, ownClock, log, processors }: Opening,
): Promise<OpenedServices> {
  const opened = new AsyncDisposableStack();
  try {
    const isPooled = directUrlOf(config) !== null;
    const {
      pool,
      prisma,
      close: closePool,
    } = await openDatabase({ url: databaseUrl, poolSize: config.databasePoolSize, log, isPooled });
    opened.defer(closePool);
    const compared = given ? null : await openServerClock(pool, log, ownClock);
    opened.defer(() => compared?.close());
    const clockCheck = compared ?? uncheckedClock;
    const clock = platformClock(given ?? clockCheck);
    const testProcessor = createTestProcessor({
      database: { connectionString: databaseUrl, ...sessionSettings(isPooled) },
      clock,
    });
    const tracing = createTracing(config.tracing, log);
    opened.defer(tracing.close);
    traceStatements(pool, tracing);
    opened.defer(testProcessor.close);
    const keyChecks = createKeyChecks({ pool, clock });
    const queue = tenantQueue(pool);
    const admissionControl = createAdmissionControl(
      pool,
      config.databasePoolSize,
      () => keyChecks.waiting + queue.waiting,
    );
    const bodyMemory = createBodyMemory();
    const usedProcessors = processors ?? processorsOf(config, given ?? clockCheck, testProcessor);
    const vaultDatabase = await openVault(config, pool, log);
    opened.defer(vaultDatabase.close);
    if (vaultDatabase.isApart) traceStatements(vaultDatabase.pool, tracing);
    const metrics = createMetrics(
      measuredDatabase(pool, clock, config),
      admissionControl,
      bodyMemory,
      vaultDatabase,
      clockCheck,
    );
    const replica = await openReplicaOf(config, { primary: pool, log, metrics, isPooled });
    if (replica) {
      opened.defer(replica.close);
      traceStatements(replica.pool, tracing);
    }
    const parts = {
      config,
      clock,
      clockCheck,
      log,
      metrics,
      tracing,
      outages: createOutages(log, metrics),
      pool,
      prisma,
      replica,
      admissionControl,
      bodyMemory,
      keyChecks,
      auditKeys: openAuditKeys(config.auditKeys),
      vaultDatabase,
      vault: createVault({
        pool: vaultDatabase.pool,
        keys: parseKeyRing(config.vaultKeys),
        fingerprintKey: config.fingerprintKey,
        clock,
      }),
      processors: usedProcessors,
      mailer: createMailer(config, clock),
      webhookSender: createWebhookSender({
        allowPrivate: config.webhookAllowPrivate,
        isLocal: config.isLocal,
        allowedPrefix: config.isLocal ? `${config.publicUrl}${receiversPath}` : null,
      }),
      jobRuns: new Map(),
      clockDriven,
      paymentFollowers,
      chargeStatements: chargeStatements({ pool, paymentFollowers, processors: usedProcessors, metrics }),
      modificationStatements: modificationStatements({ pool }),
    };
    const { identityProvider, idp, close: closeProvider } = await openIdentityProvider(parts, databaseUrl);
    opened.defer(closeProvider);
    return { services: { ...parts, identityProvider }, idp, close: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Opens the vault's database. Throws if the settings name a database that does not have the cards. */
async function openVault(config: Config, main: pg.Pool, log: Log): Promise<VaultDatabase> {
  const { vaultDatabase } = config;
  assertPlace(await placeIn(main), vaultDatabase?.url ?? null);
  return vaultDatabase
    ? openVaultDatabase(vaultDatabase, { main, log, wrongKeys: (vault) => wrongKeysOfCards(config, vault) })
    : vaultInMainDatabase(main);
}

function openReplicaOf(
  { database, databasePoolSize: poolSize }: Config,
  parts: Omit<ReplicaOptions, 'url' | 'maxLagMs' | 'poolSize'>,
): Promise<Replica> | null {
  const replica = database.kind === 'server' ? database.replica : null;
  return replica ? openReplica({ ...replica, ...parts, poolSize }) : null;
}

/** Stripe signs its webhooks with the real time, so its adapter does not follow test clocks. */
function processorsOf(config: Config, clock: Clock, testProcessor: CardProcessor): Services['processors'] {
  const { stripeApiBase: apiBase, processorTimeoutMs: timeoutMs } = config;
  return new Map([
    ['test', testProcessor],
    ['stripe', stripeOnDemand({ apiBase, timeoutMs, clock })],
  ]);
}
