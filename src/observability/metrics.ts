import type pg from 'pg';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ClockCheck } from '../lib/clock.ts';
import { collectProcessMetrics } from './process-metrics.ts';

export interface Metrics {
  /** Records one request. The route is the pattern of the path, so that the number of series is small. */
  observeRequest(served: { method: string; route: string; status: number; durationS: number }): void;
  processorCalled(type: string, outcome: string, durationS: number): void;
  /** Counts a call or a run of a job that failed because something that the platform needs was unavailable. */
  countOutage(): void;
  /**
   * Counts the outcome of a charge, and the captured amount. Labels are from fixed lists, so that there are few series.
   */
  chargeDecided(charge: { mode: string; outcome: string; code: string; currency: string; captured: number }): void;
  /** Records one attempt to deliver a webhook. `lagS` is the time since the event, null except on the first attempt. */
  webhookAttempted(outcome: 'delivered' | 'failed' | 'dead', durationS: number, lagS: number | null): void;
  /** Sets the age of the oldest delivery that is due. */
  webhooksWaiting(oldestS: number): void;
  /** Rows of the identity mirror that a repair corrected: `user`, `organization` or `orgMember`. */
  countMirrorRepairs(kind: string, rows: number): void;
  /** The number of attempts of the last day that differ between the ledger and the processor's records. */
  /** Counts a read that may be a moment late, by the server that answered it. */
  replicaRead(server: 'replica' | 'primary'): void;
  /** Sets the maximum lag of the replica; infinity while it is unknown. */
  setReplicaLag(seconds: number): void;
  /** All metrics in the text format of Prometheus. */
  text(): Promise<string>;
  /** For summing over processes. */
  readonly registry: Registry;
  readonly contentType: string;
}

/** What is read from the database each time the metrics are. The readings of times reject if it does not answer. */
export interface MeasuredDatabase {
  pool: Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
  isUnavailable(): Promise<boolean>;
  /** Seconds since the last recorded backup was taken; null if there was none. */
  backupAgeS(): Promise<number | null>;
  /** For how many seconds the oldest due row of each job has been due; 0 for a job without due rows. */
  jobDelaysS(): Promise<ReadonlyMap<string, number>>;
}

const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const lagBuckets = [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600];
const processorBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];

/** Each server has its own registry, so that tests can run several servers in one process. */
export function createMetrics(
  database: MeasuredDatabase,
  admissionControl: { readonly inWork: number; readonly waiting: number },
  bodyMemory: { readonly bytes: number },
  vault: {
    pool: Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
    isApart: boolean;
    isUnavailable(): boolean;
  },
  clock: Pick<ClockCheck, 'aheadMs'>,
): Metrics {
  const { pool } = database;
  const registry = new Registry();
  const registers = [registry];
  collectProcessMetrics(registry);
  const requests = new Histogram({
    name: 'platform_request_duration_seconds',
    help: 'Time from the receipt of a request to the end of its response.',
    labelNames: ['surface', 'operation', 'status'],
    buckets: requestBuckets,
    registers,
  });
  const errors = new Counter({
    name: 'platform_request_errors_total',
    help: 'Requests that failed with an internal error (status 5xx).',
    labelNames: ['surface', 'operation'],
    registers,
  });
  const outages = new Counter({
    name: 'platform_dependency_errors_total',
    help: 'Calls (status 503) and runs of jobs that failed because something that the platform needs was away.',
    registers,
  });
  const processors = new Histogram({
    name: 'platform_processor_call_duration_seconds',
    help: 'Duration of calls to card processors, by type of processor and outcome.',
    labelNames: ['type', 'outcome'],
    buckets: processorBuckets,
    registers,
  });
  const charges = new Counter({
    name: 'platform_charges_total',
    help: 'Outcomes of charges, by mode, outcome (status, or requires_action) and decline code (none without one).',
    labelNames: ['mode', 'outcome', 'code'],
    registers,
  });
  const captured = new Counter({
    name: 'platform_captured_amount_total',
    help: "Amounts that charges have captured at once, in the currency's minor unit; refunds are not subtracted.",
    labelNames: ['mode', 'currency'],
    registers,
  });
  const webhooks = new Histogram({
    name: 'platform_webhook_attempt_duration_seconds',
    help: 'Duration of attempts to deliver a webhook, by outcome.',
    labelNames: ['outcome'],
    buckets: processorBuckets,
    registers,
  });
  const webhookLag = new Histogram({
    name: 'platform_webhook_lag_seconds',
    help: 'Time from an event to the first attempt to deliver it.',
    buckets: lagBuckets,
    registers,
  });
  const webhookBacklog = new Gauge({
    name: 'platform_webhook_oldest_due_seconds',
    help: 'Time since the oldest due webhook delivery became due.',
    aggregator: 'max', // each process measures the same rows
    registers,
  });
  const mirrorDrift = new Counter({
    name: 'platform_identity_mirror_repaired_total',
    help: 'Rows of the identity mirror that differed from the identity provider and were repaired.',
    labelNames: ['kind'],
    registers,
  });
  const replicaReads = new Counter({
    name: 'platform_replica_reads_total',
    help: 'Reads for which a replica is set (DATABASE_REPLICA_URL), by the server that answered: replica or primary.',
    labelNames: ['server'],
    registers,
  });
  const replicaLag = new Gauge({
    name: 'platform_replica_lag_seconds',
    help: 'How far the replica is behind the primary at most; +Inf while that is unknown, 0 without a replica.',
    aggregator: 'max',
    registers,
  });
  new Gauge({
    name: 'platform_clock_offset_seconds',
    help: "How far the clock of this server is ahead of the database's; negative if it is behind.",
    aggregator: 'average', // the processes of one machine have one clock
    registers,
    collect() {
      this.set(clock.aheadMs() / 1000);
    },
  });
  new Gauge({
    name: 'platform_database_connections',
    help: 'Connections of the database pool (total, idle), and requests waiting for a connection.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'total' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  new Gauge({
    name: 'platform_database_unavailable',
    help: 'Whether the database does not answer this process within a second; each reading asks it.',
    aggregator: 'max',
    registers,
    async collect() {
      this.set((await database.isUnavailable()) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'platform_backup_age_seconds',
    help: 'Time since the last backup by `platform backup` was taken. Absent if there was none.',
    aggregator: 'max',
    registers,
    async collect() {
      const ageS = await database.backupAgeS().catch(() => null);
      if (ageS === null) this.remove();
      else this.set(ageS);
    },
  });
  new Gauge({
    name: 'platform_job_oldest_due_seconds',
    help: 'Time since the oldest due row of a job became due, 0 without one. Absent while the database is unavailable.',
    labelNames: ['job'],
    aggregator: 'max', // each process measures the same rows
    registers,
    async collect() {
      const delays = await database.jobDelaysS().catch(() => new Map<string, number>());
      this.reset();
      for (const [job, delayS] of delays) this.set({ job }, delayS);
    },
  });
  new Gauge({
    name: 'platform_vault_unavailable',
    help: 'Whether the vault database (VAULT_DATABASE_URL) is unavailable; 0 if the cards are in the main database.',
    aggregator: 'max',
    registers,
    collect() {
      this.set(vault.isUnavailable() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'platform_vault_connections',
    help: 'Connections to the database of the vault (total, idle), and statements waiting for one; 0 without it.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'total' }, vault.isApart ? vault.pool.totalCount : 0);
      this.set({ state: 'idle' }, vault.isApart ? vault.pool.idleCount : 0);
      this.set({ state: 'waiting' }, vault.isApart ? vault.pool.waitingCount : 0);
    },
  });
  new Gauge({
    name: 'platform_requests',
    help: 'Requests in progress in this process, and requests waiting for admission.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'in_work' }, admissionControl.inWork);
      this.set({ state: 'waiting' }, admissionControl.waiting);
    },
  });
  new Gauge({
    name: 'platform_request_body_bytes',
    help: 'Bytes of request bodies above 16 KiB that are received, or wait to be handled, in this process.',
    registers,
    collect() {
      this.set(bodyMemory.bytes);
    },
  });
  return {
    observeRequest({ method, route, status, durationS }) {
      const surface = surfaceOf(route);
      const operation = `${methods.has(method) ? method : 'OTHER'} ${route}`;
      requests.observe({ surface, operation, status: String(status) }, durationS);
      if (status >= 500) errors.inc({ surface, operation });
    },
    countOutage: () => outages.inc(),
    processorCalled: (type, outcome, durationS) => processors.observe({ type, outcome }, durationS),
    chargeDecided({ mode, outcome, code, currency, captured: amount }) {
      charges.inc({ mode, outcome, code });
      if (amount > 0) captured.inc({ mode, currency }, amount);
    },
    webhookAttempted(outcome, durationS, lagS) {
      webhooks.observe({ outcome }, durationS);
      if (lagS !== null) webhookLag.observe(lagS);
    },
    webhooksWaiting: (oldestS) => webhookBacklog.set(oldestS),
    countMirrorRepairs: (kind, rows) => mirrorDrift.inc({ kind }, rows),
    replicaRead: (server) => replicaReads.inc({ server }),
    setReplicaLag: (seconds) => replicaLag.set(seconds),
    text: () => registry.metrics(),
    registry,
    contentType: registry.contentType,
  };
}

/** A client may send any string as a method; only known methods become a label. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function surfaceOf(route: string): string {
  if (route.includes('/graphql')) return 'graph';
  if (route.includes('/api/v1/iam')) return 'iam';
  if (route.includes('/api/public/v1/plugins')) return 'plugins';
  return route.includes('/api/public/v1') ? 'public' : 'other';
}
