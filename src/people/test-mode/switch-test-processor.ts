import { noSuchProcessor, type ProcessorRow, updateProcessor } from '../../domains/processors/public.ts';
import type { Processor } from '../../generated/prisma/client.ts';
import type { SessionContext } from '../../graph/context.ts';
import { invalid } from '../../kit/errors.ts';
import { actInTestMode } from './act-in-test-mode.ts';

/** Sets what a test processor simulates. A processor of another type has credentials, which people do not change. */
export function switchTestProcessor(
  context: SessionContext,
  { processorId, options }: { processorId: string; options: Record<string, unknown> },
): Promise<ProcessorRow> {
  const act = {
    action: 'operatorSwitchTestProcessor',
    field: 'processorId',
    id: processorId,
    find: () => context.services.prisma.processor.findUnique({ where: { id: processorId } }),
    missing: noSuchProcessor,
    assert: ({ type }: Processor) => {
      if (type !== 'test') throw invalid('processorId', 'must be of the type test: others simulate nothing');
    },
  };
  return actInTestMode<Processor, ProcessorRow>(context, act, (own) => updateProcessor(own, processorId, { options }));
}
