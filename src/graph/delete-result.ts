import { builder } from './builder.ts';

/** What every DELETE answers. */
export const DeleteResult = builder.objectRef<{ id: string; deleted: true }>('DeleteResult').implement({
  description: 'The answer to a deletion.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'What was deleted.' }),
    deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
  }),
});
