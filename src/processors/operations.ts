import type { ProcessingAccount, Processor } from '../generated/prisma/client.ts';
import { newId } from '../kit/ids.ts';
import type { Write } from '../kit/write.ts';

/** Adds a processor connection to an account within a change that is under way. */
export function addProcessor({ tx, now }: Write, account: ProcessingAccount, input: { name: string; type: string }): Promise<Processor> {
  const { id: platformAccountId, partnerId, mode } = account;
  return tx.processor.create({ data: { id: newId('processor', now), partnerId, platformAccountId, mode, ...input, supportedCurrencies: [], createdAt: now, updatedAt: now } });
}
