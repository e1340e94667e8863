import { expect, test } from 'vitest';
import { newId } from '../../src/lib/ids.ts';
import { usePlatform } from '../support/platform.ts';
import { seedPartner } from '../support/seed.ts';

const platform = await usePlatform();
const account = await (await seedPartner(platform)).account();

async function addProcessors(count: number): Promise<void> {
  const { prisma, clock } = platform.services;
  const { secrets: _none, ...one } = await prisma.processor.findFirstOrThrow({
    where: { platformAccountId: account.id },
  });
  await prisma.processor.createMany({
    data: Array.from({ length: count }, () => ({ ...one, options: {}, id: newId('proc_', clock.now()) })),
  });
}

async function addStores(count: number): Promise<void> {
  const { prisma, clock } = platform.services;
  const one = await prisma.store.findFirstOrThrow({ where: { platformAccountId: account.id } });
  await prisma.store.createMany({
    data: Array.from({ length: count }, () => ({ ...one, id: newId('store_', clock.now()) })),
  });
}

test.each([
  ['processors', 100, '/processors/create', { name: 'One more', type: 'test' }, addProcessors],
  ['stores', 1_000, '/stores/create', { name: 'One more' }, addStores],
])('an account has at most the bound of %s, %i: 200 for the last, 409 naming the bound beyond it, also at once', async (what, max, path, body, add) => {
  await add(max - 2);
  const answers = await Promise.all([1, 2, 3].map(() => account.api.call(path, body)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  const { status, body: refused } = await account.api.call(path, body);
  expect([status, refused.data.reason, refused.message]).toEqual([
    409,
    'limit_reached',
    `An account has at most ${max} ${what}; this one has ${max}.`,
  ]);
});
