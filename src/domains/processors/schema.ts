import { builder } from '../../graph/builder.ts';
import { byCallerInTestMode, doneByPeopleInTestMode, isOfPerson } from '../../graph/by-caller.ts';
import { invalid } from '../../lib/errors.ts';
import { createProcessor, updateProcessor } from './change-processor.ts';
import { readTestProcessor } from './rows.ts';
import { CreateProcessorInput, Processor, processors, UpdateProcessorInput } from './types.ts';

builder.queryField('processors', (t) =>
  t
    .withAuth({ $any: { suspendedKey: true, directory: true } })
    .field(
      processors.field(
        "Lists the processors of the sub-key's account, or of all the partner's accounts of the API key's mode, newest " +
          'first by default.',
        { sortBy: 'The order of the list. Defaults to newest first.', filters: 'Conditions that limit the list.' },
      ),
    ),
);

/** People set what a test processor simulates; the rest of a processor is its merchant's. */
function assertOptions(input: typeof UpdateProcessorInput.$inferInput): void {
  const [other] = Object.keys(input).filter((name) => name !== 'options');
  if (other !== undefined) throw invalid(`input.${other}`, 'is for API keys: people set options alone');
  if (input.options == null) throw invalid('input.options', 'is required for people');
}

builder.mutationFields((t) => ({
  createProcessor: t.withAuth({ key: true }).field({
    type: Processor,
    description: 'Creates a processor for an account. 409 `limit_reached` if the account has 100 processors.',
    args: { input: t.arg({ type: CreateProcessorInput, required: true, description: 'The processor to create.' }) },
    resolve: (_root, { input }, context) => createProcessor(context, input),
  }),
  updateProcessor: t.withAuth({ $any: { key: true, admin: true } }).field({
    type: Processor,
    description:
      'Updates the fields that are given. The change applies to charges made from then on. 404 if the processor is ' +
      'not visible to the API key.',
    forPeople: `${doneByPeopleInTestMode} They change the \`options\` of test processors alone.`,
    args: {
      processorId: t.arg.id({ required: true, description: 'Identifier of the processor, prefix `proc_`.' }),
      input: t.arg({ type: UpdateProcessorInput, required: true, description: 'The fields to change.' }),
    },
    resolve: (_root, { processorId: id, input }, context) => {
      if (isOfPerson(context)) assertOptions(input);
      const change = { field: 'updateProcessor', target: id, find: () => readTestProcessor(context, id) };
      return byCallerInTestMode(context, change, 'processorId', (own) => updateProcessor(own, id, input));
    },
  }),
}));
