import { builder } from './builder.ts';

/** The answer to every deletion. */
export const DeleteResult = builder.objectRef<{ id: string; deleted: true }>('DeleteResult').implement({
  description: 'The result of a deletion.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the deleted object.' }),
    deleted: t.exposeBoolean('deleted', { description: 'Always true.' }),
  }),
});
