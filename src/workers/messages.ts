import type { Worker } from 'node:cluster';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { DatabaseUrls } from '../prepare-database.ts';
import type { Config } from '../runtime/config.ts';
import type { PlainKeys } from '../runtime/wrapped-keys.ts';

export type MetricValues = MetricObjectWithValues<MetricValue<string>>[];

/** What the primary process says to a worker. A worker starts with the first message. */
export type ToWorker =
  | { kind: 'start'; urls: DatabaseUrls; poolSize: number; logFormat: Config['logFormat']; keys: PlainKeys }
  | { kind: 'stop' }
  /** Asks for the metrics of this worker. */
  | { kind: 'measure'; id: number }
  /** Answers `sum`. */
  | { kind: 'summed'; id: number; text: string };

export type ToPrimary =
  | { kind: 'ready' }
  | { kind: 'failed'; sentence: string }
  | { kind: 'measured'; id: number; values: MetricValues }
  /** Asks for the metrics of all workers. */
  | { kind: 'sum'; id: number };

/** A message to a worker that is gone is lost. */
export function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
