import type { KeyContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { write } from '../../write/write.ts';
import { changeProcessor } from './change-processor.ts';
import type { UpdateProcessorInput } from './inputs.ts';
import { optionChanges, type ProcessorType } from './options.ts';
import { lockProcessor, type ProcessorRow } from './processor-rows.ts';

/** Changes the fields, and the single options, that are given. */
export async function updateProcessor(
  context: KeyContext,
  processorId: string,
  input: typeof UpdateProcessorInput.$inferInput,
): Promise<ProcessorRow> {
  for (const field of ['name', 'enabled', 'options'] as const)
    if (input[field] === null) throw invalid(field, 'must not be null: leave it out instead');
  return write(context, 'updateProcessor', async (change) => {
    const before = await lockProcessor(context, change, processorId);
    const { name, enabled, supportedCurrencies, options } = input;
    // a CHECK constraint limits the column to the types
    const given = optionChanges(before.type as ProcessorType, context.caller.mode, options ?? {});
    const data = {
      ...(name != null && { name }),
      ...(enabled != null && { enabled }),
      ...(supportedCurrencies !== undefined && { supportedCurrencies: [...new Set(supportedCurrencies ?? [])] }),
    };
    return changeProcessor(context.services, change, before, data, given);
  });
}
