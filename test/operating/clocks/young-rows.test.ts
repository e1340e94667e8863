import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type DifferingWorld,
  differences,
  differingWorld,
  digestsOf,
  fillWithYoungRows,
  runEveryJob,
} from './differing-world.ts';

let world: DifferingWorld;
let before: Record<string, string>;

beforeAll(async () => {
  world = await differingWorld();
  await fillWithYoungRows(world);
  await runEveryJob(world.right);
  before = await digestsOf(world);
});
afterAll(() => world?.close());

test('the right server leaves everything as it is', async () => {
  await runEveryJob(world.right);
  expect(await digestsOf(world)).toEqual(before);
});

test.each(
  differences,
)('no job of a server %s removes, ends, charges or sends anything early', async (_name, aheadMs) => {
  await world.setAhead(aheadMs);
  await runEveryJob(world.other);
  expect(await digestsOf(world)).toEqual(before);
});
