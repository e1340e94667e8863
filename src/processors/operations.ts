import type { ProcessingAccount, Processor } from '../generated/prisma/client.ts';
import type { KeyContext } from '../graph/context.ts';
import { is, oneOf } from '../graph/list-filters.ts';
import { type ListArguments, type ListDefinition, type Page, readList } from '../graph/lists.ts';
import { invalid } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import { write, type Write } from '../kit/write.ts';
import { storeOf } from '../stores/operations.ts';
import type { CreateProcessorInput, ProcessorFilters } from './schema.ts';

/** Adds a processor connection to an account within a change that is under way. */
export function addProcessor({ tx, now }: Write, account: Pick<ProcessingAccount, 'id' | 'partnerId' | 'mode'>, input: { name: string; type: string; supportedCurrencies?: string[]; enabled?: boolean; options?: object }): Promise<Processor> {
  const { id: platformAccountId, partnerId, mode } = account;
  return tx.processor.create({ data: { id: newId('processor', now), partnerId, platformAccountId, mode, supportedCurrencies: [], ...input, createdAt: now, updatedAt: now } });
}

const processorList: ListDefinition<typeof ProcessorFilters.$inferInput> = {
  table: 'processors',
  sorts: { createdAt: 'createdAt', name: 'name' },
  filters: { type: oneOf('type'), enabled: is('enabled') },
  counted: true,
};

export function listProcessors(context: KeyContext, args: ListArguments<typeof ProcessorFilters.$inferInput>): Promise<Page<Processor>> {
  return readList(context.env.pool, context.caller, processorList, args);
}

/** Adds a processor connection to the account; a partner key names a store of it. */
export async function createProcessor(context: KeyContext, input: typeof CreateProcessorInput.$inferInput): Promise<Processor> {
  const { caller } = context;
  // Its approvals move no money: in live mode they would be lies.
  if (caller.mode === 'live' && input.type === 'test') throw invalid('type', 'must not be test in live mode');
  const account = await accountOf(context, input.storeId);
  const { name, type, enabled } = input;
  return write(context, 'createProcessor', (change) => addProcessor(change, account, { name, type, enabled, supportedCurrencies: [...new Set(input.supportedCurrencies ?? [])], options: input.options ?? {} }));
}

async function accountOf(context: KeyContext, storeId: string | null | undefined): Promise<{ id: string; partnerId: string; mode: string }> {
  const { caller } = context;
  if (caller.kind === 'subKey' && storeId == null) return { id: caller.platformAccountId, partnerId: caller.partnerId, mode: caller.mode };
  const { platformAccountId: id, partnerId, mode } = await storeOf(context, storeId);
  return { id, partnerId, mode };
}
