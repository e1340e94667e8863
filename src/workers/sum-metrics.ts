import type { Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { type MetricValues, tell } from './messages.ts';

const answerMaxMs = 2_000;

export interface SummedMetrics {
  text(workers: readonly Worker[]): Promise<string>;
  measured(worker: Worker, id: number, values: MetricValues): void;
}

/** The metrics of all workers as one. A worker that ends or does not answer in time is left out. */
export function sumMetrics(): SummedMetrics {
  let asked = 0;
  const answers = new Map<string, (values: MetricValues) => void>();

  function ask(worker: Worker, id: number): Promise<MetricValues> {
    return new Promise((resolve) => {
      const key = `${worker.id}/${id}`;
      const answer = (values: MetricValues): void => {
        clearTimeout(timer);
        worker.off('exit', gone);
        answers.delete(key);
        resolve(values);
      };
      const gone = (): void => answer([]);
      const timer = setTimeout(gone, answerMaxMs);
      worker.once('exit', gone);
      answers.set(key, answer);
      tell(worker, { kind: 'measure', id });
    });
  }

  return {
    async text(workers) {
      const id = ++asked;
      const values = await Promise.all(workers.map((worker) => ask(worker, id)));
      return AggregatorRegistry.aggregate(values).metrics();
    },
    measured: (worker, id, values) => answers.get(`${worker.id}/${id}`)?.(values),
  };
}
