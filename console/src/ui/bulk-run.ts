import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ask } from '../graph/ask.ts';
import { type Failure, failureOf } from '../graph/failure.ts';
import type { BulkAction } from './bulk-action.ts';

/** What became of a row. `unknown`: the platform may or may not have done it, and a retry does it once. */
export type BulkResult = 'waiting' | 'done' | 'skipped' | 'failed' | 'unknown';

export interface BulkItem<Row> {
  row: Row;
  /** Sent with every attempt for this row. */
  idempotencyKey: string;
  result: BulkResult;
  /** Why it failed or was skipped. */
  text: string;
}

export interface BulkRun<Row> {
  items: readonly BulkItem<Row>[];
  isRunning: boolean;
  /** What stopped the run: the network, the session or the second factor. */
  failure: Failure | undefined;
  /** Seconds until the next call, while a rate limit delays the run. */
  delayS: number | undefined;
  /** Sends what is left, with the reason of the first run. */
  run(reason: string): Promise<void>;
  stop(): void;
}

/** Calls that are open at the same time. */
const concurrency = 4;

export const isLeft = ({ result }: { result: BulkResult }): boolean => result === 'waiting' || result === 'unknown';

/** Sends one call for each row, a few at a time. What stops all of them stops the run, which can be continued. */
export function useBulkRun<Row>(action: BulkAction<Row>, rows: readonly Row[]): BulkRun<Row> {
  const client = useQueryClient();
  const [items] = useState(() => rows.map((row) => itemOf(action, row)));
  const [isRunning, setIsRunning] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [delayS, setDelayS] = useState<number>();
  const [, setCount] = useState(0);
  const running = useRef<AbortController>(undefined);
  const firstReason = useRef<string>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const complete = async (item: BulkItem<Row>, controller: AbortController): Promise<void> => {
    const { document, variables } = action;
    const { idempotencyKey } = item;
    try {
      await ask(document, variables(item.row, firstReason.current ?? '') as never, { idempotencyKey });
      Object.assign(item, { result: 'done', text: '' });
    } catch (error) {
      const refusal = failureOf(error);
      // A row that a rate limit refused is left: nothing was done.
      if (refusal.retryAfterS !== null) {
        if (controller.signal.aborted) return;
        setDelayS(refusal.retryAfterS);
        await elapsed(refusal.retryAfterS * 1000, controller.signal);
        setDelayS(undefined);
        return controller.signal.aborted ? undefined : complete(item, controller);
      }
      if (stopsAll(refusal)) {
        if (refusal.isUnknown) item.result = 'unknown';
        setFailure(refusal);
        controller.abort();
      } else Object.assign(item, { result: refusal.isUnknown ? 'unknown' : 'failed', text: refusal.message });
    }
  };

  const run = async (reason: string): Promise<void> => {
    if (running.current && !running.current.signal.aborted) return;
    const controller = new AbortController();
    running.current = controller;
    firstReason.current ??= reason;
    setIsRunning(true);
    setFailure(undefined);
    const left = items.filter(isLeft).values();
    const work = async (): Promise<void> => {
      for (const item of left) {
        if (controller.signal.aborted) return;
        await complete(item, controller);
        setCount((count) => count + 1);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    controller.abort();
    setIsRunning(false);
    void client.invalidateQueries();
  };
  return { items, isRunning, failure, delayS, run, stop: () => running.current?.abort() };
}

function itemOf<Row>({ skipped }: BulkAction<Row>, row: Row): BulkItem<Row> {
  const why = skipped?.(row);
  return {
    row,
    idempotencyKey: crypto.randomUUID(),
    result: why === undefined ? 'waiting' : 'skipped',
    text: why ?? '',
  };
}

/** Whether the next row would meet the same. */
function stopsAll(refusal: Failure): boolean {
  const { isSignedOut, isOfAnotherUser, needsFreshFactor, code } = refusal;
  return isSignedOut || isOfAnotherUser || needsFreshFactor || code === 'NETWORK' || code === 'SERVICE_UNAVAILABLE';
}

function elapsed(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
