import { expect, test } from 'vitest';
import { withSchemaThread } from '../../../src/domains/plugins/json-schema/checker.ts';

/** Lets everything run that is due. */
const turn = () => new Promise(setImmediate);

/** Calls that keep their turn until they are released, and the order in which they got it. */
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

test('each owner has one turn at a time, two owners run at once, and the longest waiting is next', async () => {
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

test('429 for an owner with a full queue, and for no other owner', async () => {
  const { begin } = calls();
  const running = [begin('a', 2), begin('a', 2), begin('a', 2)];
  await expect(begin('a', 2).done).rejects.toMatchObject({ status: 429 });
  const other = begin('b', 2);
  for (const call of [...running, other]) await call.end();
  expect(await withSchemaThread('a', 1, async () => 'served')).toBe('served');
});

test('a call that fails releases its turn', async () => {
  await expect(withSchemaThread('a', 1, () => Promise.reject(new Error('x')))).rejects.toThrow('x');
  expect(await withSchemaThread('a', 1, async () => 'served')).toBe('served');
});
