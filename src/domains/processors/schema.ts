import { builder } from '../../graph/builder.ts';
import { createProcessor, updateProcessor } from './change-processor.ts';
import { CreateProcessorInput, Processor, processors, UpdateProcessorInput } from './types.ts';

builder.queryField('processors', (t) =>
  t
    .withAuth({ $any: { key: true, directory: true } })
    .field(
      processors.field(
        "Lists the processors of the sub-key's account, or of all the partner's accounts of the API key's mode, newest " +
          'first by default.',
        { sortBy: 'The order of the list. Defaults to newest first.', filters: 'Conditions that limit the list.' },
      ),
    ),
);

builder.mutationFields((t) => ({
  createProcessor: t.withAuth({ key: true }).field({
    type: Processor,
    description: 'Creates a processor for an account. 409 `limit_reached` if the account has 100 processors.',
    args: { input: t.arg({ type: CreateProcessorInput, required: true, description: 'The processor to create.' }) },
    resolve: (_root, { input }, context) => createProcessor(context, input),
  }),
  updateProcessor: t.withAuth({ key: true }).field({
    type: Processor,
    description:
      'Updates the fields that are given. The change applies to charges made from then on. 404 if the processor is ' +
      'not visible to the API key.',
    args: {
      processorId: t.arg.id({ required: true, description: 'Identifier of the processor, prefix `proc_`.' }),
      input: t.arg({ type: UpdateProcessorInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, args, context) => updateProcessor(context, args.processorId, args.input),
  }),
}));
