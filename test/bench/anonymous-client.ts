import { parentPort } from 'node:worker_threads';
import type { Requested } from '../support/anonymous-routes.ts';
import { rawAnswer } from '../support/raw-answer.ts';

// Runs in a thread of anonymous.ts, so that the processor time of the client is not that of the server.

export interface Batch {
  url: string;
  requested: Requested;
  headers: Record<string, string>;
  count: number;
}

/** The answer to the last request of a batch. */
export interface Answered {
  status: number;
  bytes: number;
  encoding: string;
}

parentPort?.on('message', (batch: Batch) => {
  void send(batch).then((answered) => parentPort?.postMessage(answered, []));
});

async function send({ url, requested: { method = 'GET', path, body }, headers, count }: Batch): Promise<Answered> {
  let answered: Answered = { status: 0, bytes: 0, encoding: '' };
  for (let index = 0; index < count; index++) {
    const answer = await rawAnswer(url + path, { method, headers, ...(body && { body }) });
    const encoding = String(answer.headers['content-encoding'] ?? '');
    answered = { status: answer.status, bytes: answer.body.length, encoding };
  }
  return answered;
}
