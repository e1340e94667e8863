import { expect, test } from 'vitest';
import { withSchemaThread } from '../../src/plugins/schema-threads.ts';

/** What became due meanwhile is done. */
const turn = () => new Promise(setImmediate);

/** Calls that hold their turn until they are let go, and who had theirs in which order. */
function calls() {
  const order: string[] = [];
  const begin = (owner: string, waitingMax = 10) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = withSchemaThread(owner, waitingMax, () => {
      order.push(owner);
      return promise;
    });
    return { end: () => (resolve(), done), done };
  };
  return { order, begin };
}

test('each owner has one turn at a time, two owners at once, and whoever was served the longest ago comes next', async () => {
  const { order, begin } = calls();
  const [a1, a2, a3] = [begin('a'), begin('a'), begin('a')];
  const [b1, c1] = [begin('b'), begin('c')];
  await turn();
  expect(order).toEqual(['a', 'b']);
  await a1.end();
  await turn();
  expect(order).toEqual(['a', 'b', 'c']);
  await b1.end();
  await turn();
  expect(order).toEqual(['a', 'b', 'c', 'a']);
  for (const call of [a2, c1, a3]) await call.end();
  expect(order).toEqual(['a', 'b', 'c', 'a', 'a']);
});

test('429 for a call of an owner of whom as many wait as may, and for nobody else', async () => {
  const { begin } = calls();
  const running = [begin('a', 2), begin('a', 2), begin('a', 2)];
  await expect(begin('a', 2).done).rejects.toMatchObject({ status: 429 });
  const other = begin('b', 2);
  for (const call of [...running, other]) await call.end();
  expect(await withSchemaThread('a', 1, async () => 'served')).toBe('served');
});

test('a call that fails gives its turn back', async () => {
  await expect(withSchemaThread('a', 1, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await withSchemaThread('a', 1, async () => 'served')).toBe('served');
});
