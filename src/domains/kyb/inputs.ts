import { builder } from '../../graph/builder.ts';

const KybItemInput = builder.inputType('KybItemInput', {
  description: 'The value of one requirement.',
  fields: (t) => ({
    code: t.field({ type: 'KybCode', required: true, description: 'The code of the requirement.' }),
    value: t.field({
      type: 'KybValue',
      required: true,
      description: 'The value to submit. Replaces a value that was submitted before.',
    }),
  }),
});

export const SubmitKybInput = builder.inputType('SubmitKybInput', {
  description: 'The values to submit, for all requirements or some of them.',
  fields: (t) => ({
    items: t.field({
      type: [KybItemInput],
      required: true,
      description: 'At least one item, with each code at most once.',
    }),
  }),
});
