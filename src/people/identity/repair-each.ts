import { lockWaitMs } from '../../database/lone-statements.ts';
import { sql } from '../../database/sql.ts';
import type { Prisma } from '../../generated/prisma/client.ts';
import { type Due, once, runAtOnce } from '../../runtime/at-once.ts';
import type { Services } from '../../services.ts';

const repairsAtOnce = 4;
const never = new AbortController().signal;

/**
 * Repairs rows of the mirror, each in a transaction of its own that waits for locks only briefly, and returns how many
 * were repaired. One that is locked or fails keeps no other from its turn: the next run repairs it.
 */
export function repairEach<Item>(
  { prisma, log }: Pick<Services, 'prisma' | 'log'>,
  items: readonly Item[],
  idOf: (item: Item) => string,
  repair: (tx: Prisma.TransactionClient, item: Item) => Promise<void>,
): Promise<number> {
  return runAtOnce<Due & { item: Item }>({
    lease: once(items.map((item) => ({ id: idOf(item), platformAccountId: null, processorId: null, item }))),
    run: ({ item }) =>
      prisma.$transaction(async (tx) => {
        await tx.$executeRaw(sql`SELECT set_config('lock_timeout', ${`${lockWaitMs}ms`}, true)`);
        await repair(tx, item);
      }),
    failed: (error, { id }) =>
      log.warn({ err: error, id }, 'A row of the identity mirror could not be repaired. The next run repairs it.'),
    stopping: never,
    most: repairsAtOnce,
  });
}
