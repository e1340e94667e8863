import { expect, test } from 'vitest';
import { batched, newBatchQueue } from '../../../src/database/batched.ts';

/** Collects the items of each batch. A batch is under way until `end` is called. */
function collector(queue = newBatchQueue(), most = 3) {
  const batches: string[][] = [];
  const ends: (() => void)[] = [];
  const load = batched<string, string>(
    async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => ends.push(resolve));
      return items.map((item) => item.toUpperCase());
    },
    { most, queue },
  );
  return { batches, load, end: () => ends.shift()?.() };
}

const turnOfEventLoop = () => new Promise((resolve) => setImmediate(resolve));

test('an item alone waits for no other, and those that arrive meanwhile share the next batch', async () => {
  const { batches, load, end } = collector();
  const first = load('a');
  await turnOfEventLoop();
  expect(batches).toEqual([['a']]);
  const others = [load('b'), load('c')];
  await turnOfEventLoop();
  expect(batches).toEqual([['a']]);
  end();
  expect(await first).toBe('A');
  await turnOfEventLoop();
  expect(batches).toEqual([['a'], ['b', 'c']]);
  end();
  expect(await Promise.all(others)).toEqual(['B', 'C']);
});

test('collectors that share queue have one batch under way, in the order in which each began to collect', async () => {
  const queue = newBatchQueue();
  const [one, two] = [collector(queue), collector(queue, 2)];
  const answers = [one.load('a')];
  await turnOfEventLoop();
  answers.push(two.load('b'), one.load('c'), two.load('d'), two.load('e'));
  await turnOfEventLoop();
  expect([one.batches, two.batches]).toEqual([[['a']], []]);
  one.end();
  await answers[0];
  await turnOfEventLoop();
  expect([one.batches, two.batches]).toEqual([[['a']], [['b', 'd']]]);
  two.end();
  await answers[1];
  await turnOfEventLoop();
  expect([one.batches, two.batches]).toEqual([[['a'], ['c']], [['b', 'd']]]);
  one.end();
  await answers[2];
  await turnOfEventLoop();
  expect(two.batches).toEqual([['b', 'd'], ['e']]);
  two.end();
  expect(await Promise.all(answers)).toEqual(['A', 'B', 'C', 'D', 'E']);
});

test('a batch that fails ends its turn, and fails none that waits', async () => {
  const queue = newBatchQueue();
  const { batches, load, end } = collector(queue);
  const failing = batched<string, string>(() => Promise.reject(new Error('The database is away.')), {
    most: 3,
    queue,
  });
  const failed = expect(failing('a')).rejects.toThrow('The database is away.');
  const next = load('b');
  await failed;
  await turnOfEventLoop();
  expect(batches).toEqual([['b']]);
  end();
  expect(await next).toBe('B');
});
