import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { newTenantSlots } from '../../../src/database/tenant-queue.ts';

test('a statement that waited for a place runs at the time of its own call, and not of the call that gave the place', async () => {
  const times = new AsyncLocalStorage<string>();
  const places = newTenantSlots(1, 1);
  const until = performance.now() + 60_000;
  const first = Promise.withResolvers<string | undefined>();
  const ran = [
    times.run('first', () => places.run('tenant', until, () => first.promise)),
    times.run('second', () => places.run('tenant', until, async () => times.getStore())),
    places.run('tenant', until, async () => times.getStore()),
  ];
  times.run('first', () => first.resolve('first'));
  expect(await Promise.all(ran)).toEqual(['first', 'second', undefined]);
});
