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

/** Runs these rows. Each lasts until the test ends it; a lease gives up to `batch` rows of tenants below their limit. */
function runOf(rows: readonly Due[], batch = 3, most?: number): Run {
  const left = [...rows];
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const stopping = new AbortController();
  const isOpen = (full: Saturated, { partnerId, platformAccountId, mode, processorId }: Due) =>
    !full.partners.includes(`${partnerId}/${mode}`) &&
    !full.accounts.includes(platformAccountId ?? '') &&
    !full.modes.includes(mode ?? '') &&
    !full.processors.includes(processorId ?? '');
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

const row = (
  id: string,
  platformAccountId: string | null,
  processorId: string | null,
  { partnerId = null, mode = null }: { partnerId?: string | null; mode?: string | null } = {},
): Due => ({ id, partnerId, platformAccountId, mode, processorId });

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

test('a run goes on when the rows that saturate a processor end while more are leased', async () => {
  const left = Array.from({ length: 5 }, (_, at) => row(`${at}`, 'a', 'p'));
  const ends: (() => void)[] = [];
  const done = await runDueRows<Due>({
    async lease({ processors }) {
      for (const end of ends.splice(0)) end();
      await new Promise(setImmediate);
      return processors.includes('p') ? [] : left.splice(0, 2);
    },
    run: () => new Promise<void>((resolve) => ends.push(resolve)),
    failed: (error) => expect.unreachable(String(error)),
    stopping: new AbortController().signal,
  });
  expect(done).toBe(5);
});

test('an account has four places, whatever its processors are', async () => {
  const many = Array.from({ length: 8 }, (_, at) => row(`a ${at}`, 'a', `p ${at}`));
  const run = runOf([...many, row('b', 'b', 'q')], 8);
  await expect.poll(() => run.begun).toEqual(['a 0', 'a 1', 'a 2', 'a 3', 'b']);
  run.stop();
  for (const id of run.begun) run.end(id);
  expect(await run.result).toBe(5);
});

test('a partner has two thirds of the places, and test mode three quarters, however many accounts there are', async () => {
  const of = (partnerId: string, mode: string, count: number) =>
    Array.from({ length: count }, (_, at) =>
      row(`${partnerId} ${at}`, `${partnerId} ${at}`, null, { partnerId, mode }),
    );
  const greedy = of('greedy', 'live', 30);
  const tests = [...of('one', 'test', 30), ...of('other', 'test', 30)];
  for (const [rows, begun] of [
    [greedy, [16, 0, 0]],
    [tests, [0, 9, 9]],
    [
      [...tests, ...greedy],
      [6, 9, 9],
    ],
  ] as const) {
    const run = runOf(rows, 50);
    const begunBy = (partner: string) => run.begun.filter((id) => id.startsWith(partner)).length;
    await expect.poll(() => ['greedy', 'one', 'other'].map(begunBy)).toEqual(begun);
    run.stop();
    for (const id of run.begun) run.end(id);
    expect(await run.result).toBe(begun[0] + begun[1] + begun[2]);
  }
});

test('test rows of a partner leave places to its live rows', async () => {
  const of = (mode: string, count: number) =>
    Array.from({ length: count }, (_, at) => row(`${mode} ${at}`, `${mode} ${at}`, null, { partnerId: 'p', mode }));
  const run = runOf([...of('test', 30), ...of('live', 30)], 30);
  await expect.poll(() => run.begun.filter((id) => id.startsWith('live')).length).toBe(8);
  expect(run.begun.filter((id) => id.startsWith('test')).length).toBe(16);
  run.stop();
  for (const id of run.begun) run.end(id);
  expect(await run.result).toBe(24);
});

test('of rows that wait, first come those of the partner, then of the account, with the fewest in flight', async () => {
  const at = (id: string, account: string, partnerId: string) => row(id, account, null, { partnerId });
  const rows = [at('a 1', 'a', 'p'), at('a 2', 'a', 'p'), at('b 1', 'b', 'p'), at('c 1', 'c', 'q')];
  const run = runOf(rows, 4, 3);
  await expect.poll(() => run.begun).toEqual(['a 1', 'c 1', 'b 1']);
  run.end('c 1');
  await expect.poll(() => run.begun.length).toBe(3);
  run.end('a 1');
  await expect.poll(() => run.begun.at(-1)).toBe('a 2');
  for (const id of run.begun) run.end(id);
  expect(await run.result).toBe(4);
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
