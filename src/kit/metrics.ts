import type pg from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Gate } from './gate.ts';

export interface Metrics {
  /** One request, when its answer is out. The route is the path's pattern, so that figures stay few. */
  observeRequest(served: { method: string; route: string; status: number; durationS: number }): void;
  processorCalled(type: string, outcome: string, durationS: number): void;
  /** One request to a webhook receiver. `lagS` is there for the first of a delivery: how long after its event it began. */
  webhookAttempted(outcome: 'delivered' | 'failed' | 'dead', durationS: number, lagS: number | null): void;
  /** How long the oldest webhook that could be sent has been waiting. */
  webhooksWaiting(oldestS: number): void;
  /** Rows of the identity mirror that a repair had to mend: `user`, `organization` or `orgMember`. */
  mirrorMended(kind: string, rows: number): void;
  /** How many of the last day's attempts are not with the processor what they are with us. */
  booksDiffer(attempts: number): void;
  /** All figures in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const lagBuckets = [0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300, 3600];
const processorBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30];

/** A registry of its own for each server, so that several in one process (tests) do not meet. */
export function createMetrics(
  pool: Pick<pg.Pool, 'totalCount' | 'idleCount' | 'waitingCount'>,
  gate: Pick<Gate, 'inWork' | 'waiting'>,
): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'platform_request_duration_seconds',
    help: 'Time from the first byte of a request to the end of its answer.',
    labelNames: ['surface', 'operation', 'status'],
    buckets: requestBuckets,
    registers,
  });
  const errors = new Counter({
    name: 'platform_request_errors_total',
    help: 'Requests that failed for a reason of ours (status 5xx).',
    labelNames: ['surface', 'operation'],
    registers,
  });
  const processors = new Histogram({
    name: 'platform_processor_call_duration_seconds',
    help: 'Time a card processor took to answer.',
    labelNames: ['type', 'outcome'],
    buckets: processorBuckets,
    registers,
  });
  const webhooks = new Histogram({
    name: 'platform_webhook_attempt_duration_seconds',
    help: 'Time a webhook receiver took to answer, by what came of it.',
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
    help: 'How long the oldest webhook that could be sent has been waiting.',
    registers,
  });
  const mirrorDrift = new Counter({
    name: 'platform_identity_mirror_mended_total',
    help: 'Rows of the identity mirror that had drifted from the identity provider and were mended.',
    labelNames: ['kind'],
    registers,
  });
  const booksDifferences = new Gauge({
    name: 'platform_books_differences',
    help: "Differences between our books and a processor's, over the last day.",
    registers,
  });
  new Gauge({
    name: 'platform_database_connections',
    help: 'Connections of the pool: all, idle ones, and callers that wait for one.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'total' }, pool.totalCount);
      this.set({ state: 'idle' }, pool.idleCount);
      this.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
  new Gauge({
    name: 'platform_calls',
    help: 'Calls in work in this process, and those that wait to begin until there is room.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'in_work' }, gate.inWork);
      this.set({ state: 'waiting' }, gate.waiting);
    },
  });
  return {
    observeRequest({ method, route, status, durationS }) {
      const surface = surfaceOf(route);
      const operation = `${methods.has(method) ? method : 'OTHER'} ${route}`;
      requests.observe({ surface, operation, status: String(status) }, durationS);
      if (status >= 500) errors.inc({ surface, operation });
    },
    processorCalled: (type, outcome, durationS) => processors.observe({ type, outcome }, durationS),
    webhookAttempted(outcome, durationS, lagS) {
      webhooks.observe({ outcome }, durationS);
      if (lagS !== null) webhookLag.observe(lagS);
    },
    webhooksWaiting: (oldestS) => webhookBacklog.set(oldestS),
    mirrorMended: (kind, rows) => mirrorDrift.inc({ kind }, rows),
    booksDiffer: (attempts) => booksDifferences.set(attempts),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** A client may send any word as a method; only the known ones become a label. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

function surfaceOf(route: string): string {
  if (route.includes('/graphql')) return 'graph';
  if (route.includes('/api/v1/iam')) return 'iam';
  if (route.includes('/api/public/v1/plugins')) return 'plugins';
  return route.includes('/api/public/v1') ? 'public' : 'other';
}
