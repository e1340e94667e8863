import { expect, test } from 'vitest';
import {
  type Due,
  markResponsive,
  markUnresponsive,
  runDueRows,
  type Saturated,
} from '../../../src/jobs/run-due-rows.ts';

interface Run {
  begun: string[];
  end(id: string): void;
  stop(): void;
  result: Promise<number>;
}

/** Runs these rows. Each lasts until the test ends it; a lease gives up to `batch` rows of nobody who is full. */
function runOf(rows: readonly Due[], batch = 3, most?: number): Run {
  const left = [...rows];
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const stopping = new AbortController();
  const isOpen = ({ accounts, processors }: Saturated, { platformAccountId, processorId }: Due) =>
    !accounts.includes(platformAccountId ?? '') && !processors.includes(processorId ?? '');
  const result = runDueRows<Due>({
    async lease(full) {
      const leased = left.filter((row) => isOpen(full, row)).slice(0, batch);
      for (const row of leased) left.splice(left.indexOf(row), 1);
      return leased;
    },
    run({ id }) {
      begun.push(id);
      return new Promise<void>((resolve) => ends.set(id, resolve));
    },
    failed: (error) => expect.unreachable(String(error)),
    stopping: stopping.signal,
    ...(most !== undefined && { most }),
  });
  return { begun, end: (id) => ends.get(id)?.(), stop: () => stopping.abort(), result };
}

const row = (id: string, platformAccountId: string | null, processorId: string | null): Due => ({
  id,
  platformAccountId,
  processorId,
});

test('rows of a processor that hangs, however many, leave the others their turn', async () => {
  const silent = Array.from({ length: 40 }, (_, at) => row(`silent ${at}`, 'a', 'p'));
  const run = runOf([...silent, row('other', 'b', 'q'), row('none', 'c', null)]);
  await expect.poll(() => run.begun).toEqual(['silent 0', 'silent 1', 'other', 'none']);
  run.end('other');
  run.end('silent 0');
  await expect.poll(() => run.begun.at(-1)).toBe('silent 2');
  run.stop();
  for (const id of run.begun) run.end(id);
  expect(await run.result).toBe(5);
});

test('an account has four places, whatever its processors are', async () => {
  const many = Array.from({ length: 8 }, (_, at) => row(`a ${at}`, 'a', `p ${at}`));
  const run = runOf([...many, row('b', 'b', 'q')], 8);
  await expect.poll(() => run.begun).toEqual(['a 0', 'a 1', 'a 2', 'a 3', 'b']);
  run.stop();
  for (const id of run.begun) run.end(id);
  expect(await run.result).toBe(5);
});

test('processors that have just not answered come last, the latest at the end, and have half of the places', async () => {
  for (const id of ['late 1', 'late 2', 'late 3']) markUnresponsive(id);
  const late = [1, 2, 3].map((at) => row(`late ${at}`, `a ${at}`, `late ${at}`));
  const run = runOf([...late, row('prompt', 'b', 'q')], 4, 4);
  await expect.poll(() => run.begun).toEqual(['prompt', 'late 1', 'late 2']);
  markResponsive('late 3');
  run.end('prompt');
  await expect.poll(() => run.begun.at(-1)).toBe('late 3');
  for (const id of run.begun) run.end(id);
  expect(await run.result).toBe(4);
});

test('a stop begins nothing more, and the run ends with what is under way', async () => {
  const run = runOf([row('one', 'a', 'p'), row('two', 'a', 'p'), row('three', 'a', 'p')]);
  await expect.poll(() => run.begun).toEqual(['one', 'two']);
  run.stop();
  run.end('one');
  run.end('two');
  expect(await run.result).toBe(2);
  expect(run.begun).toEqual(['one', 'two']);
});
